# SPDX-License-Identifier: BSD-3-Clause
#
# Which processors the ranks of one host get, each of its own. Pure.
#
# auto: the processors are divided evenly, in the order of the ranks: whole cores when there is one for each
# thread of the ranks, else threads of cores. A rank gets more than it needs where there is more. So a program
# whose threads nobody announced is not squeezed onto one core; and jobs that know nothing of each other do
# not meet on the first cores: as long as the ranks of all of them together are no more than the cores,
# there is a core for each within its share. Where a rank would have less than it needs none is bound.
#
# core: each rank gets as many cores as it has threads and no more, one rank beside the other from the
# first core on; when there are too few cores, threads of cores, spread over all.
package FTMPI::Agent::Binding;

use strict;
use warnings;

use List::Util qw(sum);

# Threads of a rank that are believed.
use constant THREADS_MAX => 1 << 16;

# The threads of a rank, by what OMP_NUM_THREADS has for it, or undef: the product of the levels; 1 when that is
# not set, or wrong.
sub threads
{
	my ($value) = @_;
	return 1 if !defined $value || $value !~ /^\s*[0-9]{1,5}\s*(?:,\s*[0-9]{1,5}\s*){0,7}\z/;
	my $product = 1;
	for my $level (split /,/, $value) {
		$product *= $level || 1;
		return THREADS_MAX if $product > THREADS_MAX;
	}
	return $product;
}

# mode: auto or core; host: { cores (see FTMPI::Processors::cores()), limit (how many processors' time the host grants, or
# undef), restricted (it has more processors than these) }; threads: of each rank, in the order in which the ranks are to lie. Returns the processors of each rank, [number, ...]
# ascending; or (undef, why not).
sub choose
{
	my ($mode, $host, @threads) = @_;
	my ($cores, $limit) = @$host{qw(cores limit)};
	my ($need, $all) = (sum(@threads), [ map { [$_] } map { @$_ } @$cores ]);
	my $units = $need <= @$cores ? $cores : $all;
	return (undef, _too_few($need, scalar @threads, scalar @$all, $host->{restricted})) if $need > @$all;
	return (undef, "they need $need processors, and the cgroup there grants the time of $limit")
		if $mode eq 'auto' && defined $limit && $need > $limit;
	my $is_packed = $mode eq 'core' && $units == $cores;
	my ($before, @chosen) = (0);
	for my $threads (@threads) {
		my $first = $is_packed ? $before : int $before * @$units / $need;
		my $n = $mode eq 'core' ? $threads : int(($before + $threads) * @$units / $need) - $first;
		push @chosen, [ sort { $a <=> $b } map { @$_ } @$units[ $first .. $first + $n - 1 ] ];
		$before += $threads;
	}
	return \@chosen;
}

sub _too_few
{
	my ($need, $ranks, $there, $is_restricted) = @_;
	my $needed = 'they need ' . _count($need) . ($need > $ranks ? ' (OMP_NUM_THREADS)' : '');
	return "$needed, and ftmpirun may use $there there (taskset, cpuset or batch system)" if $is_restricted;
	return "$needed, and there " . ($there == 1 ? 'is 1' : "are $there");
}

sub _count { return $_[0] == 1 ? '1 processor' : "$_[0] processors" }

1;
