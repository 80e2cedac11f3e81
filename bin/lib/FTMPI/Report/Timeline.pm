# SPDX-License-Identifier: BSD-3-Clause
#
# The course of a job (FTMPI::Report::Course) as rows and columns: a row for each rank on each host where it was, or, where these are many, for each host, or for several hosts; in each
# column how many ranks did what on average. So a page has at most ROWS_MAX rows and as many columns as asked for, whatever the job was. Pure.
package FTMPI::Report::Timeline;

use strict;
use warnings;

use List::Util qw(max min);

use constant { ROWS_MAX => 64 };

# From the bottom to the top of a cell.
our @STATES = qw(compute line lost start down);
my %NUMBER = map { $STATES[$_] => $_ } 0 .. $#STATES;

# Returns { columns, kind: rank, host or hosts, idle => [hosts that never had a rank, if there is a row for each rank], rows => [{ host, label, title: names in full, ranks: how many there were at most, cells: for each column undef where it had none, or [ranks in each of STATES] }] }.
sub of
{
	my ($course, $columns, $most) = @_;
	my $self = bless { columns => $columns, width => ($course->{span} || 1) / $columns, spans => $course->{all} }, __PACKAGE__;
	my $rows = _rows($course, $most // ROWS_MAX);
	$self->{all} = $self->_cells($course->{all});
	my %own  = %{ $course->{own} };
	for my $row (@{ $rows->{rows} }) {
		my @cells;
		for my $stay (@{ $row->{stays} }) {
			my ($from, $to, $ranks) = @$stay;
			$self->_add(\@cells, $from, $to, scalar @$ranks);
			$self->_own(\@cells, $from, $to, $own{$_}) for grep { $own{$_} } @$ranks;
		}
		$row->{cells} = [ map { _whole($cells[$_]) } 0 .. $columns - 1 ];
		delete $row->{stays};
	}
	return { %$rows, columns => $columns };
}

sub _whole
{
	my ($cell) = @_;
	return undef if !$cell;
	my @whole = map { !$_ || $_ < 1e-9 ? 0 : $_ } @$cell[ 0 .. $#STATES ];
	return (grep { $_ } @whole) ? \@whole : undef;
}

# The columns that lie between these times, whole or in part: [column, from, to, part of it] each.
sub _part
{
	my ($self, $from, $to) = @_;
	my ($width, $last) = ($self->{width}, $self->{columns} - 1);
	my ($first, $end) = (min($last, int $from / $width), min($last, int $to / $width));
	return grep { $_->[3] > 1e-9 } map {
		my ($left, $right) = (max($from, $_ * $width), min($to, ($_ + 1) * $width));
		[ $_, $left, $right, ($right - $left) / $width ]
	} $first .. $end;
}

# What one rank does that does as all: for each column the time in each of STATES, in parts of the column's.
sub _cells
{
	my ($self, $spans) = @_;
	my @cells;
	for my $span (@$spans) {
		my ($from, $to, $state) = @$span;
		$cells[ $_->[0] ][ $NUMBER{$state} ] += $_->[3] for $self->_part($from, $to);
	}
	return \@cells;
}

# Of a part of a column the same; spans follow one another.
sub _within
{
	my ($self, $from, $to) = @_;
	my $spans = $self->{spans};
	my ($low, $high) = (0, scalar @$spans);
	while ($low < $high) {
		my $middle = int(($low + $high) / 2);
		if ($spans->[$middle][1] <= $from) { $low  = $middle + 1 }
		else                               { $high = $middle }
	}
	my @cell;
	for (my $i = $low; $i < @$spans && $spans->[$i][0] < $to; $i++) {
		my ($first, $last, $state) = @{ $spans->[$i] };
		$cell[ $NUMBER{$state} ] += (min($last, $to) - max($first, $from)) / $self->{width};
	}
	return \@cell;
}

# What so many ranks do there that do as all.
sub _add
{
	my ($self, $cells, $from, $to, $factor) = @_;
	for my $part ($self->_part($from, $to)) {
		my ($column, $left, $right, $share) = @$part;
		my $cell = $share > 0.999999 ? $self->{all}[$column] : $self->_within($left, $right);
		$cells->[$column][$_] += $factor * ($cell->[$_] // 0) for 0 .. $#STATES;
	}
	return;
}

# What this rank did in place of the others' there.
sub _own
{
	my ($self, $cells, $from, $to, $spans) = @_;
	for my $span (@$spans) {
		my ($first, $last) = (max($span->[0], $from), min($span->[1], $to));
		next if $last <= $first;
		$self->_add($cells, $first, $last, -1);
		$cells->[ $_->[0] ][ $NUMBER{ $span->[2] } ] += $_->[3] for $self->_part($first, $last);
	}
	return;
}

# ---- rows ----

# host => [[from, to, ranks] each]: what follows without a change is one stay; and the hosts in their order.
sub _stays
{
	my ($course) = @_;
	my (%stays, @names);
	for my $place (@{ $course->{places} }) {
		for my $name (@{ $place->{names} }) {
			push @names, $name if !$stays{$name};
			my $list  = $stays{$name} //= [];
			my $ranks = $place->{hosts}{$name};
			next if !@$ranks;
			my $last = $list->[-1];
			if ($last && $last->[1] == $place->{from} && "@{ $last->[2] }" eq "@$ranks") {
				$last->[1] = $place->{to};
			} else {
				push @$list, [ $place->{from}, $place->{to}, $ranks ];
			}
		}
	}
	return (\%stays, @names);
}

sub _rows
{
	my ($course, $most) = @_;
	my ($stays, @names) = _stays($course);
	my $count = 0;
	my %ranks;
	for my $name (@names) {
		$ranks{$name}{$_} = 1 for map { @{ $_->[2] } } @{ $stays->{$name} };
		$count += keys %{ $ranks{$name} // {} };
	}
	if ($count <= $most) {
		my @idle = grep { !$ranks{$_} } @names;
		return { kind => 'rank', idle => \@idle, rows => [ map { _rank_rows($_, $stays->{$_}, sort { $a <=> $b } keys %{ $ranks{$_} }) } grep { $ranks{$_} } @names ] };
	}
	# without their domain, where that tells nothing
	my %first_words = map { s/\..*//sr => 1 } @names;
	my $is_short = keys %first_words == @names && !exists $first_words{''} && !grep { /^[0-9]+\z/ } keys %first_words;
	my $group = int((@names + $most - 1) / $most);
	my @rows;
	while (my @some = splice @names, 0, $group) {
		my @all = map { @{ $stays->{$_} } } @some;
		my ($first, $last) = map { $is_short ? s/\..*//sr : $_ } @some[ 0, -1 ];
		push @rows, { host => $some[0], label => @some > 1 ? "$first-$last" : $first, title => @some > 1 ? "$some[0] to $some[-1]" : $some[0], hosts => scalar @some, stays => \@all, ranks => _together(@all) };
	}
	return { kind => $group > 1 ? 'hosts' : 'host', group => $group, rows => \@rows };
}

sub _rank_rows
{
	my ($host, $stays, @ranks) = @_;
	my %its;
	for my $stay (@$stays) {
		my ($from, $to, $there) = @$stay;
		for my $rank (@$there) {
			my $last = $its{$rank} && $its{$rank}[-1];
			if ($last && $last->[1] == $from) { $last->[1] = $to }
			else                              { push @{ $its{$rank} }, [ $from, $to, [$rank] ] }
		}
	}
	return map { { host => $host, label => "rank $_", rank => $_, ranks => 1, stays => $its{$_} } } @ranks;
}

# How many ranks there were at the same time, at most.
sub _together
{
	my (@stays) = @_;
	my ($most, $now) = (0, 0);
	for (sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } map { ([ $_->[0], scalar @{ $_->[2] } ], [ $_->[1], -@{ $_->[2] } ]) } @stays) {
		$now += $_->[1];
		$most = max($most, $now);
	}
	return $most;
}

# ---- marks ----

# Those that lie closer than `least` to the one before are one: [from, to] of their numbers, and where.
sub marks
{
	my ($least, @at) = @_;
	my @marks;
	for my $i (0 .. $#at) {
		if (@marks && $at[$i] - $marks[-1]{at} < $least) { $marks[-1]{last} = $i }
		else { push @marks, { first => $i, last => $i, at => $at[$i] } }
	}
	return @marks;
}

# Between 0 and span: the distance of ticks of which there are about so many, in seconds that people count in.
sub step
{
	my ($span, $about) = @_;
	my $least = $span / $about;
	my @steps = (1, 2, 5, 10, 15, 30, map({ 60 * $_ } 1, 2, 5, 10, 15, 30), map({ 3600 * $_ } 1, 2, 3, 6, 12), map { 86400 * $_ } 1, 2, 5, 7, 14, 28, 56, 112, 365);
	for my $step (@steps) {
		return $step if $step >= $least && $least > 0.5;
	}
	my $power = 10**int(log($least) / log(10) - ($least < 1 ? 1 : 0));
	for my $factor (1, 2, 5, 10) {
		return $factor * $power if $factor * $power >= $least * 0.999;
	}
	return 10 * $power;
}

1;
