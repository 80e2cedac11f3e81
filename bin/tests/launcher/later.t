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
mkdir "$dir/$_" for qw(Some FTMPI FTMPI/Read FTMPI/Read/Used);

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

# What was read is what is compiled, whatever becomes of the files: a package, what it uses, and what that has for later.
module('FTMPI/Read.pm', "package FTMPI::Read;\nuse FTMPI::Read::Used ();\nuse Text::Abbrev ();\nsub go { return FTMPI::Read::Used::near() }\nsub wants { return eval { require FTMPI::Wanted; 1 } && FTMPI::Wanted::go() }\nsub dies { die 'here' }");
module('FTMPI/Read/Used.pm', 'package FTMPI::Read::Used;
use FTMPI::Later rest => qw(Far);
use FTMPI::Later qw(FTMPI::Other FTMPI::Read::Whole);
sub near { return far() . FTMPI::Read::Whole::go() }');
module('FTMPI/Read/Used/Far.pm', 'package FTMPI::Read::Used; sub far { return "far" }');
module('FTMPI/Read/Whole.pm', 'package FTMPI::Read::Whole; sub go { return "whole" }');
module('FTMPI/Wanted.pm', 'package FTMPI::Wanted; sub go { return "wanted" }');
module('FTMPI/Other.pm', 'package FTMPI::Other; sub go { return "other" }');
FTMPI::Later->import(qw(FTMPI::Read FTMPI::Other FTMPI::Lost));
my ($names, $rounds) = (qr/^FTMPI::(?:Read|Lost)\b/, 0);
$rounds++ while FTMPI::Later::read_one($names);
is($rounds, 2, 'packages with these names are read, one by one, and those that are not there are not missed');
ok(!$INC{'FTMPI/Read.pm'}, '... and not compiled');
ok($INC{'Text/Abbrev.pm'}, '... but what they use that is not ours');
module($_, 'die "another version";') for map { "FTMPI/$_.pm" } qw(Read Read/Used Read/Used/Far Wanted Other);
unlink "$dir/FTMPI/Read/Whole.pm";
is(FTMPI::Read::go(), 'farwhole', '... and work when the files are other ones, or none');
is(FTMPI::Read::wants(), 'wanted', '... also those that are required');
is(eval { FTMPI::Read::dies(); 1 } // $@, "here at $dir/FTMPI/Read.pm line 6.\n", '... with their names and lines');
like(eval { FTMPI::Other::go(); 1 } // $@->text, qr/another version/, 'others are read when they are called');
is(eval { FTMPI::Lost::go(); 1 } // ref $@, 'FTMPI::Error', 'one that was not there is missed when it is called');

# At the limit of descriptors perl cannot even read from memory: one that fails then works later.
module('FTMPI/Late.pm', 'package FTMPI::Late; sub go { return "late" }');
my $program = <<'EOS';
use FTMPI::Later qw(FTMPI::Late);
FTMPI::Later::read_one(qr/./);
my @open;
while (open my $file, '<', '/dev/null') { push @open, $file }
my $first = eval { FTMPI::Late::go() } // $@->text;
@open = ();
print join '|', $first, FTMPI::Late::go();
EOS
open my $out, '-|', 'sh', '-c', 'ulimit -n 64 && exec "$@"', 'sh', $^X, "-I$dir", (map { "-I$_" } grep { !ref } @INC), '-e', $program or die "sh: $!\n";
like(join('', <$out>), qr/Too many open files.*\|late\z/s, 'a call that fails for want of descriptors succeeds later');

done_testing;
