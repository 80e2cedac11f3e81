# SPDX-License-Identifier: BSD-3-Clause
#
# What heartbeats cost: the same job with them and without, in pairs.
package FTMPI::Bench::Beats;

use strict;
use warnings;

use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Peers        ();
use FTMPI::Bench::Process      ();

# Milliseconds between two beats; seconds of a job.
use constant { PERIOD => 100, PINGPONG => 0.6, PI => 1 };

# First guess of what PI takes, and points of a round.
use constant { SAMPLES => 40_000_000, EVERY => 4_000_000 };

# peer: ours; root, dir, limit; what, bytes, ranks; count: of pairs. Returns seconds or microseconds
# with and without heartbeats, of each pair; dies with a sentence. The order changes from pair to pair,
# so that what drifts does not count.
sub pairs
{
	my (%arg) = @_;
	my $job = $arg{what} eq 'heartbeat_pi' ? _pi(%arg) : _pingpong(%arg);
	my (@with, @without);
	for my $i (1 .. $arg{count}) {
		for my $on ($i % 2 ? (1, 0) : (0, 1)) {
			push @{ $on ? \@with : \@without }, $job->($on ? PERIOD : 0);
		}
	}
	return (\@with, \@without);
}

sub _pingpong
{
	my (%arg) = @_;
	my $pattern = qr/^steady $arg{bytes} (\d+(?:\.\d+)?)\z/;
	return sub { _job(\%arg, $_[0], $pattern, $arg{peer}{exe}, PINGPONG, "steady:$arg{bytes}") };
}

# As many points as take about PI seconds here.
sub _pi
{
	my (%arg) = @_;
	my $exe     = "$arg{root}/build/bin/pi";
	my $pattern = qr/^pi: right, .* (\d+\.\d+) s\z/;
	my $once    = _job(\%arg, 0, $pattern, $exe, SAMPLES, '-every', EVERY);
	my $samples = int SAMPLES * PI / ($once || 0.001);
	return sub { _job(\%arg, $_[0], $pattern, $exe, $samples, '-every', EVERY) };
}

# The number that the pattern finds.
sub _job
{
	my ($arg, $period, $pattern, @program) = @_;
	my $peer = $arg->{peer};
	my $done = FTMPI::Bench::Process::run(
		command => [ $peer->{run}[0], '-heartbeat', $period, '-n', $arg->{ranks}, @program ],
		env     => FTMPI::Bench::Peers::environment($peer),
		dir     => $arg->{dir},
		limit   => $arg->{limit},
	);
	die "$arg->{what}: $done->{why}\n" if $done->{state} ne 'ended';
	my ($number) = map { $_ =~ $pattern ? $1 : () } @{ $done->{out} };
	return $number // die "$arg->{what}: it printed no figure\n";
}

1;
