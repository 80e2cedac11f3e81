#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# When the other side has been silent for too long, and when we are late ourselves: without a clock.
use strict;
use warnings;

use Test::More;

use FTMPI::Agent::Watchdog ();
use FTMPI::Lateness        ();
use FTMPI::Loop            ();

package Turns;
sub new   { return bless {}, shift }
sub after { my ($self, undef, $call) = @_; $self->{next} = $call; return }
sub turn  { my ($self) = @_; (delete $self->{next})->(); return }

package main;

# In how many turns it is silent, when so many ms are allowed at each.
sub silent_after
{
	my (@allowed) = @_;
	my ($loop, $silent) = (Turns->new, 0);
	my $silence = FTMPI::Agent::Watchdog->new(loop => $loop, ms => 4000, heard => sub { 0 }, on_silent => sub { $silent = 1 },
		@allowed ? (allowed => sub { @allowed > 1 ? shift @allowed : $allowed[0] }) : ());
	for my $turn (1 .. 99) {
		$loop->turn;
		return $turn if $silent;
	}
	return 0;
}

is(silent_after(), 8, 'eight turns are the limit');
is(silent_after(8000), 16, '... unless more is allowed');
is(silent_after(7900), 16, '... in whole turns');
is(silent_after(1000), 8, '... but never less');
is(silent_after((8000) x 10, 0), 11, '... until that is taken back');

# In how many turns it is silent, when it has an excuse in those of these numbers, and for so many ms at most, and is heard in
# that one (0: in none).
sub silent_in_spite_after
{
	my ($most, $heard, @excused) = @_;
	my ($loop, $silent, $turn) = (Turns->new, 0, 0);
	my $silence = FTMPI::Agent::Watchdog->new(loop => $loop, ms => 4000, heard => sub { $heard && $turn >= $heard ? 1 : 0 }, on_silent => sub { $silent = 1 },
		most_excused => $most, excused => sub { scalar grep { $turn == $_ } @excused });
	for (1 .. 99) {
		$turn = $_;
		$loop->turn;
		return $turn if $silent;
	}
	return 0;
}

is(silent_in_spite_after(60000, 0), 8, 'one that has no excuse');
is(silent_in_spite_after(60000, 0, 5), 13, 'its silence counts from its last excuse on');
is(silent_in_spite_after(60000, 0, 9), 8, '... which comes in time');
is(silent_in_spite_after(60000, 0, 1, 5, 12), 20, '... each of them');
is(silent_in_spite_after(5000, 0, 1 .. 99), 18, 'it is excused for so long, and no longer');
is(silent_in_spite_after(5000, 15, 1 .. 99), 33, '... since it was heard last');
is(silent_in_spite_after(0, 0, 1 .. 99), 8, '... or not at all');

# What was late lately.
my $teller = FTMPI::Lateness->new;
is(join(' ', map { $teller->late(@$_) } [ 0.1, 0 ], [ 0.1, 0.5 ], [ 0.9, 0.9 ], [ 0.2, 1.5 ], [ 0.2, 2 ]), '1 0 1 0 1',
	'others are told once a second, and at once of more');
my $lateness = FTMPI::Lateness->new;
is($lateness->allowance(0), 0, 'one that was never late is allowed nothing');
$lateness->late(0.5, 100);
is($lateness->allowance(100), 15, 'one that was is allowed more silence than that');
$lateness->late(0.1, 120);
is($lateness->allowance(179), 15, '... for the most that it was late');
is($lateness->allowance(180), 0, '... until it has been in time for a while');
$lateness->late(0.1, 200);
is($lateness->allowance(200), 3, '... and what was before is forgotten');

# A loop tells how late it is.
my ($now, @late) = (100);
{
	no warnings 'redefine';
	*FTMPI::Loop::now = sub { return $now };
}
my $loop = FTMPI::Loop->new;
$loop->on_late(0.25, sub { push @late, $_[0] });
$loop->after(1, sub { });
$now += 1.24;
$loop->_run_timers;
is("@late", '', 'a timer may be a little late');
$loop->after($_, sub { }) for 1, 2;
$now += 2.5;
$loop->_run_timers;
is("@late", '1.5', 'by how much the first of them is late is told');
@late = ();
my $ran = '';
my $first = $loop->after(1, sub { $ran .= 'first' });
$loop->after(1.1, sub { $ran .= 'second' });
$loop->on_late(0.25, sub { $loop->cancel($first); $loop->after(0, sub { $ran .= ' third' }); push @late, $_[0] });
$now += 2.5;
$loop->_run_timers;
is("@late $ran", '1.5 second third', 'who is told may cancel what is due, and add to it, before it is run');
@late = ();
$loop->after(1, sub { });
$loop->forgive;
$now += 600;
$loop->_run_timers;
is("@late", '', 'what was on purpose is not late');
$loop->after(1, sub { });
$now += 600;
$loop->_run_timers;
is("@late", '599', '... but that is over then');

done_testing;
