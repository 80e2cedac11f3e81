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

# The next timer is gone, or comes later than one that is new; one is set by a call of another.
@told = ();
my $next = $loop->after(0, sub { push @told, 'gone' });
$loop->after(0.001, sub { push @told, 'second'; $loop->after(0, sub { push @told, 'third' }) });
my $far = $loop->after(1000, sub { push @told, 'far' });
$loop->cancel($next);
$loop->cancel(undef);
$loop->turn until @told == 2;
is("@told", 'second third', 'timers, whichever is the next');
$loop->cancel($far);

# Soon is at the end of this turn, behind all else.
@told = ();
syswrite $writer, '.';
$loop->soon(sub { push @told, 'soon'; $loop->soon(sub { push @told, 'again' }) });
$loop->after(0, sub { push @told, 'timer' });
$loop->turn;
is("@told", 'read timer soon', 'what is to be soon');
$loop->turn;
is("@told", 'read timer soon again', '... what that wants soon is for the next turn, which does not sleep');

done_testing;
