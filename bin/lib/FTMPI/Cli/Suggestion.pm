# SPDX-License-Identifier: BSD-3-Clause
#
# "did you mean": the known word that is nearest to an unknown one. Pure.
package FTMPI::Cli::Suggestion;

use strict;
use warnings;

# Letters of a word that are compared: names are much shorter.
use constant LETTERS_MAX => 40;

# The name that is meant by `word`: one that a slip or two turn into it, or the shortest that begins with it;
# nothing when there is none such.
sub name
{
	my ($word, @names) = @_;
	my $length = length $word;
	return if $length < 2 || $length > LETTERS_MAX;
	my ($best, $least) = (undef, 1 + ($length < 4 ? 1 : $length < 8 ? 2 : 3));
	for my $name (sort @names) {
		my $slips = _slips($word, $name);
		($best, $least) = ($name, $slips) if $slips < $least && $slips < length $name;
	}
	return $best if defined $best;
	my ($longer) = sort { length $a <=> length $b || $a cmp $b } grep { index($_, $word) == 0 } @names;
	return $length >= 3 ? $longer : undef;
}

# " (did you mean -x?)", or nothing.
sub hint
{
	my ($prefix, $word, @names) = @_;
	my $name = name($word, @names);
	return defined $name ? " (did you mean $prefix$name?)" : '';
}

# Letters to add, leave out, change, or exchange with the next one.
sub _slips
{
	my ($from, $to) = map { [ split //, lc $_ ] } @_;
	my @rows = [ 0 .. @$to ];
	for my $i (1 .. @$from) {
		my @row = ($i);
		for my $j (1 .. @$to) {
			my $same = $from->[ $i - 1 ] eq $to->[ $j - 1 ];
			my @ways = ($rows[-1][$j] + 1, $row[ $j - 1 ] + 1, $rows[-1][ $j - 1 ] + !$same);
			push @ways, $rows[-2][ $j - 2 ] + 1
				if $i > 1 && $j > 1 && $from->[ $i - 1 ] eq $to->[ $j - 2 ]
				&& $from->[ $i - 2 ] eq $to->[ $j - 1 ];
			push @row, (sort { $a <=> $b } @ways)[0];
		}
		push @rows, \@row;
	}
	return $rows[-1][-1];
}

1;
