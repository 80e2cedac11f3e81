# SPDX-License-Identifier: BSD-3-Clause
#
# What was measured of message logging as a page of Markdown, ours beside theirs. Pure. A result is as FTMPI::Bench::Results has it.
package FTMPI::Papers::V2::Page;

use strict;
use warnings;

use List::Util qw(first max min sum);

use FTMPI::Bench::Cases      ();
use FTMPI::Bench::Report     ();
use FTMPI::Bench::Stats      ();
use FTMPI::Papers::V2::Cases ();

my @SECTIONS = (
	{
		kind    => qr/^(?:pingpong|bandwidth)\b/,
		title   => 'Ping-pong',
		text    => 'Microseconds one way, and megabytes (10^6) a second. Theirs: the shortest time, the greatest bandwidth; P4 logs nothing.',
		columns => [ 'over', 'size', 'unit', 'without', 'with', 'with / without', 'their P4', 'their V2', 'V2 / P4' ],
		lines   => \&_figures,
	},
	{
		kind    => qr/^both_ways\b/,
		title   => 'Ten messages each way at once',
		text    => 'What BT and SP do: 10 MPI_Isend, 10 MPI_Irecv, MPI_Waitall; megabytes a second, each way. Theirs, in words: V2 is slower with'
			. ' short messages, and reaches twice the bandwidth of P4 at 64 KiB, which could not send and receive at the same time.',
		columns => [ 'over', 'size', 'unit', 'without', 'with', 'with / without', 'their V2 / P4' ],
		lines   => \&_both_ways,
	},
	{
		kind    => qr/^again\b/,
		title   => 'Re-execution',
		text    => 'A token ring of 8 ranks. All have done their rounds; then some are killed at once and do all of it again, from their beginning.'
			. ' From the kill: until all of these are done, with what it takes to notice and to start; by themselves: from when the first of them'
			. ' begins its rounds. Ratios are to the first run of the same job. Theirs, in words: one alone takes about half of the first run,'
			. ' many come close to it and stay below.',
		columns => [ 'size', 'killed', 'without, s', 'first run, s', 'from the kill, s', 'ratio', 'by themselves, s', 'ratio', 'theirs' ],
		lines   => \&_again,
	},
	{
		kind    => qr/^faults\b/,
		title   => 'Faults',
		text    => 'Seconds of a whole job of `sweeps` on 4 ranks, without a protocol, and with message logging and checkpoints of images, one rank'
			. ' after the other in random order, of which ranks are killed at random; and the time of these to that of the same without a kill.'
			. ' Theirs, in words: BT A on 4, with 9 faults below twice the time without any.',
		columns => [ 'killed', 'without, s', 'with, s', 'with / without', 'to 0 killed', 'theirs' ],
		lines   => \&_faults,
	},
	{
		kind    => qr/^calls_/,
		title   => 'Where the time goes',
		text    => 'Seconds in these calls, of all ranks together. Theirs: table 1, of other sizes; whether of one process or of all it does not say. V2 sends while it waits. With more ranks than'
			. ' cores, most of ours is the time in which another rank computes.',
		columns => [ 'program', 'ranks', 'calls', 'number', 'without, s', 'with, s', 'with / without', 'theirs', 'their P4, s', 'their V2, s' ],
		lines   => \&_calls,
	},
);

my %OVER = (tcp => 'TCP', default => 'memory', gbit => '1 Gbit/s');

sub section { my ($row) = @_; return first { $row->{what} =~ $_->{kind} } @SECTIONS }

sub _line { return '| ' . join(' | ', @_) . " |\n" }

sub columns
{
	my ($section) = @_;
	my @columns = @{ $section->{columns} };
	return _line(@columns) . '|' . '---|' x @columns . "\n";
}

# The lines of the table that a row makes.
sub lines
{
	my ($row) = @_;
	return join '', map { _line(@$_) } section($row)->{lines}->($row);
}

# ---- cells ----

# The median, and between what the rounds were.
sub _median
{
	my ($show, @values) = @_;
	return '-' if !@values;
	my @shown = map { $show->($_) } FTMPI::Bench::Stats::median(@values), min(@values), max(@values);
	return @values > 1 ? "$shown[0] ($shown[1] to $shown[2])" : $shown[0];
}

sub _values { my ($row, $name) = @_; return @{ $row->{values}{$name} // [] } }

sub _figure { return _median(\&FTMPI::Bench::Report::number, _values(@_)) }

# Of these to those, round by round.
sub ratios
{
	my ($row, $of, $to) = @_;
	my ($these, $those) = map { [ _values($row, $_) ] } $of, $to;
	return map { $these->[$_] / $those->[$_] } grep { $those->[$_] } 0 .. min($#$these, $#$those);
}

sub _ratio { return _median(sub { sprintf $_[0] < 0.1 ? '%.3f' : '%.2f', $_[0] }, ratios(@_)) }

sub size
{
	my ($bytes) = @_;
	return FTMPI::Bench::Report::size({ what => '', bytes => $bytes }) || '0 B';
}

sub over { my ($row) = @_; return $OVER{ (FTMPI::Bench::Cases::parts($row->{what}))[1] } }

# ---- rows ----

sub _ours
{
	my ($row) = @_;
	return (over($row), size($row->{bytes}), $row->{unit}, _figure($row, 'floor'), _figure($row, 'FTMPI'), _ratio($row, 'FTMPI', 'floor'));
}

sub _figures
{
	my ($row)  = @_;
	my @theirs = FTMPI::Papers::V2::Cases::theirs($row);
	return [ _ours($row), @theirs ? (@theirs, sprintf '%.2f', $theirs[1] / $theirs[0]) : ('', '', '') ];
}

sub _both_ways
{
	my ($row) = @_;
	return [ _ours($row), $row->{bytes} == 64 << 10 ? 'up to 2' : '' ];
}

sub _again
{
	my ($row) = @_;
	my %theirs = (1 => 'about half', 8 => 'close to 1, below');
	return map { [
		size($row->{bytes}), $_, _figure($row, 'floor'), _figure($row, 'FTMPI'), _figure($row, "x$_"), _ratio($row, "x$_", 'FTMPI'),
		_figure($row, "own$_"), _ratio($row, "own$_", 'FTMPI'), $theirs{$_} // ''
	] } FTMPI::Papers::V2::Cases::KILLED;
}

sub _faults
{
	my ($row) = @_;
	return [ $row->{bytes}, _figure($row, 'floor'), _figure($row, 'FTMPI'), _ratio($row, 'FTMPI', 'floor'), _ratio($row, 'FTMPI', 'none'),
		$row->{bytes} == 9 ? 'below 2' : '' ];
}

sub _calls
{
	my ($row)  = @_;
	my $theirs = FTMPI::Papers::V2::Cases::their_calls($row->{what});
	my ($name) = $row->{what} =~ /^calls_(\w+)/;
	my $all    = _with_total($row);
	return map { [
		"$name $row->{bytes}", $row->{ranks}, $_, _values($all, "calls $_") ? (_values($all, "calls $_"))[0] : '', _figure($all, "floor $_"),
		_figure($all, "FTMPI $_"), _ratio($all, "FTMPI $_", "floor $_"), $theirs->{name}, @{ $theirs->{$_} // [ '', '' ] }
	] } FTMPI::Papers::V2::Cases::GROUPS, 'total';
}

sub _with_total
{
	my ($row)  = @_;
	my %values = %{ $row->{values} };
	for my $who (qw(FTMPI floor)) {
		my @groups = map { $values{"$who $_"} // [] } FTMPI::Papers::V2::Cases::GROUPS;
		my $rounds = min(map { scalar @$_ } @groups);
		$values{"$who total"} = [ map { my $i = $_; sum(map { $_->[$i] } @groups) } 0 .. $rounds - 1 ];
	}
	return { values => \%values };
}

# ---- the page ----

sub head
{
	my ($result) = @_;
	my %head = map { @$_ } @{ $result->{head} };
	return "$head{machine}, $head{cores} cores, $head{system}; FTMPI $head{FTMPI}. $head{date}, medians of $head{rounds} rounds";
}

# charts: [file name, text for those who cannot see it] each.
sub page
{
	my ($result, @charts) = @_;
	my $text = "# What message logging costs\n\n" . head($result) . ", in brackets the least and the greatest; \"without\" is the same job without"
		. " a protocol.\n\nWhat is measured, and how to read this: [bench/papers/README.md](../papers/README.md). Theirs: "
		. FTMPI::Papers::V2::Cases::SOURCE . "; hosts with an Athlon XP 1800+ each, on a network of 100 Mbit/s.\n";
	for my $section (@SECTIONS) {
		my @rows = grep { $_->{what} =~ $section->{kind} } @{ $result->{rows} } or next;
		$text .= "\n## $section->{title}\n\n$section->{text}\n\n" . columns($section) . join '', map { lines($_) } @rows;
	}
	$text .= "\n## Notes\n\n" . join '', map { "* $_\n" } @{ $result->{notes} } if @{ $result->{notes} };
	$text .= "\n## Charts\n\n" . join "\n", map { "![$_->[1]]($_->[0])\n" } @charts if @charts;
	return $text;
}

1;
