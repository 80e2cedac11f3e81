# SPDX-License-Identifier: BSD-3-Clause
#
# What a rank that computes has lost to others, from the times of many equal pieces of its work
# (bench/pieces.c). Pure. A piece: [nanoseconds, how often its thread gave way to another].
#
# On a shared machine all pieces become slower and faster together, over tens of milliseconds. So a piece
# is held against its neighbours: what it took beyond them was lost in it.
package FTMPI::Bench::Pieces;

use strict;
use warnings;

use List::Util qw(max min);

# NEAR: neighbours on either side. AFTER: pieces after one that gave way which pay for it, too, as
# what was in the caches has gone. MOST: what counts of a piece where all do, in parts of its neighbours:
# more is the machine's.
use constant { NEAR => 5, AFTER => 1, MOST => 0.5 };

# The pieces of each rank, from the lines of the program.
sub from_lines
{
	my (@lines) = @_;
	my @ranks;
	for (@lines) {
		my ($rank, $words) = /^pieces (\d{1,5})((?: \d+:\d+)+)\z/ or next;
		push @{ $ranks[$rank] }, map { [ split /:/ ] } split ' ', $words;
	}
	return @ranks;
}

# Which pieces another thread had a part in: true or false for each.
sub touched
{
	my ($pieces) = @_;
	my @touched;
	for my $i (0 .. $#$pieces) {
		$touched[$i] = grep { $_->[1] > 0 } @$pieces[ max(0, $i - AFTER) .. $i ];
	}
	return @touched;
}

# How long something takes that takes 1 when no other thread runs. Pieces that nobody touched are
# as long as they should be, whatever that was; of those around a touched one the median says how long
# it should have been. 1 of nothing.
sub stretch
{
	my ($pieces) = @_;
	my @touched = touched($pieces);
	my ($lost, $due) = (0, 0);
	for my $i (0 .. $#$pieces) {
		my $should = $touched[$i] ? _neighbours($pieces, \@touched, $i) : $pieces->[$i][0];
		$lost += $pieces->[$i][0] - $should;
		$due  += $should;
	}
	return $due > 0 ? 1 + $lost / $due : 1;
}

# The same without knowing who ran when: each piece is held against its neighbours. This sees also
# what costs time without taking the processor away, and all the noise of the machine.
sub stretch_of_all
{
	my ($pieces) = @_;
	my ($lost, $due) = (0, 0);
	for my $i (0 .. $#$pieces) {
		my $should = _neighbours($pieces, [], $i);
		$lost += max(-MOST * $should, min(MOST * $should, $pieces->[$i][0] - $should));
		$due  += $should;
	}
	return $due > 0 ? 1 + $lost / $due : 1;
}

# The slowest rank's: a sum waits for it.
sub slowest
{
	my ($how, @ranks) = @_;
	return max(map { $how->($_ // []) } @ranks);
}

# The median of the pieces around this one that nobody touched; of all when there are none.
sub _neighbours
{
	my ($pieces, $touched, $i) = @_;
	my @around = grep { $_ != $i } max(0, $i - NEAR) .. min($#$pieces, $i + NEAR);
	my @quiet  = grep { !$touched->[$_] } @around;
	my @sorted = sort { $a <=> $b } map { $pieces->[$_][0] } @quiet ? @quiet : @around;
	return @sorted ? ($sorted[ $#sorted / 2 ] + $sorted[ @sorted / 2 ]) / 2 : $pieces->[$i][0];
}

1;
