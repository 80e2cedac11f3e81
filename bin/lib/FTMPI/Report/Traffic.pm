# SPDX-License-Identifier: BSD-3-Clause
#
# What ranks have sent to each other, as a matrix of at most PLACES_MAX places: ranks, or where there are more of them hosts, or blocks of ranks that follow each other. Pure.
package FTMPI::Report::Traffic;

use strict;
use warnings;

use List::Util qw(max);
use POSIX      ();

use FTMPI::Report::Course ();
use FTMPI::Report::Facts  ();

use constant PLACES_MAX => 32;

# How dark a cell is: of LEVELS, each stands for four times as many bytes as the one below it.
use constant { LEVELS => 6, STEP => 4 };

# Of a record that has it: { kind: rank, host or block; places: [ { label, short: for a column, words } ]; cells: by numbers of places, [messages, bytes] of { from }{ to };
# sent, received: [messages, bytes] by place; most: bytes of the cell that has most; messages, bytes: of all; until: t of the course of the last one, is_all: it was told at the end }.
sub of
{
	my ($course, $most) = @_;
	my @told  = map { $_->{traffic} // () } @{ $course->{runs} } or return undef;
	my $ranks = $course->{ranks};
	my ($places, $kind, $place_of) = _places($course, max(map { $_->{block} } @told), $most // PLACES_MAX);
	my %matrix = (kind => $kind, places => $places, cells => {}, sent => [], received => [], most => 0, messages => 0, bytes => 0, until => $told[-1]{t});
	$matrix{is_all} = defined FTMPI::Report::Course::end($course) && defined $course->{runs}[-1]{traffic};
	for my $row (map { @{ $_->{sent} } } @told) {
		for my $i (0 .. $#{ $row->{to} }) {
			_add(\%matrix, $place_of->($row->{from}), $place_of->($row->{to}[$i]), $row->{messages}[$i], $row->{bytes}[$i]);
		}
	}
	$matrix{most} = max(0, map { map { $_->[1] } values %$_ } values %{ $matrix{cells} });
	return \%matrix;
}

sub _add
{
	my ($matrix, $from, $to, @more) = @_;
	for my $sum ($matrix->{cells}{$from}{$to} //= [ 0, 0 ], $matrix->{sent}[$from] //= [ 0, 0 ], $matrix->{received}[$to] //= [ 0, 0 ]) {
		$sum->[$_] += $more[$_] for 0, 1;
	}
	$matrix->{messages} += $more[0];
	$matrix->{bytes}    += $more[1];
	return;
}

# (places, kind, sub: the number of the place of a rank)
sub _places
{
	my ($course, $block, $most) = @_;
	my $ranks = $course->{ranks};
	if ($block == 1 && $ranks > $most) {
		my ($places, $of) = _hosts($course, $most);
		return ($places, 'host', sub { $of->[ $_[0] ] }) if $places;
	}
	my $each = $block * POSIX::ceil(POSIX::ceil($ranks / $block) / $most);
	return ([ map { { label => "rank $_", short => $_, words => "rank $_" } } 0 .. $ranks - 1 ], 'rank', sub { $_[0] }) if $each == 1;
	my @places = map { my $first = $_ * $each; my $last = $first + $each > $ranks ? $ranks - 1 : $first + $each - 1; my $words = $first == $last ? "rank $first" : "ranks $first-$last"; { label => $words, short => $first, words => $words } }
		0 .. POSIX::ceil($ranks / $each) - 1;
	return (\@places, 'block', sub { int $_[0] / $each });
}

# Where ranks were in the end; nothing where there is one host, or too many, or a rank is nowhere.
sub _hosts
{
	my ($course, $most) = @_;
	my $place = $course->{places}[-1] // return;
	my @names = grep { @{ $place->{hosts}{$_} // [] } } @{ $place->{names} };
	return if @names < 2 || @names > $most;
	my (@of, @places);
	for my $i (0 .. $#names) {
		my @ranks = @{ $place->{hosts}{ $names[$i] } };
		$of[$_] = $i for @ranks;
		push @places, { label => $i + 1 . ". $names[$i]", short => $i + 1, words => "$names[$i] (" . (@ranks == 1 ? 'rank ' : 'ranks ') . FTMPI::Report::Facts::ranges(@ranks) . ')' };
	}
	return if grep { !defined $of[$_] } 0 .. $course->{ranks} - 1;
	return (\@places, \@of);
}

# 0: nothing was sent; 1 to LEVELS.
sub level
{
	my ($matrix, $cell) = @_;
	return 0 if !$cell;
	my $level = LEVELS;
	my $least = $matrix->{most};
	$level-- while $level > 1 && $cell->[1] <= ($least /= STEP);
	return $level;
}

# What a level stands for, in words.
sub level_words
{
	my ($matrix, $level) = @_;
	my $bytes = FTMPI::Report::Facts::bytes(int $matrix->{most} / STEP**(LEVELS - $level + 1));
	return $level == 1 ? 'less, or messages without bytes' : "more than $bytes";
}

# The levels that cells have.
sub levels
{
	my ($matrix) = @_;
	my %is = map { map { level($matrix, $_) => 1 } values %$_ } values %{ $matrix->{cells} };
	return sort { $a <=> $b } keys %is;
}

# [from, to, messages, bytes] each, the largest first.
sub pairs
{
	my ($matrix) = @_;
	my $cells = $matrix->{cells};
	return sort { $b->[3] <=> $a->[3] || $b->[2] <=> $a->[2] || $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } map { my $from = $_; map { [ $from, $_, @{ $cells->{$from}{$_} } ] } keys %{ $cells->{$from} } } keys %$cells;
}

# For people: sentences. $matrix: of this record, or undef.
sub words
{
	my ($course, $matrix) = @_;
	return ('How much ranks have sent to each other is not in the record: ranks tell it in MPI_Finalize, with ftmpirun -record or where the job makes recovery lines, and at these lines.') if !$matrix;
	my @said = ('Ranks have sent ' . FTMPI::Report::Facts::count($matrix->{messages}, 'message') . ' with ' . FTMPI::Report::Facts::bytes($matrix->{bytes}) . ($matrix->{is_all} ? '.' : ', as far as is known after ' . FTMPI::Report::Facts::seconds($matrix->{until}) . '.'));
	push @said, 'There are more ranks than fit here: ' . ($matrix->{kind} eq 'host' ? 'each row and column is a host, with the ranks that it had in the end.' : 'each row and column is a block of ranks.') if $matrix->{kind} ne 'rank';
	return @said;
}

our $COUNTED = 'Counted are messages of the program when they are sent, with the bytes of its data: those of point-to-point calls, those that collective operations are made of, and data of windows that goes as a message. What ranks of one host read in shared windows, and what FTMPI says to itself, is not. What a failure took away counts once, when it is done again.';

1;
