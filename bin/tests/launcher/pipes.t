#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What is sent of the output of a rank that begins again alone: from where it goes on. And what is known of where it was
# at its checkpoints.
use strict;
use warnings;

use Test::More;

use FTMPI::Agent::Pipes ();
use FTMPI::Positions    ();

# A loop in which a pipe is read when the test says so.
{
	package Loop;
	sub new      { return bless { calls => {} }, $_[0] }
	sub on_read  { my ($self, $handle, $call) = @_; $self->{calls}{$handle} = $call; return }
	sub off_read { my ($self, $handle) = @_; delete $self->{calls}{$handle}; return }
	sub drop     { my ($self, $handle) = @_; delete $self->{calls}{$handle}; return }
	sub turn     { my ($self) = @_; $_->() for values %{ $self->{calls} }; return }
}

my ($loop, $pipes, $sent, %process);
my $is_data = 0;

sub fresh
{
	($loop, $sent) = (Loop->new, '');
	$pipes = FTMPI::Agent::Pipes->new(loop => $loop, tell => sub { my (undef, undef, undef, $bytes) = @_; $sent .= $bytes });
	$pipes->credit(1 << 20);
	$pipes->keeps if $is_data;
	return;
}

# A process of rank 3; says: what it says before its output is dealt with: sub (source).
sub begin
{
	my ($again, $says) = @_;
	%process = ();
	pipe my $reader, $process{writer} or die "pipe: $!\n";
	$process{source} = $pipes->add(3, $again, 1 => $reader);
	my $source = $process{source};
	$pipes->listen_first($source, sub { $process{listened}++; $says->($source) }) if $says;
	return;
}

sub prints { my ($text) = @_; syswrite $process{writer}, $text; $loop->turn; return }

# It ends. Returns what was sent of all processes.
sub ends { close $process{writer}; $pipes->finish($process{source}); return $sent }

sub stands { my ($n) = @_; return $pipes->stands($process{source}, $n) }
sub goes_on { my ($n) = @_; return sub { $pipes->goes_on($_[0], $n) } }

# It has printed so much at its checkpoint 1, and more behind it.
sub begun
{
	fresh();
	begin(0);
	prints('abc');
	my $at = stands(1);
	prints('defg');
	ends();
	return $at;
}

is(begun(), 3, 'where a rank is when it stands');
begin(1);
prints('abcdefghi');
is(ends(), 'abcdefghi', 'one that begins at its beginning prints again, but nothing is sent twice');

begun();
begin(1, goes_on(1));
prints('def');
prints('ghi');
is(ends(), 'abcdefghi', 'one that goes on from its checkpoint prints from there');
is($process{listened}, 1, '... which it is asked for once');
begun();
begin(1, goes_on(1));
prints('defghijk');
is(stands(2), 11, 'positions count from the beginning, whatever was dropped');
ends();
begin(1, goes_on(2));
prints('lm');
is(ends(), 'abcdefghijklm', '... also those of the next process');
begin(1, goes_on(2));
prints('lmn');
is(ends(), 'abcdefghijklmn', '... and of one more');

begun();
begin(1, goes_on(1));
prints('de');
is(stands(2), 5, 'one that prints again is where its process is');
prints('fg');
ends();
begin(1, goes_on(2));
prints('fgh');
is(ends(), 'abcdefgh', '... and goes on from there');

# In the job of another launcher: a script prints before the rank says from where it goes on.
fresh();
begin(0);
prints('ab');
$pipes->goes_on($process{source}, 7);
prints('cd');
ends();
begin(1);
prints('a');
prints('b');
$pipes->goes_on($process{source}, 7);
prints('cdef');
is(ends(), 'abcdef', 'a job that goes on: what a script prints first counts');

# What is in the pipe is printed.
fresh();
$pipes->credit(-(1 << 20) + 3);
begin(0);
prints('abc');
syswrite $process{writer}, 'defgh';
is(stands(1), 8, 'what nobody has read yet counts');
is($sent, 'abc', '... which is not sent for that');
close $process{writer};
is(stands(2), 8, '... nor does it matter that the pipe is closed');
$pipes->credit(1 << 20);
ends();
is($pipes->stands($process{source}, 3), 8, 'where there is no pipe any more');
begin(1, goes_on(1));
prints('ij');
is(ends(), 'abcdefghij', '... it goes on behind that');

# What comes before it has said that.
begun();
my $word = sub { };
begin(1, sub { $word->(@_) });
prints('ab');
is($sent, 'abcdefg', 'what comes before it has said where it goes on is that of its beginning');
$word = goes_on(1);
prints('defgh');
is(ends(), 'abcdefgh', '... and then from there');
is($process{listened}, 2, '... for which it is listened to each time');
begun();
begin(1, sub { $pipes->begins($_[0]) });
prints('abcd');
$pipes->goes_on($process{source}, 1);
prints('efgh');
is(ends(), 'abcdefgh', 'one that has come to MPI_Init goes on from nowhere');
is($process{listened}, 1, '... and is not listened to any more');
begun();
begin(1, goes_on(1));
prints('de');
$pipes->goes_on($process{source}, 1);
prints('fgh');
is(ends(), 'abcdefgh', 'what it says again means nothing');
begun();
begin(1, goes_on(0));
prints('abcdefgh');
is(ends(), 'abcdefgh', 'number 0 is its beginning');
begun();
begin(1, goes_on(9));
prints('xyz');
is(ends(), 'abcdefgxyz', 'where it is not known where it was nothing is dropped');
begun();
pipe my $err, my $complains or die "pipe: $!\n";
my $listened = 0;
$pipes->listen_first($pipes->add(3, 1, 2 => $err), sub { $listened++ });
syswrite $complains, 'oh';
$loop->turn;
is("$sent $listened", 'abcdefgoh 0', 'of standard error nothing is dropped, so nobody is asked');

# On another host.
fresh();
$pipes->printed(3, 7, '1=3:2=5');
begin(1, goes_on(2));
prints('fgh');
is($sent, 'h', 'where it was before matters elsewhere, too');
is(stands(3), 8, '... and is counted from the beginning');
ends();
fresh();
$pipes->printed(3, 7, '1=3:2=9');
begin(1, goes_on(2));
prints('jk');
is($sent, 'jk', 'what it had printed there and was not sent is lost');
is(stands(3), 11, '... and counts');
ends();
fresh();
$pipes->printed(3, 7, '');
begin(1);
prints('abcdefgh');
is(ends(), 'h', 'where it had no checkpoint');

# As often as it prints it.
fresh();
$pipes->repeats;
$pipes->printed(3, 7, '1=3:2=5');
begin(1, goes_on(2));
prints('fgh');
is($sent, 'fgh', 'what it prints again is sent again where the user wants that');
is(stands(3), 8, '... and counts once');
ends();

# ---- with data: the program runs from its beginning, and comes to its checkpoint in the middle of it ----

$is_data = 1;

# Its checkpoint 1 is at `at` of what it has printed of this text.
sub saved_at
{
	my ($at, $text) = @_;
	fresh();
	begin(0);
	prints(substr $text, 0, $at);
	stands(1);
	$pipes->committed(3, 1);
	prints(substr $text, $at);
	ends();
	return;
}

# It says that it has come to its checkpoint n, and stands there; unread: what it has printed last and nobody has read. Returns what it is told to have printed.
sub comes_to
{
	my ($n, $unread) = @_;
	syswrite $process{writer}, $unread if length $unread;
	$pipes->restored($process{source}, $n);
	return stands($n);
}

for my $unread ('', 'b', 'ab') {
	my $what = length $unread ? "'$unread' is unread" : 'all is read';
	saved_at(4, 'abcdefg');
	begin(1);
	prints(substr 'ab', 0, 2 - length $unread);
	is(comes_to(1, $unread), 4, "where data are restored it is where it was at its checkpoint, $what");
	is($sent, 'abcdefg', '... what it has printed before that is left out');
	prints('efghi');
	is($sent, 'abcdefghi', '... and of what it prints then as much as was sent');
	is(stands(2), 9, '... which counts');
	ends();
	begin(1);
	prints('ab');
	is(comes_to(2, ''), 9, '... and at the next one, too');
	prints('jk');
	is(ends(), 'abcdefghijk', '... nothing is left out that was not sent');
}

# What it prints first is more than was sent of it, on the host that was lost with the rest of that.
for my $unread ('', 'e', 'bcde', 'abcde') {
	my $what = length $unread ? "'$unread' is unread" : 'all is read';
	fresh();
	$pipes->printed(3, 2, '1=7');
	begin(1);
	prints(substr 'abcde', 0, 5 - length $unread);
	is(comes_to(1, $unread), 7, "a beginning that is longer than what was sent, $what");
	is($sent, 'cde', '... is sent as far as it was not');
	prints('hijkl');
	is($sent, 'cdehijkl', '... and what was lost behind it is lost');
	is(stands(2), 12, '... and counts');
	ends();
	begin(1);
	prints('abcde');
	is(comes_to(1, ''), 7, '... also when it comes there once more');
	prints('hijklm');
	is(ends(), 'cdehijklm', '... where no more is left out than was sent');
}

# It prints more, and less, before its checkpoint than it did then.
saved_at(2, 'abcd');
begin(1);
is(comes_to(1, 'XYZ'), 2, 'a beginning that is longer than it was');
prints('cdef');
is(ends(), 'abcdef', '... is left out, and what comes behind it as far as it was sent');
saved_at(2, 'abcd');
begin(1);
is(comes_to(1, 'XYZUVW'), 2, 'one that is longer than all');
prints('cdef');
is(ends(), 'abcdVWcdef', '... nothing of what comes behind it, which is not what was sent there');

# It prints something else behind its checkpoint than it did then, as what it had printed because it made that.
saved_at(6, "one 1\nsaved\none 2\none 3\non");
begin(1);
is(comes_to(1, "one 1\n"), 6, 'one that does not say again that it has saved');
prints("one 2\none");
is($sent, "one 1\nsaved\none 2\none 3\nonone 2\none", '... has all printed that comes behind it');
ends();
saved_at(6, "one 1\none 2\none 3\non");
begin(1);
is(comes_to(1, "one 1\n"), 6, 'one that comes to something else later');
prints("one 2\non");
is($sent, "one 1\none 2\none 3\non", '... has nothing printed as long as it is the same');
is(stands(2), 14, '... though it counts');
prints("e 4\none 5\n");
is($sent, "one 1\none 2\none 3\nonone 4\none 5\n", '... and whole lines from there on');
is(stands(3), 24, '... which count');
$pipes->committed(3, 3);
prints("one 6\n");
ends();
begin(1);
prints("one 1\n");
is(comes_to(3, ''), 24, '... as it is seen when it comes back once more');
prints("one 6\none 7\n");
is(ends(), "one 1\none 2\none 3\nonone 4\none 5\none 6\none 7\n", '... to where it was then');

# Its checkpoint came to nothing, and so it does not say again that it has saved: it runs from its beginning.
for my $more (0, 1) {
	fresh();
	begin(0);
	prints("one 1\n");
	stands(1);
	prints("saved\none 2\non");
	ends();
	begin(1);
	prints("one");
	is(stands(2), 3, 'at its beginning, where no checkpoint is committed, it is where its process is') if $more;
	prints(" 1\n");
	is($sent, "one 1\nsaved\none 2\non", '... and has nothing printed twice');
	prints("one 2\no");
	is($sent, "one 1\nsaved\none 2\nonone 2\no", '... but what comes in place of what its checkpoint was told with');
	is(stands(3), 13, '... and counts');
	ends();
	begin(1);
	prints("one 1\none 2\none 3\n");
	is(ends(), "one 1\nsaved\none 2\nonone 2\none 3\n", '... once, if that comes to nothing, too');
}

# More was printed than is kept: nothing is lost, and what was printed behind the checkpoint is printed twice.
fresh();
$pipes->credit(1 << 23);
begin(0);
my @lines = map { "line $_ " . 'x' x 100 . "\n" } 1 .. 12_000;
prints("begin\n");
stands(1);
prints("saved\n");
prints($_) for @lines;
ends();
begin(1);
prints($_) for "begin\n", @lines;
ok(ends() eq join('', "begin\n", "saved\n", @lines, @lines), 'behind a checkpoint that came to nothing more was printed than is kept');

# On another host: what was printed there is not known here.
fresh();
$pipes->printed(3, 24, '1=6');
begin(1);
prints("one 1\none 2\none 3\none 4\n");
is(ends(), "one 2\none 3\none 4\n", 'a rank that moved, whose checkpoint came to nothing: nothing is lost');

# One that never made any prints what it printed before, or as much: it may print times.
fresh();
begin(0);
prints("0.1 s\n0.2 s\n");
ends();
begin(1);
prints("0.3 s\n0.4 s\n0.5 s\n");
is(ends(), "0.1 s\n0.2 s\n0.5 s\n", 'a rank without any checkpoint: as many bytes are left out');

# It makes a checkpoint before all was read that it has printed again, which is something else then.
saved_at(2, "a\nb\nc\n");
begin(1);
is(comes_to(1, "a\n"), 2, 'one that saves while it prints again');
syswrite $process{writer}, "b\nc\n";
is(stands(2), 6, '... is where it was');
$pipes->committed(3, 2);
prints("d\n");
is($sent, "a\nb\nc\nd\n", '... and nothing is printed twice');
ends();
saved_at(2, "a\nbcdefgh\n");
begin(1);
is(comes_to(1, "a\n"), 2, 'one that saves behind something else');
syswrite $process{writer}, "xyzxyzxyz\n";
is(stands(2), 12, '... which nobody has read');
prints("last\n");
$pipes->committed(3, 2);
ends();
begin(1);
is(comes_to(2, "a\n"), 12, '... comes back to where it was');
prints("last\nend\n");
is(ends(), "a\nbcdefgh\nxyzxyzxyz\nlast\nend\n", '... and nothing is printed twice');
saved_at(2, "a\nbcdefgh\n");
begin(1);
comes_to(1, "a\n");
syswrite $process{writer}, "bcdefgx\n";
is(stands(2), 10, 'one whose checkpoint is durable before what it has printed is read');
$pipes->committed(3, 2);
prints("y\n");
is(ends(), "a\nbcdefgh\nbcdefgx\ny\n", '... loses nothing');

# It fails while it prints again what it had printed.
saved_at(2, 'abcdefghij');
begin(1);
is(comes_to(1, 'ab'), 2, 'one that fails again');
prints('cde');
ends();
begin(1);
is(comes_to(1, 'ab'), 2, '... before it is where it was');
prints('cdefghijkl');
is(ends(), 'abcdefghijkl', '... prints nothing twice');

# Where nobody knows where it was.
fresh();
begin(0);
is(comes_to(7, 'ab'), 2, 'in the job of another launcher it is where it comes to its checkpoint');
prints('cd');
is($sent, 'abcd', '... and nothing is left out');
ends();
begin(1);
prints('a');
is(comes_to(7, 'b'), 2, '... which is known when it comes there again');
prints('cdef');
stands($_) for 8 .. 20;
ends();
begin(1);
is(comes_to(7, 'ab'), 2, '... also when others were made that are not committed');
prints('cdefg');
is(ends(), 'abcdefg', '... so what was sent is left out');
fresh();
$pipes->printed(3, 5, '');
begin(1);
is(comes_to(7, 'abc'), 5, 'on a host that does not know where it was');
prints('xyz');
is(ends(), 'xyz', '... its beginning is left out, and nothing behind it');
begun();
begin(1);
prints('ab');
is(comes_to(7, 'c'), 7, '... nor where it is known of another checkpoint');
prints('xyz');
is(ends(), 'abcdefgxyz', '... is anything left out');

# It fails before it comes there; it says that once.
saved_at(4, 'abcdefg');
begin(1);
prints('ab');
ends();
begin(1);
is(comes_to(1, 'ab'), 4, 'one that has failed on its way');
prints('efg');
is(stands(1), 7, '... says once that it has come there');
is(ends(), 'abcdefg', '... and nothing is sent twice');
saved_at(4, 'abcdefg');
begin(1);
$pipes->restored($process{source}, 1);
syswrite $process{writer}, 'ab';
is(stands(2), 2, 'one that stands for another one has not come there');
is(ends(), 'abcdefg', '... nor does anything change');

# Without credit; as often as it prints it; without a pipe.
saved_at(4, 'abcdefg');
$pipes->credit(-(1 << 20));
begin(1);
is(comes_to(1, 'abXYZUVW'), 4, 'what it has printed does not wait for credit');
is($sent, 'abcdefgW', '... which is sent');
syswrite $process{writer}, 'efgW!';
$loop->turn;
is($sent, 'abcdefgW', '... as what comes behind it is not');
$pipes->credit(1 << 21);
$loop->turn;
is(ends(), 'abcdefgW!', '... and what was sent is left out of that');
fresh();
$pipes->repeats;
$pipes->printed(3, 7, '1=4');
begin(1);
is(comes_to(1, 'ab'), 4, 'where the user wants to see it again');
prints('efgh');
is($sent, 'abefgh', '... nothing is left out');
is(stands(2), 8, '... and it counts once');
ends();
saved_at(4, 'abcdefg');
begin(1);
prints('ab');
ends();
$pipes->restored($process{source}, 1);
is(stands(1), 4, 'one that has closed its standard output');

# ---- what is known of positions ----

my $known = FTMPI::Positions->new;
$known->note($_, 10 * $_) for 3, 5;
is($known->text, '3=30:5=50', 'positions');
is_deeply([ map { $known->of($_) } 0, 3, 4, 5 ], [ 0, 30, undef, 50 ], '... of what is known, and the beginning');
$known->committed(4);
is($known->text, '3=30:5=50', '... of which one that is not known changes nothing');
$known->committed(3);
$known->note($_, 10 * $_) for 6 .. 20;
is($known->text, '3=30:' . join(':', map { "$_=${_}0" } 14 .. 20), 'no more than there is room for: the one that is committed, and the newest');
$known->committed(16);
is($known->text, join(':', map { "$_=${_}0" } 16 .. 20), '... what is older than the one that is committed is forgotten');
$known->committed(14);
$known->note(14, 1);
$known->committed(14);
is($known->of(16), 160, '... and not for an older one');
$known->note($_, 10 * $_) for 30 .. 40;
is($known->of(16), 160, '... which is not kept in its place');
$known->note(41, undef);
is_deeply([ $known->of(41), FTMPI::Positions->from_text($known->text)->of(40) ], [ undef, 400 ], 'what nobody knows is not told');
is(FTMPI::Positions->from_text('1=2:x=3:4=:5=6=7:8=9')->text, '1=2:8=9', 'nor is rubbish taken');
is(FTMPI::Positions->from_text(join ':', map { "$_=1" } 1 .. 100)->text, join(':', map { "$_=1" } 93 .. 100), '... or without end');

done_testing;
