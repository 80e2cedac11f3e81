#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Code that is compiled when it is called: as if it had been there from the beginning.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use File::Temp ();
use Test::More;

use LauncherTest;
use FTMPI::Later ();

my $dir = File::Temp->newdir('ftmpi-later-XXXXXX', TMPDIR => 1);
unshift @INC, "$dir";
mkdir "$dir/Some";

sub module
{
	my ($name, $text) = @_;
	open my $out, '>', "$dir/$name" or die "$name: $!\n";
	print $out $text, "\n1;\n";
	close $out;
	return;
}

module('Whole.pm', 'package Whole; use constant SIZE => 7; sub new { return bless [ $_[1] ] } sub first { return $_[0][0] } sub why { return "$!|$@|$?" }');
module('Some.pm', 'package Some; use FTMPI::Later rest => qw(Rest More); our $here = 5; sub near { return far($_[0]) }');
module('Some/Rest.pm', 'package Some; sub far { return $_[0] + $Some::here + more() } sub caller_of { return (caller 0)[3] }');
module('Some/More.pm', 'package Some; sub more { return 100 }');
module('Broken.pm', 'package Broken; sub go { return 1 } die "no disk\n";');
module('Idle.pm', 'package Idle; sub go { return 1 }');

FTMPI::Later->import(qw(Whole Broken Idle));
ok(!$INC{'Whole.pm'}, 'nothing is loaded before it is wanted');
is(Whole->new(3)->first, 3, 'a class is there when an object is made');
is(Whole::SIZE(), 7, '... as are its constants');
ok(!Whole->can('AUTOLOAD'), '... and nothing in between');

require Some;
ok(!$INC{'Some/Rest.pm'}, 'nor is the rest of a module');
is(Some::near(1), 106, '... before one of its subs is called');
is(Some::caller_of(), 'Some::caller_of', 'a sub that was missing is called as others are');

# What the caller has in hand stays.
module('Quiet.pm', 'package Quiet; sub why { return join "|", $! + 0, $@, $? } open my $none, "<", "/nonexistent"; eval { die "x" };');
FTMPI::Later->import('Quiet');
($!, $@, $?) = (11, 'before', 256);
is(Quiet::why(), '11|before|256', 'errors of the system, of perl and of children are as they were');

# A module that cannot be loaded now may be later.
is(eval { Broken::go(); 1 }, undef, 'one that cannot be loaded');
like(ref $@ && $@->text, qr/^a part of the program cannot be loaded .*: no disk/, '... says why, in a sentence');
module('Broken.pm', 'package Broken; sub go { return 1 }');
delete $INC{'Broken.pm'};
is(Broken::go(), 1, '... and is there when it can be');
is(eval { Whole::nothing(); 1 }, undef, 'a sub that there is not');
is(eval { Some::nothing(); 1 }, undef, '... nor in a rest');

ok(!$INC{'Idle.pm'}, 'what nobody has called');
FTMPI::Later->import('Gone');
ok(eval { FTMPI::Later::all(); 1 }, 'one that is not there is not missed by all');
ok($INC{'Idle.pm'}, '... is loaded with all');
unlink "$dir/Idle.pm";
is(Idle::go(), 1, '... and needs no file any more');

done_testing;
