# SPDX-License-Identifier: BSD-3-Clause
#
# What it costs that messages are logged, in slices of one run (../slices): ping-pong, and the programs of
# bench/papers.
package FTMPI::Bench::Slices;

use strict;
use warnings;

use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Peers        ();
use FTMPI::Bench::Process      ();
use FTMPI::Bench::Stats        ();

# Heartbeats have rows of their own.
my @OPTIONS = qw(-coord eventlog -heartbeat 0);

# Of each row: the program's arguments, those of the first row of its kind in bench/papers.
my %WORDS = (
	protocol_pingpong => [800],
	protocol_gauss    => [1400],
	protocol_laplace  => [qw(512 -steps 2500)],
	protocol_neurons  => [qw(64 -steps 5000)],
	protocol_disks    => [qw(16 -sweeps 3000)],
	protocol_matmul   => [qw(512 -times 12)],
);

# peer: ours; root, dir, limit; what, ranks; count: jobs. Returns milliseconds with logging, and without, a
# value a job; dies with a sentence.
sub jobs
{
	my (%arg) = @_;
	my ($name) = $arg{what} =~ /^protocol_(\w+)/;
	my $exe = "$arg{root}/build/bin/slices_$name";
	die "$arg{what}: $exe is not built (make slices)\n" if !-x $exe;
	my @pairs = map { _job(\%arg, $exe, @{ $WORDS{ $arg{what} } }) } 1 .. $arg{count};
	return ([ map { $_->[0] } @pairs ], [ map { $_->[1] } @pairs ]);
}

sub _job
{
	my ($arg, @program) = @_;
	my $done = FTMPI::Bench::Process::run(
		command => [ $arg->{peer}{run}[0], @OPTIONS, '-n', $arg->{ranks}, @program ],
		env     => FTMPI::Bench::Peers::environment($arg->{peer}),
		dir     => $arg->{dir},
		limit   => $arg->{limit},
	);
	die "$arg->{what}: $done->{why}\n" if $done->{state} ne 'ended';
	return from_lines(@{ $done->{out} }) // die "$arg->{what}: it printed no figures\n";
}

# [with, without] in milliseconds, of the line "slices SECONDS SECONDS"; undef without one.
sub from_lines
{
	my ($pair) = map { /^slices (\d+\.\d+) (\d+\.\d+)\z/ && $2 > 0 ? [ 1000 * $1, 1000 * $2 ] : () } @_;
	return $pair;
}

# What is said of them besides the table.
sub note
{
	my ($row) = @_;
	my $sure = FTMPI::Bench::Distribution::certainty('runs', FTMPI::Bench::Stats::paired($row, 'floor'));
	return "$row->{what}: with logging over without, slices of the same run: $sure.";
}

1;
