# SPDX-License-Identifier: BSD-3-Clause
#
# Many measurements of one thing: quantiles, how sure their median is, and a histogram. Pure.
package FTMPI::Bench::Distribution;

use strict;
use warnings;

use List::Util qw(max min);

use constant BINS => 20;    # at most

# The value below which this part (0 to 1) of them lies, between two of them in proportion.
sub quantile
{
	my ($part, @values) = @_;
	my @sorted = sort { $a <=> $b } @values;
	return undef if !@sorted;
	my $at = $part * $#sorted;
	my $low = int $at;
	return $sorted[$low] if $low == $#sorted;
	return $sorted[$low] + ($at - $low) * ($sorted[ $low + 1 ] - $sorted[$low]);
}

# Two of the values between which the true median lies with a probability of at least 95 %, whatever
# the distribution: that fewer than k of n values lie below it is a matter of n coins. Too few values
# are no bound.
sub median_bounds
{
	my @sorted = sort { $a <=> $b } @_;
	my $n = @sorted or return;
	my ($k, $term, $below) = (0, 0.5**$n, 0);
	while (2 * ($below + $term) <= 0.05 && 2 * ($k + 1) <= $n) {
		$below += $term;
		$term *= ($n - $k) / ($k + 1);
		$k++;
	}
	return if $k == 0;
	return @sorted[ $k - 1, $n - $k ];
}

# Ratios in words; noun: what each is of.
sub certainty
{
	my ($noun, @ratios) = @_;
	my @sure = median_bounds(@ratios);
	my $sure = @sure ? sprintf ' with 95 %% certainty the median is within %.4f and %.4f,', @sure : '';
	my ($low, $median, $high) = map { quantile($_, @ratios) } 0.25, 0.5, 0.75;
	return sprintf '%d %s, median %.4f,%s quartiles %.4f and %.4f', scalar @ratios, $noun, $median, $sure, $low, $high;
}

# In words.
sub words
{
	my ($unit, @values) = @_;
	return 'nothing was measured' if !@values;
	my @at = map { _number(quantile($_, @values)) } 0, 0.25, 0.5, 0.75, 0.9, 1;
	return sprintf '%d values: least %s, quartiles %s, %s and %s, 90 %% below %s, greatest %s %s',
		scalar @values, @at[ 0 .. 5 ], $unit;
}

sub _number
{
	my ($value) = @_;
	return sprintf abs $value >= 100 ? '%.0f' : '%.3g', $value;
}

# Bins of equal width, 1, 2 or 5 times a power of ten: { width, from, counts => [...] }.
sub bins
{
	my @values = @_;
	return if !@values;
	my ($least, $most) = (min(@values), max(@values));
	my $width = _round_width(($most - $least) / (BINS - 1) || $most / BINS || 1);
	my $from  = $width * _floor($least / $width);
	my @counts = (0) x (1 + int(($most - $from) / $width + 1e-9));
	$counts[ min($#counts, int(($_ - $from) / $width + 1e-9)) ]++ for @values;
	return { width => $width, from => $from, counts => \@counts };
}

sub _round_width
{
	my ($least) = @_;
	my $power = 10**_floor(log($least) / log(10));
	my ($factor) = grep { $_ * $power >= $least * (1 - 1e-9) } 1, 2, 5, 10;
	return $factor * $power;
}

sub _floor
{
	my ($x) = @_;
	my $whole = int $x;
	return $whole > $x ? $whole - 1 : $whole;
}

1;
