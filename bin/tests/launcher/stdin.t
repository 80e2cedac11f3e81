#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Standard input for a rank 0 that may begin again.
use strict;
use warnings;

use Test::More;

use File::Temp ();

use FTMPI::Launcher::InputRead ();
use FTMPI::Launcher::Stdin     ();

# A loop in which standard input is read when the test says so.
package Loop;
sub new      { return bless {}, shift }
sub on_read  { $_[0]{call} = $_[2]; return }
sub off_read { delete $_[0]{call}; return }
sub after    { return }

sub turn
{
	my $call = $_[0]{call} or return 0;
	my $bits = '';
	vec($bits, 0, 1) = 1;
	return 0 if !select $bits, undef, undef, 0;
	$call->();
	return 1;
}

package main;

my ($loop, $stdin, $feed, $given, $ends, $lost, $known);

sub fresh
{
	my (%arg) = @_;
	pipe my $reader, $feed or die "pipe: $!";
	open STDIN, '<&', $reader or die "dup: $!";
	($loop, $given, $ends, $lost) = (Loop->new, '', 0, 0);
	$stdin = FTMPI::Launcher::Stdin->new(
		loop     => $loop,
		keep     => 1,
		on_bytes => sub { $given .= $_[0] },
		on_end   => sub { $ends++ },
		on_lost  => sub { $lost++ },
		on_read  => sub { $known = $_[0] },
		%arg);
	return;
}

sub comes { my ($text) = @_; syswrite $feed, $text; return $loop->turn }

fresh();
comes('abc');
$stdin->taken(3);
comes('def');
is($given, 'abcdef', 'what comes is given');
$stdin->hold;
ok(!comes('ghi'), 'nothing is read while rank 0 begins again');
$stdin->taken(3);
ok(!$loop->turn, '... whatever the old one took');
$stdin->close;
$given = '';
$stdin->rewind;
is($given, 'abcdef', 'the new one gets all from the beginning');
$loop->turn;
is($given, 'abcdefghi', '... and what comes then, also if the old one had closed it');
close $feed;
$loop->turn;
is($ends, 1, 'its end');
ok(!$loop->turn, '... after which nothing is read');
$stdin->hold;
$given = '';
$stdin->rewind;
is("$given $ends", 'abcdefghi 2', '... comes again, too');
ok(!$loop->turn, '... and is not waited for');

# More than goes at once.
fresh();
my $all = '';
for my $i (1 .. 100) {
	my $text = "$i," x 5000;
	$all .= $text;
	syswrite $feed, $text;
	$loop->turn for 1 .. 2;
	$stdin->taken(length $text);
}
is(length $given, length $all, 'a lot is given');
close $feed;
$loop->turn;
$given = '';
$stdin->hold;
$stdin->rewind;
cmp_ok(length $given, '<', 400_000, '... again, but not at once');
is($ends, 1, '... and not its end yet');
$stdin->taken(65536) for 1 .. 60;
ok($given eq $all, '... as it is taken');
is($ends, 2, '... to its end');

# Too much.
fresh();
my $chunk = 'x' x 65536;
my $sent  = 0;
while (!$lost && $sent < 80 << 20) {
	syswrite $feed, $chunk;
	$loop->turn for 1 .. 2;
	$sent += length $chunk;
	$stdin->taken(length $chunk);
}
is($sent >> 16, (64 << 20 >> 16) + 1, 'what is more than 64 MiB cannot be given again, which is told');
comes('more');
is(substr($given, -4), 'more', '... but goes on');
fresh(keep => 0);
comes('abc');
$stdin->hold;
$stdin->rewind;
is("$given $lost", 'abc 0', 'nothing is kept when no rank 0 begins again');

# ---- a rank 0 that goes on from the image of its process ----

my @unsure;

# What it gets when it goes on from this line.
sub again_from
{
	my ($line) = @_;
	($given, @unsure) = ('');
	$stdin->hold;
	$stdin->await_line;
	$stdin->taken(1);
	is($given, '', 'nothing before it has said from where it goes on');
	$stdin->go_on($line);
	return $given;
}

# The line was asked for with this number; what rank 0 had read before and after its part.
sub line
{
	my ($number, $n, $before, $after) = @_;
	$stdin->measured($n, $_) for $before, $after;
	$stdin->committed($number);
	$stdin->saved($n, $number);
	return;
}

fresh(on_unsure => sub { push @unsure, @_ });
comes('abcdefghi');
line(1, 1, 2, 2);
line(2, 2, 5, 6);
line(3, 3, undef, undef);
$stdin->committed(4);
$stdin->measured(5, 8);
$stdin->saved(5, 5);
is(again_from(1), 'cdefghi', 'what its image has not read');
is("@unsure", '', '... which is certain');
$stdin->go_on(2);
is($given, 'cdefghi', '... and said once');
for my $case ([ 2, 'it read meanwhile' ], [ 3, 'what it read cannot be seen' ], [ 4, 'a line of its own' ], [ 5, 'a measure that was lost' ]) {
	my ($line, $why) = @$case;
	is(again_from($line), 'abcdefghi', "$why: all again");
	is("@unsure", $line, '... which is told');
}
is(again_from(undef), 'abcdefghi', 'it goes on from no line: all again');
is("@unsure", '', '... as is right');
again_from(1);
line(6, 1, 3, 3);
is(again_from(6), 'fghi', 'measures count from where it went on');
line(1, 2, 0, 0);
is(again_from(1), 'fghi', 'a line of the same number takes the place of the older one');
$stdin->measured(3, 1);
is(again_from(1), 'fghi', 'another restart');
$stdin->measured(3, 1);
$stdin->saved(3, 7);
again_from(7);
is("@unsure", 7, '... after which measures of before do not count');
$stdin->measured($_, 4) for 1 .. 20;
is(scalar keys %{ $stdin->{measures} }, FTMPI::Launcher::Stdin::ATTEMPTS, 'numbers that came to nothing are forgotten');
fresh(on_unsure => sub { push @unsure, @_ });
is(again_from(1), '', 'where there was no input');
is("@unsure", '', '... nothing is unsure');


fresh(on_read => undef);
$stdin->committed($_) for 1 .. FTMPI::Launcher::Stdin::LINES + 20;
is(scalar keys %{ $stdin->{read} }, FTMPI::Launcher::Stdin::LINES, 'lines of long ago are forgotten, also where nothing was measured');

# ---- one that goes on from a checkpoint of its own (message logging) ----

fresh(alone => 1, on_unsure => sub { push @unsure, @_ });
comes('abcdefghi');
$stdin->stands(3, 2);
$stdin->stands(5, 4);
is(again_from(5), 'efghi', 'what it had read where it stood is left out');
$stdin->stands(7, 1);
is(again_from(7), 'fghi', '... and counts from where it went on');
is("@unsure", '', '... which is certain');
$stdin->stands_no_more_before(5);
is(again_from(3), 'abcdefghi', 'what is before one that is committed is forgotten');
is("@unsure", 3, '... as it is told');
is(again_from($_), 'abcdefghi', 'from its beginning it reads all again') for 0, undef;
is("@unsure", '', '... without a word');
$stdin->stands(8, undef);
is(again_from(8), 'abcdefghi', 'where nobody knows what it had read it gets all');
is("@unsure", 8, '... which is told');

# ---- a rank 0 that goes on from a line of an earlier job ----

my @short;

# Its launcher is given this input.
sub restored
{
	my ($read, @texts) = @_;
	fresh(awaited => 1, on_unsure => sub { push @unsure, @_ }, on_short => sub { push @short, "@_" });
	(@unsure, @short) = ();
	ok(!comes(shift @texts // ''), 'nothing is read before rank 0 has said from where it goes on');
	$stdin->before(7, $read);
	$stdin->go_on(7);
	$loop->turn;
	comes($_) for @texts;
	return $given;
}

fresh();
$stdin->committed(1);
is_deeply($known, {1 => 0}, 'where no input has come it is known of any line that none was read');
comes('abcdef');
$stdin->measured(2, 2) for 1, 2;
$stdin->committed(2);
is_deeply($known, {1 => 0}, '... and of one that was measured');
$stdin->saved(2, 2);
is_deeply($known, {1 => 0, 2 => 2}, '... what was');
line(3, 3, 2, 3);
is_deeply($known, {1 => 0, 2 => 2}, '... but not of one while which it read');
line(2, 4, 3, 4);
is_deeply($known, {1 => 0}, '... nor of one whose number came again');

is(restored({ 7 => 4 }, 'abc', 'def', 'ghi'), 'efghi', 'what the image has read is left out');
is("@unsure@short", '', '... without a word');
line(8, 1, 1, 1);
is_deeply($known, {7 => 4, 8 => 5}, '... and counts in its own lines');
is(again_from(8), 'fghi', '... from which it may go on');
is(again_from(7), 'efghi', '... as from the first');
is(restored({ 7 => 0 }, 'abc'), 'abc', 'it had read nothing');
is("@unsure", '', '... without a word');
for my $case ([ { 6 => 2 }, 'nothing is known of that line' ], [ undef, 'nothing is known' ]) {
	my ($read, $why) = @$case;
	is(restored($read, 'abc'), 'abc', "$why: all of it");
	is("@unsure", 7, '... which is told');
}
fresh(awaited => 1, on_unsure => sub { push @unsure, @_ });
@unsure = ();
$stdin->before(7, undef);
$stdin->go_on(7);
close $feed;
$loop->turn;
is("$ends@unsure", 1, '... but not where there is no input');
restored({ 7 => 4 });
$stdin->committed(8);
line(9, 1, 0, 0);
is_deeply($known, {7 => 4, 9 => 4}, 'where none comes again, lines that are measured have what was read');
restored({ 7 => 4 }, 'abc');
close $feed;
$loop->turn;
is("$given|$ends|@short", '|1|7 4 3', 'an input that is shorter is told');
again_from(7);
is("$given|$ends|@short", '|2|7 4 3', '... once');
restored({ 7 => 3 }, 'abc');
close $feed;
$loop->turn;
is("$given|$ends|@short", '|1|', 'one that ends there is not');
fresh(keep => 0, awaited => 1);
$stdin->before(7, { 7 => 2 });
$stdin->go_on(7);
comes('abc');
is($given, 'c', 'also when nothing is kept');

# ---- the file that says so ----

my $folder = File::Temp->newdir('ftmpi-stdin-XXXXXX', TMPDIR => 1);
is(FTMPI::Launcher::InputRead::load("$folder"), undef, 'there is no file');
is(FTMPI::Launcher::InputRead::save("$folder", {}), undef, 'one that knows nothing');
is_deeply(FTMPI::Launcher::InputRead::load("$folder"), {}, '... is read');
is(FTMPI::Launcher::InputRead::save("$folder", { map { $_ => 3 * $_ } 1 .. 1500 }), undef, 'one of many lines');
is_deeply(FTMPI::Launcher::InputRead::load("$folder"), { map { $_ => 3 * $_ } 501 .. 1500 }, '... has the newest');
like(FTMPI::Launcher::InputRead::save("$folder/none", {}), qr/^cannot make \S+job\.input\.tmp: No such file/, 'a folder that is not there');
open my $file, '<', "$folder/job.input" or die "job.input: $!\n";
my $whole = join '', <$file>;
for my $damage ([ 'a digit', $whole =~ s/^line 501 1503$/line 501 1504/mr ], [ 'a line', $whole =~ s/^line 502 .*\n//mr ], [ 'its end', substr $whole, 0, -9 ], [ 'all but its sum', $whole =~ /^(sum .*\n)/m ], [ 'nothing left', '' ]) {
	my ($what, $text) = @$damage;
	isnt($text, $whole, "one that is damaged: $what");
	open my $damaged, '>', "$folder/job.input" or die "job.input: $!\n";
	print $damaged $text;
	close $damaged or die "job.input: $!\n";
	is_deeply(FTMPI::Launcher::InputRead::load("$folder"), {}, '... knows nothing');
}

done_testing;
