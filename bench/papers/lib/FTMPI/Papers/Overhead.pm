# SPDX-License-Identifier: BSD-3-Clause
#
# From the times of runs in turns to an overhead in per cent, and how sure it is. Pure. A run: { wall, cpu
# => { total => seconds, pieces => [seconds of each piece of the run] } }; wall is rank 0's, cpu that of
# all ranks together.
#
# On a shared machine whole runs differ by tens of per cent. The pieces of a run are the same work in
# every round, so of each the lower tenth over the rounds is taken, and these are summed: a run that
# nobody disturbed. What a checkpoint costs is in it, as it comes in the same piece each time. A
# measure is the name of a clock, wall or cpu, after one of
#
#	runs    the median of the ratios of pairs of runs in one round
#	pieces  the ratio of two undisturbed runs
#
# What the clock of the processors cannot see is waiting, but for its beginning, in which a rank looks
# and yields.
package FTMPI::Papers::Overhead;

use strict;
use warnings;

use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Stats        ();

use constant { PART => 0.1, SAMPLES => 400 };

my %HOW = (runs => \&_paired, pieces => \&_quiet);

# What the runs cost beyond those without, both in the order of the rounds: per cent, and (if there
# were enough rounds) between which bounds with 95 % certainty.
sub overhead
{
	my ($measure, $runs, $without) = @_;
	my ($how, $clock) = split / /, $measure;
	return map { 100 * ($_ - 1) } $HOW{$how}->(map { [ map { $_->{$clock} } @$_ ] } $runs, $without);
}

sub _paired
{
	my ($runs, $without) = @_;
	my @ratios = map { $runs->[$_]{total} / $without->[$_]{total} } grep { $without->[$_]{total} } 0 .. _last($runs, $without);
	return if !@ratios;
	return (FTMPI::Bench::Stats::median(@ratios), FTMPI::Bench::Distribution::median_bounds(@ratios));
}

sub _last
{
	my ($runs, $without) = @_;
	return $#$runs < $#$without ? $#$runs : $#$without;
}

# Seconds of an undisturbed run, by the clock of these.
sub quiet_time
{
	my (@runs) = @_;
	my $sum = 0;
	for my $i (0 .. $#{ $runs[0]{pieces} }) {
		$sum += FTMPI::Bench::Distribution::quantile(PART, map { $_->{pieces}[$i] } @runs);
	}
	return $sum;
}

# Bounds by the bootstrap: rounds are drawn again and again from those that were.
sub _quiet
{
	my ($runs, $without) = @_;
	my $last = _last($runs, $without);
	return if $last < 0;
	my $ratio = sub { quiet_time(@$runs[@_]) / quiet_time(@$without[@_]) };
	my $value = $ratio->(0 .. $last);
	return $value if $last < 5;
	my $state = 1;
	my @again;
	for (1 .. SAMPLES) {
		my @rounds = map { $state = ($state * 1103515245 + 12345) % 2**31; int $state / 2**31 * ($last + 1) } 0 .. $last;
		push @again, $ratio->(@rounds);
	}
	return ($value, map { FTMPI::Bench::Distribution::quantile($_, @again) } 0.025, 0.975);
}

# "1.2 (0.8 to 1.7)"
sub words
{
	my ($value, @bounds) = @_;
	return '-' if !defined $value;
	my @words = map { sprintf('%.1f', $_) =~ s/^-(0\.0)\z/$1/r } $value, @bounds;
	return @bounds ? "$words[0] ($words[1] to $words[2])" : $words[0];
}

1;
