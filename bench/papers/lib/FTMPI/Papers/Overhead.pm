# SPDX-License-Identifier: BSD-3-Clause
#
# From the times of runs in turns to an overhead in per cent, and how sure it is. Pure. A run: { wall, cpu
# => { total => seconds, pieces => [seconds of each piece of the run] } }; wall is rank 0's, cpu that of
# all ranks together.
#
# A shared machine becomes faster and slower by tens of per cent from one second to the next. The jobs of
# a round take turns piece by piece, so pieces of the same number stand beside each other in time. A measure
# is the name of a clock, wall or cpu, after one of
#
#	pieces  of each piece the median over the rounds of the difference; the sum of these, over the time of
#	        a run. A burst that hits one piece of one round does not count; what a checkpoint costs
#	        does, as it comes in the same piece each time.
#	runs    the median over the rounds of the ratio of all pieces together
#
# What the clock of the processors cannot see is waiting, but for its beginning, in which a rank looks
# and yields.
package FTMPI::Papers::Overhead;

use strict;
use warnings;

use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Stats        ();

use constant SAMPLES => 400;

my %HOW = (runs => \&_by_runs, pieces => \&_by_pieces);

# What the runs cost beyond those without, both in the order of the rounds: per cent, and (if there
# were enough rounds) between which bounds with 95 % certainty.
sub overhead
{
	my ($measure, $runs, $without) = @_;
	my ($how, $clock) = split / /, $measure;
	return map { 100 * ($_ - 1) } $HOW{$how}->(map { [ map { $_->{$clock} } @$_ ] } $runs, $without);
}

sub _by_runs
{
	my ($runs, $without) = @_;
	my @rounds = grep { $runs->[$_]{total} > 0 && $without->[$_]{total} > 0 } 0 .. _last($runs, $without);
	# by logarithms, so that twice as long and half as long cancel out
	my @logs = map { log($runs->[$_]{total} / $without->[$_]{total}) } @rounds or return;
	return map { exp } FTMPI::Bench::Stats::median(@logs), FTMPI::Bench::Distribution::median_bounds(@logs);
}

sub _last
{
	my ($runs, $without) = @_;
	return $#$runs < $#$without ? $#$runs : $#$without;
}

# Bounds by the bootstrap: rounds are drawn again and again from those that were.
sub _by_pieces
{
	my ($runs, $without) = @_;
	my $last = _last($runs, $without);
	return if $last < 0;
	my $value = _of_rounds($runs, $without, 0 .. $last);
	return $value if $last < 5;
	my $state = 1;
	my @again;
	for (1 .. SAMPLES) {
		my @rounds = map { $state = ($state * 1103515245 + 12345) % 2**31; int $state / 2**31 * ($last + 1) } 0 .. $last;
		push @again, _of_rounds($runs, $without, @rounds);
	}
	return ($value, map { FTMPI::Bench::Distribution::quantile($_, @again) } 0.025, 0.975);
}

# Of these rounds.
sub _of_rounds
{
	my ($runs, $without, @rounds) = @_;
	my ($more, $time) = (0, 0);
	for my $i (0 .. $#{ $without->[ $rounds[0] ]{pieces} }) {
		$more += FTMPI::Bench::Stats::median(map { $runs->[$_]{pieces}[$i] - $without->[$_]{pieces}[$i] } @rounds);
		$time += FTMPI::Bench::Stats::median(map { $without->[$_]{pieces}[$i] } @rounds);
	}
	return $time > 0 ? 1 + $more / $time : 1;
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
