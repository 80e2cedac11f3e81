#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What a restart means for one process of a rank: the decisions, as tables.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/../../lib";
use Test::More;

use FTMPI::Agent::Ranks          ();
use FTMPI::Agent::RestartInPlace ();
use FTMPI::Agent::Watchdog       ();

# A process that may begin again in place.
my %good = (
	state   => 'running', started => 1,   program => 1, finalized => 0, pid => 10, mpi_pid => 10,
	file    => '1:2',     runs    => '1:2', fed   => 0);

is(FTMPI::Agent::RestartInPlace::why_not({%good}), undef, 'a process may begin again in place');
for my $case (
	[ 'that was killed',                 qr/killed/,        state => 'doomed' ],
	[ 'that has not said PROGRAM',       qr/MPI_Init/,      program => 0 ],
	[ 'that has not said INITED',        qr/process id/,    mpi_pid => undef ],
	[ 'that said INITED for another',    qr/another process/, mpi_pid => 11 ],
	[ 'that has finalized',              qr/through with MPI/, finalized => 1 ],
	[ 'of another file',                 qr/another program/, runs => '1:3' ],
	[ 'that cannot be looked at',        qr/another program/, runs => undef ],
	[ 'that took input',                 qr/standard input/, fed => 1 ],
	[ 'that was sent START, and is silent', qr/MPI_Init/,   state => 'reexecuted', program => 0 ],
	[ 'that was sent START, and has not answered', qr/MPI_Init/, state => 'asked', program => 0 ],
	)
{
	my ($who, $why, %facts) = @$case;
	like(FTMPI::Agent::RestartInPlace::why_not({ %good, %facts }), $why, "not one $who");
}
for my $state (qw(asked reexecuted)) {
	is(FTMPI::Agent::RestartInPlace::why_not({ %good, state => $state, started => 0, program => 0 }),
		undef, "one that waits for START ($state) goes on to wait");
}

# State, whether START was sent, message => what is done, and the state then.
for my $case (
	[ 'running', 1, [ INITED     => 5 ],            'tell running' ],
	[ 'running', 1, [ LOST       => 1, 'reset' ],   'tell running' ],
	[ 'running', 1, [ RESTARTING => 3 ],            'lie running' ],
	[ 'asked',   0, [ LOST       => 1, 'reset' ],   'drop asked' ],
	[ 'asked',   1, [ FINALIZED  => () ],           'drop asked' ],
	[ 'asked',   0, [ RESTARTING => 2 ],            'drop asked' ],
	[ 'asked',   0, [ RESTARTING => 3 ],            'drop reexecuted' ],
	[ 'asked',   1, [ RESTARTING => 3 ],            'drop reexecuted' ],
	[ 'reexecuted', 1, [ PROGRAM    => 1 ],            'tell running' ],
	[ 'reexecuted', 0, [ PROGRAM    => 1 ],            'lie reexecuted' ],
	[ 'reexecuted', 1, [ RESTARTING => 3 ],            'lie reexecuted' ],
	[ 'doomed',  1, [ INITED     => 5 ],            'drop doomed' ],
	)
{
	my ($state, $started, $message, $want) = @$case;
	my $process = { state => $state, started => $started, asked_for => 3 };
	is(join(' ', FTMPI::Agent::RestartInPlace::heard($process, @$message)),
		$want, "$state" . ($started ? '' : ', no START') . ": @$message: $want");
}

# A loop whose timers are called by hand.
package Loop;
sub new     { return bless { timers => [] }, shift }
sub after   { my ($self, undef, $call) = @_; push @{ $self->{timers} }, $call; return $call }
sub turns   { my ($self, $n) = @_; (shift @{ $self->{timers} })->() for 1 .. $n; return }
sub on_read { return }

sub cancel
{
	my ($self, $call) = @_;
	@{ $self->{timers} } = grep { $_ != ($call // 0) } @{ $self->{timers} };
	return;
}

# A process that was asked to begin again.
package Asked;
sub new   { return bless { state => 'asked' }, shift }
sub state { return $_[0]{state} }
sub is_stuck { return $_[0]{state} eq 'asked' }
sub doom  { $_[0]{state} = 'doomed'; return }

package main;

sub silence
{
	my ($ms) = @_;
	my ($heard, $silent) = (0, 0);
	my $loop    = Loop->new;
	my $silence = FTMPI::Agent::Watchdog->new(
		loop      => $loop,
		ms        => $ms,
		heard     => sub { $heard },
		on_silent => sub { $silent++ });
	return ($silence, $loop, \$heard, \$silent);
}

my $turns = FTMPI::Agent::Watchdog::TURNS;
my ($silence, $loop, $heard, $silent) = silence(5000);
for (1 .. 3) {
	$loop->turns($turns - 1);
	is($$silent, 0, 'a silence that is not long enough');
	$$heard++;
	$loop->turns(1);
}
$loop->turns($turns - 1);
is($$silent, 0, '... is none');
$loop->turns(1);
is($$silent, 1, 'one that is, is noticed');
is(scalar @{ $loop->{timers} }, 0, '... once');

($silence, $loop, $heard, $silent) = silence(5000);
$loop->turns($turns - 1);
$silence->pause(1);
$loop->turns(3 * $turns);
is($$silent, 0, 'no silence is too long while the other is stopped');
$silence->pause(0);
$loop->turns($turns - 1);
is($$silent, 0, '... afterwards it begins from nothing');
$loop->turns(1);
is($$silent, 1, '... and counts');
($silence, $loop) = silence(0);
is(scalar @{ $loop->{timers} }, 0, '0 ms: nothing is counted at all');

# The time to answer does not run while the ranks are stopped.
$loop = Loop->new;
my $ranks   = FTMPI::Agent::Ranks->new(loop => $loop, tell => sub { });
my $process = $ranks->{ranks}{4} = Asked->new;
$ranks->suspend(1);
is(scalar @{ $loop->{timers} }, 0, 'no answer is awaited from those that are stopped');
$ranks->suspend(0);
is(scalar @{ $loop->{timers} }, 2, '... but afterwards, and that the program is loaded');
$ranks->suspend(1);
is(scalar @{ $loop->{timers} }, 0, '... until they are stopped again');
$ranks->suspend(0);
$loop->turns(1);
is($process->state, 'doomed', 'who does not answer is killed');

done_testing;
