#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Which recovery line -restore means.
use strict;
use warnings;

use File::Temp ();
use Test::More;

use FTMPI::Sessions ();

my $work = File::Temp->newdir('ftmpi-sessions-XXXXXX', TMPDIR => 1);

sub manifest
{
	my ($session, $line, $size, $time) = @_;
	mkdir "$work/$session";
	my $path = sprintf '%s/%s/line-%08u.manifest', $work, $session, $line;
	open my $file, '>', $path or die "$path: $!";
	print $file "ftmpi-manifest 1\nsession 00 x\nepoch 0\nline $line\nranks $size\ntime $time\nrank 0 1 2\n";
	close $file;
	return;
}

sub chosen
{
	my ($wanted, $n) = @_;
	my @chosen = eval { FTMPI::Sessions::choose("$work", $wanted, $n // 4) };
	return @chosen ? "@chosen" : $@->text;
}

my ($old, $new, $late) = map { "2026112$_-203610-1a2b3c4$_" } 1 .. 3;
my $hint = '; see ftmpi-ckpt list';

is(chosen('latest'), "-restore: there is no recovery line in $work$hint", 'an empty work directory');
mkdir "$work/$old";
is(chosen('latest'), "-restore: there is no recovery line in $work$hint", 'a session without lines');
is(chosen($new), "-restore: there is no recovery line of session $new in $work$hint",
	'a session that is not there');

manifest($old, 9,  4, 2000);
manifest($old, 10, 4, 2001);
manifest($new, 1,  4, 1000);
manifest('elsewhere', 3, 4, 9000);
is(chosen('latest'), "$old 0", 'the newest line by its time; other folders do not count');
manifest($new, 2, 4, 2001);
is(chosen('latest'), "$new 0", 'of two of one second that of the later session');
is(chosen($old), "$old 0", 'a session by its name');
is(chosen("$old:9"), "$old 9", 'a line by its number');
is(chosen("$old:11"), "-restore: there is no line 11 of session $old in $work$hint",
	'a line that is not there');
is(chosen('latest', 2), "-restore: line 2 of session $new is of 4 ranks, not of 2",
	'another number of ranks');

manifest($late, 1, 4, 'soon');
is(chosen('latest'), "$new 0", 'a damaged manifest is passed over');
is(chosen($late), "-restore: the manifest $work/$late/line-00000001.manifest is damaged, and there"
	. ' is no other; see ftmpi-ckpt list', '... unless there is no other');

done_testing;
