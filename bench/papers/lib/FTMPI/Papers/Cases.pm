# SPDX-License-Identifier: BSD-3-Clause
#
# What is measured, and what others measured: data, and what follows from it alone.
package FTMPI::Papers::Cases;

use strict;
use warnings;

use constant LINES => 4;    # of a run

# From: Peng Zhao, libELC - A Portable Library Enabling Fault Tolerance of MPI Programs in Heterogeneous
# Environments, M.Sc. thesis, National University of Ireland, Dublin, January 2005, chapter 5. The
# overheads are those printed there, in per cent of the mean time without the library ("seconds"). Peng
# and Lastovetsky, "Event Logging" (the paper), has the same runs but for laplace; what it gives for gauss
# is the difference of the two overheads.
use constant SOURCE => 'Zhao, libELC, M.Sc. thesis, NUI Dublin 2005, chapter 5';

# size: what grows, as it is given to ours and as theirs is told; steps: of ours. theirs: table, size,
# ranks, seconds, overhead in protocol and checkpoint mode; for matmul with tagging in place of
# checkpoint.
my @CASES = (
	{ program => 'gauss', ranks => 4, size => '1400', steps => 1400, theirs => [ 5, '4000', 4, 349.4, 12.25, 34.45 ] },
	{ program => 'gauss', ranks => 4, size => '1700', steps => 1700, theirs => [ 6, '8000', 4, 1160.2, 7.42, 11.25 ] },
	{ program => 'gauss', ranks => 4, size => '2000', steps => 2000, theirs => [ 7, '16000', 4, 5468.0, 0.2, 2.15 ] },
	{ program => 'laplace', ranks => 4, size => '512', more => [qw(-steps 2500)], steps => 2500,
		theirs => [ 9, '512', 4, 496.4, 4.35, 8.98 ] },
	{ program => 'laplace', ranks => 16, size => '512', more => [qw(-steps 1000)], steps => 1000,
		theirs => [ 11, '512', 16, 592.3, 3.58, 6.50 ] },
	{ program => 'laplace', ranks => 16, size => '1024', more => [qw(-steps 400)], steps => 400,
		theirs => [ 12, '1024', 16, 1673.9, 1.21, 2.43 ] },
	{ program => 'neurons', ranks => 4, size => '64', more => [qw(-steps 5000)], steps => 5000,
		theirs => [ 14, '64', 4, 607.5, 27.04, 29.44 ] },
	{ program => 'neurons', ranks => 8, size => '64', more => [qw(-steps 2500)], steps => 2500,
		theirs => [ 16, '64', 8, 208.5, 5.18, 9.94 ] },
	{ program => 'neurons', ranks => 16, size => '64', more => [qw(-steps 1000)], steps => 1000,
		theirs => [ 18, '64', 16, 69.8, 1.30, 7.38 ] },
	{ program => 'disks', ranks => 2, size => '16', more => [qw(-sweeps 3000)], steps => 4800,
		theirs => [ 20, '16', 2, 134.5, 24.87, 33.15 ] },
	{ program => 'disks', ranks => 2, size => '32', more => [qw(-sweeps 1000)], steps => 1600,
		theirs => [ 21, '32', 2, 964.9, 15.86, 23.83 ] },
	{ program => 'disks', ranks => 2, size => '32', more => [qw(-sweeps 2000)], steps => 3200,
		theirs => [ 22, '32', 2, 2014.3, 11.77, 14.32 ] },
	{ program => 'matmul', ranks => 5, size => '512', more => [qw(-times 12)], steps => 12 * 128,
		theirs => [ 24, '512', 5, 32.6, 2.33, undef, 4.85 ] },
	{ program => 'matmul', ranks => 5, size => '1024', more => [qw(-times 2)], steps => 2 * 256,
		theirs => [ 25, '1024', 5, 121.4, 2.85, undef, 7.40 ] },
	{ program => 'matmul', ranks => 5, size => '2048', more => [qw(-times 1)], steps => 512,
		theirs => [ 26, '2048', 5, 545.7, 2.79, undef, 8.05 ] },
);

# In the order of a round. coord: of ftmpirun; lines: with checkpoints. "again" is the program as
# it is once more: what the measure makes of no difference at all.
my @MODES = (
	{ name => 'source',     coord => 'blocking' },
	{ name => 'protocol',   coord => 'eventlog' },
	{ name => 'checkpoint', coord => 'eventlog', lines => 1 },
	{ name => 'tagging',    coord => 'tagging', only => qr/^matmul\z/ },
	{ name => 'again',      coord => 'blocking' },
);

sub id
{
	my ($case) = @_;
	return join ' ', $case->{program}, $case->{size}, @{ $case->{more} // [] }, $case->{ranks};
}

sub all
{
	return map { { %$_, id => id($_), theirs => _theirs($_->{theirs}) } } @CASES;
}

sub _theirs
{
	my ($row) = @_;
	my %theirs;
	@theirs{qw(table size ranks seconds protocol checkpoint tagging)} = @$row;
	return \%theirs;
}

# Those whose id the pattern matches; quick: one of each program, the first.
sub chosen
{
	my ($pattern, $quick) = @_;
	my %seen;
	return grep { $_->{id} =~ $pattern && !($quick && $seen{ $_->{program} }++) } all();
}

sub modes
{
	my ($case) = @_;
	return grep { !$_->{only} || $case->{program} =~ $_->{only} } @MODES;
}

# So that there are LINES of them: after the last step there is none.
sub every
{
	my ($case) = @_;
	return int(($case->{steps} + LINES) / (LINES + 1));
}

# Words of ftmpirun: case, mode; bin (where the programs are), work (directory), from and to (pipes). Of the
# heartbeats, which cost the same in every mode, there are many when all of them are there at once.
sub words
{
	my ($case, $mode, %arg) = @_;
	return ('-coord', $mode->{coord}, '-heartbeat', 0, '-workdir', $arg{work}, '-n', $case->{ranks},
		"$arg{bin}/$case->{program}", $case->{size}, @{ $case->{more} // [] },
		'-clock', '-turn-from', $arg{from}, '-turn-to', $arg{to}, $mode->{lines} ? ('-ckpt', every($case)) : ());
}

1;
