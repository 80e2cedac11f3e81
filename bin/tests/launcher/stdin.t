#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Standard input for a rank 0 that may begin again.
use strict;
use warnings;

use Test::More;

use Digest::SHA ();
use File::Temp  ();

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

my ($loop, $stdin, $feed, $given, $ends, $lost, $known, @gone);

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
		on_lost  => sub { $lost = $_[0] },
		on_sums  => sub { $known = { %{ $_[0] } } },
		on_gone  => sub { push @gone, @_ },
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
$stdin->noted(1, 1);
$stdin->committed(1);
is($lost, 1, '... nor is it mended by a line that needs it');
$stdin->noted(2, $sent + 2);
$stdin->committed(2);
is($lost, 0, '... but by one that does not');
$given = '';
$stdin->hold;
$stdin->await_line;
$stdin->go_on(2, $sent + 2);
is($given, 're', '... from which rank 0 goes on');
is($known->{ $sent + 2 }, Digest::SHA::sha256_hex('x' x $sent . 'mo'), '... and of which there is the sum');
fresh(keep => 0);
comes('abc');
$stdin->hold;
$stdin->rewind;
is("$given $lost", 'abc 0', 'nothing is kept when no rank 0 begins again');

# What the newest line had read is what may go first.
fresh();
($sent, @gone) = (0);
while (!$lost && $sent < 80 << 20) {
	syswrite $feed, $chunk;
	$loop->turn for 1 .. 2;
	$sent += length $chunk;
	$stdin->taken(length $chunk);
	next if $sent != 32 << 20;
	$stdin->noted($_, $sent - 10 * $_) for 1 .. 3;
	$stdin->committed(1);
	$stdin->committed(2);
}
is($lost, 0, 'of more than 64 MiB what the newest committed line had read is not needed');
is($stdin->{base}, (32 << 20) - 20, '... and is not kept');
$given = '';
$stdin->hold;
$stdin->await_line;
$stdin->go_on(3, (32 << 20) - 20);
is(length $given, FTMPI::Launcher::Stdin::WINDOW, '... what follows that is given again');
$stdin->hold;
$stdin->await_line;
$stdin->go_on(1, (32 << 20) - 30);
is("@gone", (32 << 20) - 30, '... and an older line is one that the job cannot go on from');

# ---- a rank 0 that goes on from the image of its process ----

my (@unsure, @short, @other);

# What it gets when it goes on from this line, which has read so much.
sub again_from
{
	my ($line, $read) = @_;
	($given, @unsure) = ('');
	$stdin->hold;
	$stdin->go_on($line, 1);
	$stdin->await_line;
	$stdin->taken(1);
	is($given, '', 'nothing before it has said from where it goes on, in this epoch');
	$stdin->go_on($line, $read);
	return $given;
}

fresh(on_unsure => sub { push @unsure, @_ });
comes('abcdefghi');
is(again_from(1, 2), 'cdefghi', 'what its image has not read');
is("@unsure", '', '... which is certain');
$stdin->go_on(2, 0);
is($given, 'cdefghi', '... and said once');
is(again_from(2, undef), 'abcdefghi', 'where nobody knows: all again');
is("@unsure", 2, '... which is told');
is(again_from(undef), 'abcdefghi', 'it goes on from no line: all again');
is("@unsure", '', '... as is right');
is(again_from(6, 9), '', 'it had read all');
comes('j');
is($given, 'j', '... and gets what comes then');
fresh(on_unsure => sub { push @unsure, @_ });
is(again_from(1, undef), '', 'where there was no input');
is("@unsure", '', '... nothing is unsure');

fresh();
$stdin->noted($_, 0) for 1 .. 100;
is(scalar keys %{ $stdin->{noted} }, FTMPI::Launcher::Stdin::NOTED, 'lines that were never committed are forgotten');
comes('x' x 2000);
for (1 .. 1200) {
	$stdin->noted($_, $_);
	$stdin->committed($_);
}
is(scalar keys %{ $stdin->{noted} }, 0, '... as are those that were');
is(scalar keys %$known, FTMPI::Launcher::Stdin::SUMS, '... and what lines of long ago had read');

# Nobody knew of the line.
fresh();
ok($stdin->await_late, 'a line of which nobody knew: where no input has come');
comes('abc');
is($given, '', '... rank 0 says first how much it has read');
$stdin->go_on(1, 1);
$loop->turn;
is($given, 'bc', '... and gets the rest');
fresh();
comes('abc');
ok(!$stdin->await_late, '... and where it was given some nothing can be done');

# ---- a rank 0 that goes on from a line of an earlier job ----

# Its launcher is given this input; what the line had read, and what is known of that.
sub restored
{
	my ($read, $sums, @texts) = @_;
	(@unsure, @short, @other) = ();
	fresh(awaited => 1, on_unsure => sub { push @unsure, @_ }, on_short => sub { push @short, "@_" }, on_other => sub { push @other, "@_" });
	ok(!comes(shift @texts // ''), 'nothing is read before rank 0 has said from where it goes on');
	$stdin->expects($sums);
	$stdin->go_on(7, $read);
	$loop->turn;
	comes($_) for @texts;
	return $given;
}

fresh();
comes('abcdef');
for ([ 1, 0 ], [ 2, 2 ], [ 3, 5 ]) {
	$stdin->noted(@$_);
	$stdin->committed($_->[0]);
}
my %sums = map { $_ => Digest::SHA::sha256_hex(substr 'abcdef', 0, $_) } 0, 2, 5;
is_deeply($known, \%sums, 'of what committed lines have read there are sums');
again_from(2, 2);
$stdin->noted(3, 3);
$stdin->committed(3);
is_deeply($known, { (map { $_ => $sums{$_} } 0, 2), 3 => Digest::SHA::sha256_hex('abc') }, '... also when it has gone back');
$stdin->noted(4, undef);
$stdin->committed($_) for 4, 5;
is(scalar keys %$known, 3, '... but of none of which nobody knows');

is(restored(4, undef, 'abc', 'def', 'ghi'), 'efghi', 'what the image has read is left out');
is("@unsure@short@other", '', '... without a word');
is(again_from(8, 5), 'fghi', '... and counts in its own lines');
is(again_from(7, 4), 'efghi', '... as from the first');
is(restored(5, \%sums, 'abc', 'def'), 'f', 'it is the input that the image has read');
is("@other", '', '... as its sum says');
for my $texts ([qw(abc dxf)], [qw(bbcdef)]) {
	is(restored(5, \%sums, @$texts, 'more'), '', "it is another one, @$texts: nothing of it is given");
	is("@other", '7 5', '... which is told');
}
is(restored(2, \%sums, 'abx'), 'x', 'what follows may be another');
is("@other", '', '... without a word');
is(restored(0, \%sums, 'xyz'), 'xyz', 'where nothing was read, all');
is(restored(undef, \%sums, 'abc'), 'abc', 'nothing is known: all of it');
is("@unsure", 7, '... which is told');
restored(5, \%sums);
$stdin->noted(8, 5);
$stdin->committed(8);
is_deeply($known, { 5 => $sums{5} }, 'where none came its lines have the sum of the line before');
restored(4);
close $feed;
$loop->turn;
is("$given|$ends|@short", '|1|7 4 0', 'no input is told');
restored(4, \%sums, 'abc');
close $feed;
$loop->turn;
is("$given|$ends|@short", '|1|7 4 3', '... and one that is shorter');
again_from(7, 4);
is("$given|$ends|@short", '|2|7 4 3', '... once');
restored(3, undef, 'abc');
close $feed;
$loop->turn;
is("$given|$ends|@short", '|1|', 'one that ends there is not');
fresh(keep => 0, awaited => 1);
$stdin->go_on(7, 2);
comes('abc');
is($given, 'c', 'also when nothing is kept');

# ---- the file that says so ----

my $folder = File::Temp->newdir('ftmpi-stdin-XXXXXX', TMPDIR => 1);
is(FTMPI::Launcher::InputRead::load("$folder"), undef, 'there is no file');
is(FTMPI::Launcher::InputRead::save("$folder", {}), undef, 'one that knows nothing');
is_deeply(FTMPI::Launcher::InputRead::load("$folder"), {}, '... is read');
is(FTMPI::Launcher::InputRead::save("$folder", { map { $_ => sprintf '%064x', $_ } 1 .. 1500 }), undef, 'one of many lines');
is_deeply(FTMPI::Launcher::InputRead::load("$folder"), { map { $_ => sprintf '%064x', $_ } 501 .. 1500 }, '... has those that have read most');
like(FTMPI::Launcher::InputRead::save("$folder/none", {}), qr/^cannot make \S+job\.input\.tmp: No such file/, 'a folder that is not there');
open my $file, '<', "$folder/job.input" or die "job.input: $!\n";
my $whole = join '', <$file>;
for my $damage ([ 'a digit', $whole =~ s/^read 501 /read 502 /mr ], [ 'a line', $whole =~ s/^read 502 .*\n//mr ], [ 'its end', substr $whole, 0, -9 ], [ 'all but its sum', $whole =~ /^(sum .*\n)/m ], [ 'nothing left', '' ]) {
	my ($what, $text) = @$damage;
	isnt($text, $whole, "one that is damaged: $what");
	open my $damaged, '>', "$folder/job.input" or die "job.input: $!\n";
	print $damaged $text;
	close $damaged or die "job.input: $!\n";
	is_deeply(FTMPI::Launcher::InputRead::load("$folder"), {}, '... knows nothing');
}

done_testing;
