# SPDX-License-Identifier: BSD-3-Clause
#
# What is measured of message logging, and what its inventors measured: data, and what follows from it alone.
#
# A case is "WHAT BYTES RANKS", as a row of bench/run: WHAT is over TCP, with /default through memory, and with /gbit between two
# hosts.
package FTMPI::Papers::V2::Cases;

use strict;
use warnings;

# The numbers below are those printed there, in sections 5.1 and 5.2 (table 1); of the figures the text says only words.
use constant SOURCE => 'Bouteiller, Cappello, Herault, Krawezik, Lemarinier, Magniette, "MPICH-V2: a Fault Tolerant MPI for Volatile'
	. ' Nodes based on Pessimistic Sender Based Message Logging", SC 2003';

# ROUNDS_MIB: what a rank sends at most in the ring, all of which stays in memory.
use constant { EDGE => 64, ROUNDS_MIB => 64, ROUNDS_MOST => 4000 };

my @SIZES = map { 1 << $_ } 10, 12, 14, 16, 18, 20, 22;
my %MOST  = ('' => 4 << 20, '/default' => 4 << 20, '/gbit' => 1 << 20);
my @RINGS = map { $_ << 10 } 1, 16, 64, 128;
my @FAULTS = (0, 1, 2, 3, 5, 7, 9);

# steps: of sweeps; words: behind its program.
my @CALLS = (
	{ what => 'calls_sweeps', bytes => EDGE, ranks => 9, unit => 's', words => [ EDGE, '-steps', 60 ] },
	{ what => 'calls_cg',     bytes => 256,  ranks => 8, unit => 's', words => [ 1,    'cg:256' ] },
);

# Those that were killed at once, in this order, in one job.
use constant KILLED => (1, 2, 4, 8);

# The groups of calls, as bench/papers/calls.c prints them, with their seconds without logging (MPICH-P4) and with it (MPICH-V2).
# They have no row of allreduce: NPB's CG sends its reductions by hand.
my %THEIR_CALLS = (
	calls_sweeps => { name => 'BT A 9', send => [ 44.9, 3.4 ], receive => [ 0.32,   0.32 ],   wait => [ 4,   17.5 ], total => [ 49.22, 21.22 ] },
	calls_cg     => { name => 'CG A 8', send => [ 3.5,  0.6 ], receive => [ 0.0038, 0.0130 ], wait => [ 1.6, 13.8 ], total => [ 5.1,   14.413 ] },
);
use constant GROUPS => qw(send receive wait allreduce);

# again, faults, calls, or figure: one of mpibench.
sub kind { return $_[0]{what} =~ /^(again|faults|calls)/ ? $1 : 'figure' }

sub their_calls { return $THEIR_CALLS{ $_[0] } }

# Without logging and with it, of a row; none of most.
sub theirs
{
	my ($row) = @_;
	return (77, 237)    if $row->{what} =~ /^pingpong\b/;
	my ($over) = $row->{what} =~ m{^bandwidth(/\w+)?\z} or return;
	return $row->{bytes} == $MOST{ $over // '' } ? (11.3, 10.7) : ();
}

sub all
{
	my @figures = map {
		my $over  = $_;
		my @sizes = grep { $_ <= $MOST{$over} } @SIZES;
		(
			{ what => "pingpong$over", bytes => 0, ranks => 2, unit => 'us' },
			map { my $what = $_; map { { what => "$what$over", bytes => $_, ranks => 2, unit => 'MB/s' } } @sizes } qw(bandwidth both_ways)
		)
	} sort keys %MOST;
	my @again  = map { { what => 'again/default',  bytes => $_, ranks => 8, unit => 's' } } @RINGS;
	my @faults = map { { what => 'faults/default', bytes => $_, ranks => 4, unit => 's' } } @FAULTS;
	return map { { %$_, id => "$_->{what} $_->{bytes} $_->{ranks}" } } @figures, @again, @faults, @CALLS;
}

# Those whose id the pattern matches; quick: one of each kind, over its default transport if it has one.
sub chosen
{
	my ($pattern, $quick) = @_;
	my %quick = map { $_ => 1 } 'pingpong/default 0 2', (map { "$_/default 65536 2" } qw(bandwidth both_ways)), 'again/default 16384 8',
		'faults/default 2 4', map { $_->{id} } grep { kind($_) eq 'calls' } all();
	return grep { $_->{id} =~ $pattern && (!$quick || $quick{ $_->{id} }) } all();
}

# So often the token of that size goes round.
sub rounds
{
	my ($bytes) = @_;
	my $rounds = int((ROUNDS_MIB << 20) / $bytes);
	return $rounds < ROUNDS_MOST ? $rounds : ROUNDS_MOST;
}

1;
