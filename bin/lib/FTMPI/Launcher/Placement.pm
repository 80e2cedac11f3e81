# SPDX-License-Identifier: BSD-3-Clause
#
# Places for the ranks of a host that has failed. They go to the spare hosts in the order of the machine file,
# as many to each as it has slots; the rest is spread over all hosts that are well, evenly by slots. If no
# host is well, they go to hosts that failed before, which may be back. Pure.
package FTMPI::Launcher::Placement;

use strict;
use warnings;

# ranks: the ranks without a host. hosts: { kind, slots, load } each; load is the number of ranks that
# stay there, and kind one of
#	spare   no rank of the job is there
#	used    it is well and has ranks
#	last    it failed, and has not been tried since
#	none    not to be used
# Returns { rank => index of its host }, or nothing when there is none.
sub find
{
	my ($ranks, $hosts) = @_;
	my @left  = @$ranks;
	my @loads = map { $_->{load} } @$hosts;
	my %is    = map { $_->{kind} => 1 } @$hosts;
	my $open  = $is{spare} || $is{used} ? qr/^(?:spare|used)\z/ : qr/^last\z/;
	my @open  = grep { $hosts->[$_]{kind} =~ $open } 0 .. $#$hosts;
	return if !@open;
	my %place;
	for my $host (grep { $hosts->[$_]{kind} ne 'used' } @open) {
		while (@left && $loads[$host] < $hosts->[$host]{slots}) {
			$place{ shift @left } = $host;
			$loads[$host]++;
		}
	}
	for my $rank (@left) {
		my $host = _emptiest($hosts, \@loads, @open);
		$place{$rank} = $host;
		$loads[$host]++;
	}
	return \%place;
}

# The first host that would have the fewest ranks a slot with one rank more.
sub _emptiest
{
	my ($hosts, $loads, @open) = @_;
	my ($best, $least);
	for my $host (@open) {
		my $share = ($loads->[$host] + 1) / $hosts->[$host]{slots};
		($best, $least) = ($host, $share) if !defined $least || $share < $least;
	}
	return $best;
}

1;
