# SPDX-License-Identifier: BSD-3-Clause
#
# Which hosts there are, and which rank goes where. Pure: text in, lists out; bad text ends in a
# FTMPI::Error that names the line.
package FTMPI::Cli::Machines;

use strict;
use warnings;

use FTMPI::Later rest => qw(Named);


use constant { SLOTS_MAX => 65536, NAME_MAX => 255 };

# Entries with the same key become one, with the name of the first and the slots of all.
sub merge
{
	my ($entries, $key_of) = @_;
	my (@merged, %seen);
	for my $entry (@$entries) {
		my $key = $key_of->($entry->{name});
		if ($seen{$key}) {
			$seen{$key}{slots} += $entry->{slots};
		} else {
			$seen{$key} = { name => $entry->{name}, slots => $entry->{slots} };
			push @merged, $seen{$key};
		}
	}
	return \@merged;
}

sub slots
{
	my ($hosts) = @_;
	my $sum = 0;
	$sum += $_->{slots} for @$hosts;
	return $sum;
}

# Ranks 0 to n-1 on these hosts. by slot: the slots of the first host, then of the next. by node: one on each host, then the next on each
# whose slots are not full. When all are full, round again. Returns all hosts, each with its list `ranks`; those without any are the spares.
sub place
{
	my ($hosts, $n, $by) = @_;
	my $ranks = ($by // 'slot') eq 'node' ? _by_node($hosts, $n) : _by_slot($hosts, $n);
	return [ map { { %{ $hosts->[$_] }, ranks => $ranks->[$_] } } 0 .. $#$hosts ];
}

sub _by_slot
{
	my ($hosts, $n) = @_;
	my @ranks = map { [] } @$hosts;
	my $next  = 0;
	while ($next < $n) {
		for my $i (0 .. $#$hosts) {
			my $end = $next + $hosts->[$i]{slots};
			$end = $n if $end > $n;
			push @{ $ranks[$i] }, $next .. $end - 1;
			$next = $end;
		}
	}
	return \@ranks;
}

1;
