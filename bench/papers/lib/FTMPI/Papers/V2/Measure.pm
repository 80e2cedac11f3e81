# SPDX-License-Identifier: BSD-3-Clause
#
# The cases of message logging: the same with -coord msglog and without a protocol, in pairs.
package FTMPI::Papers::V2::Measure;

use strict;
use warnings;

use FTMPI::Bench::Cases      ();
use FTMPI::Bench::Hosts      ();
use FTMPI::Bench::Killed     ();
use FTMPI::Bench::Pairs      ();
use FTMPI::FixedAddresses    ();
use FTMPI::Papers::V2::Again ();
use FTMPI::Papers::V2::Cases ();
use FTMPI::Papers::V2::Job   ();

# LONG: seconds of long messages, all of which stay in memory. STEPS: of sweeps that are disturbed; INTERVAL: seconds between
# checkpoints of a rank, one rank after the other; WITHIN: the part of its usual time in which ranks are killed.
use constant { LONG => 0.1, STEPS => 400, INTERVAL => 0.5, WITHIN => 0.75 };

my @MSGLOG = qw(-coord msglog);
my %HOW    = (figure => \&_figures, again => \&FTMPI::Papers::V2::Again::measure, faults => \&_faults, calls => \&_calls);

# peer: ours, with its program built; root, dir, limit, rounds; shared: {}, what one case leaves for others; hosts, no_hosts:
# FTMPI::Bench::Hosts puts them there. Returns a row, as FTMPI::Bench::Results keeps it, and notes; dies
# with a sentence.
sub measure
{
	my ($arg, $case) = @_;
	FTMPI::Bench::Hosts::none_for($arg) if $case->{what} =~ m{/gbit\z};
	my ($operation, $transport) = FTMPI::Bench::Cases::parts($case->{what});
	my %job = (%$arg, %$case, what => $case->{id}, operation => $operation, transport => $transport);
	my ($values, @notes) = $HOW{ FTMPI::Papers::V2::Cases::kind($case) }->(\%job);
	my $state = %$values ? 'ok' : 'skipped';
	$values = { FTMPI => [] } if !%$values;
	return ({ %$case, values => $values, state => { map { $_ => $state } keys %$values } }, @notes);
}

sub _figures
{
	my ($arg) = @_;
	return ({}, "$arg->{what}: not measured: $arg->{no_hosts}.") if $arg->{transport} eq 'gbit' && defined $arg->{no_hosts};
	my $seconds = $arg->{unit} eq 'us' ? FTMPI::Bench::Cases::SECONDS : LONG;
	return FTMPI::Bench::Pairs::of($arg->{rounds}, \@MSGLOG, sub { FTMPI::Bench::Pairs::figure({ %$arg, seconds => $seconds }, @_) });
}

# ---- faults ----

# Seconds from the start of ftmpirun to its end.
sub _faults
{
	my ($arg) = @_;
	my $why = FTMPI::FixedAddresses::refuses(FTMPI::FixedAddresses::stack_here());
	return ({}, "$arg->{what}: not measured: $why.") if defined $why;
	my @words = ($arg->{edge} // FTMPI::Papers::V2::Cases::EDGE, '-steps', $arg->{steps} // STEPS);
	my %job   = (%$arg, options => [ qw(-image -ckpt-order random -ckpt-interval), $arg->{interval} // INTERVAL ],
		program => [ FTMPI::Papers::V2::Job::program($arg, 'sweeps'), @words ], right => qr/^(sweeps: right, .*)/);
	my $usual;
	my $restarts = 0;
	my $values   = FTMPI::Bench::Pairs::of($arg->{rounds}, \@MSGLOG, sub {
		return sprintf('%.3f', FTMPI::Papers::V2::Job::run($arg, [], 'sweeps', @words)->{seconds}) + 0 if !@_;
		$usual //= FTMPI::Bench::Killed::job(\%job) if $arg->{bytes};
		my $got = FTMPI::Bench::Killed::job(\%job, $usual, map { [ WITHIN * ($_ - rand) / $arg->{bytes}, 1 ] } 1 .. $arg->{bytes});
		$restarts += $got->{restarts};
		return $got->{whole};
	});
	$arg->{shared}{none} = $values->{FTMPI} if !$arg->{bytes};
	$values->{none} = $arg->{shared}{none} if $arg->{shared}{none};
	return ($values, "$arg->{what}: $restarts ranks began again in $arg->{rounds} jobs.");
}

# ---- calls ----

# From the lines of bench/papers/calls.c; undef when they are not there.
sub parsed_calls
{
	my (@lines) = @_;
	my %got = map { /^calls: (\w+) (\d+\.\d+) s, (\d+) calls\z/ ? ($1 => [ $2 + 0, $3 + 0 ]) : () } @lines;
	return keys %got == FTMPI::Papers::V2::Cases::GROUPS ? \%got : undef;
}

# The sums of all ranks, by groups: seconds with ("FTMPI send") and without logging ("floor send"), and how many they are ("calls send").
sub _calls
{
	my ($arg) = @_;
	my $program = $arg->{operation} eq 'calls_cg' ? 'calls_mpibench' : 'calls_sweeps';
	my $pairs   = FTMPI::Bench::Pairs::of($arg->{rounds}, \@MSGLOG, sub {
		my $done = FTMPI::Papers::V2::Job::run($arg, [@_], $program, @{ $arg->{words} });
		return parsed_calls(@{ $done->{out} }) // die "$arg->{what}: it printed no times of calls\n";
	});
	my %values;
	for my $group (FTMPI::Papers::V2::Cases::GROUPS) {
		$values{"$_ $group"} = [ map { $_->{$group}[0] } @{ $pairs->{$_} } ] for qw(FTMPI floor);
		$values{"calls $group"} = [ $pairs->{FTMPI}[0]{$group}[1] ];
	}
	return \%values;
}

1;
