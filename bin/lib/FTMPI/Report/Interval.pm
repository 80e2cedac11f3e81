# SPDX-License-Identifier: BSD-3-Clause
#
# How often a line is worth its price. Pure.
#
#	J. W. Young, A first order approximation to the optimum checkpoint interval, CACM 17(9), 1974:  T = sqrt(2 C M)
#	J. T. Daly, A higher order estimate of the optimum checkpoint interval for restart dumps, FGCS 22(3), 2006:
#	T = sqrt(2 C M) (1 + 1/3 sqrt(C / 2M) + 1/9 C / 2M) - C where C < 2M, else T = M
#
# T: seconds of computing between two lines; C: that the program stands still for a line; M: mean time between failures.
package FTMPI::Report::Interval;

use strict;
use warnings;

# Both say the least that is sensible when the range of M is wide: 9 of 10 times it is in there.
use constant CONFIDENCE => 0.9;

sub young
{
	my ($cost, $mtbf) = @_;
	return sqrt 2 * $cost * $mtbf;
}

sub daly
{
	my ($cost, $mtbf) = @_;
	return $mtbf if $cost >= 2 * $mtbf;
	my $x = $cost / (2 * $mtbf);
	return sqrt(2 * $cost * $mtbf) * (1 + sqrt($x) / 3 + $x / 9) - $cost;
}

# What a job takes longer than its computing, in parts of that: Daly's model, M e^(R/M) (e^((T + C)/M) - 1) / T - 1, where failures come at
# random and a restart takes R. 1e6: it does not come to its end.
sub overhead
{
	my ($interval, $cost, $restart, $mtbf) = @_;
	my $power = ($interval + $cost) / $mtbf;
	return 1e6 if $power > 13 || $restart / $mtbf > 13;
	my $rest = $power < 1e-6 ? $power + $power**2 / 2 : exp($power) - 1;
	my $over = $mtbf * exp($restart / $mtbf) * $rest / $interval - 1;
	return $over > 1e6 ? 1e6 : $over;
}

# Where so many failures were seen in so many seconds: the least and the most that the mean time between failures is, 9 of 10 times
# (exact limits of a Poisson count; most: undef where none was seen).
sub mtbf_range
{
	my ($failures, $seconds) = @_;
	my $tail = (1 - CONFIDENCE) / 2;
	my $least = $seconds / _mean_where(sub { _poisson($_[0], $failures) }, $tail, $failures);
	return ($least, undef) if !$failures;
	return ($least, $seconds / _mean_where(sub { _poisson($_[0], $failures - 1) }, 1 - $tail, $failures));
}

# Probability of at most n events where `mean` are expected.
sub _poisson
{
	my ($mean, $n) = @_;
	my ($log, $sum) = (-$mean, 0);
	for my $k (0 .. $n) {
		$log += log($mean / $k) if $k;
		$sum += exp $log;
	}
	return $sum;
}

# The mean at which this falling probability is `wanted`.
sub _mean_where
{
	my ($probability, $wanted, $n) = @_;
	my ($low, $high) = (1e-9, 20 + 3 * $n);
	for (1 .. 100) {
		my $middle = ($low + $high) / 2;
		if ($probability->($middle) > $wanted) { $low  = $middle }
		else                                   { $high = $middle }
	}
	return ($low + $high) / 2;
}

1;
