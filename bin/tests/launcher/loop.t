#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The event loop: in what order things are called back.
use strict;
use warnings;

use Test::More;

use FTMPI::Loop ();

alarm 60;

# A shell that runs this in the background has SIGINT ignored.
$SIG{$_} = 'DEFAULT' for qw(INT TERM);

# A pipe that has something to read, opened before the loop has one of its own.
pipe my $reader, my $writer or die "pipe: $!";
syswrite $writer, '.';
my $loop = FTMPI::Loop->new;
my @told;
$loop->on_signal($_, eval "sub { push \@told, '$_' }") for qw(INT TERM);
$loop->on_read($reader, sub { sysread $reader, my $byte, 1; push @told, 'read' });
$loop->after(0, sub { push @told, 'timer' });
kill $_, $$ for qw(TERM INT INT);
$loop->turn;
is("@told", 'INT TERM read timer', 'signals that have come are first, each once');

# A call may turn the loop itself.
@told = ();
$loop->on_signal('INT', sub { push @told, 'INT'; kill 'TERM', $$; $loop->turn; push @told, 'back' });
kill $_, $$ for qw(TERM INT);
$loop->turn;
is("@told", 'INT TERM back', '... also where one of them turns the loop');

# The next timer is gone, or comes later than one that is new; one is set by a call of another. There are no turns in between.
@told = ();
my $next = $loop->after(0, sub { push @told, 'gone' });
$loop->after(0.001, sub { push @told, 'second'; $loop->after(0, sub { push @told, 'third' }) });
my $far = $loop->after(1000, sub { push @told, 'far' });
$loop->cancel($next);
$loop->cancel(undef);
my $turns = 0;
$turns++, $loop->turn until @told == 2;
is("@told", 'second third', 'timers, whichever is the next');
cmp_ok($turns, '<=', 4, '... and the loop sleeps until then');
$loop->after(0.01, sub { push @told, 'fourth' });
$turns = 0;
$turns++, $loop->turn until @told == 3;
cmp_ok($turns, '<=', 2, '... also behind one that has been');
$loop->cancel($far);

# What is deferred is done at the end of this turn, behind all else.
@told = ();
syswrite $writer, '.';
$loop->defer(sub { push @told, 'deferred'; $loop->defer(sub { push @told, 'again' }) });
$loop->after(0, sub { push @told, 'timer' });
$loop->turn;
is("@told", 'read timer deferred', 'deferred work');
$loop->turn;
is("@told", 'read timer deferred again', '... what that defers is for the next turn, which does not sleep');

done_testing;
