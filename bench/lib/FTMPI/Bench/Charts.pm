# SPDX-License-Identifier: BSD-3-Clause
#
# The charts of a result: which rows they show. Pure.
package FTMPI::Bench::Charts;

use strict;
use warnings;

use List::Util qw(max min);

use FTMPI::Bench::Cases        ();
use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Report       ();
use FTMPI::Bench::Results      ();
use FTMPI::Bench::Stats        ();
use FTMPI::Bench::Svg          ();

# Ours last, so that it lies on top.
my @LINES = (
	{ name => 'floor',    colour => '#777777', shape => 'circle', dashed => 1 },
	{ name => 'Open MPI', colour => '#e69f00', shape => 'up' },
	{ name => 'MPICH',    colour => '#009e73', shape => 'diamond' },
	{ name => 'FTMPI',    colour => '#0072b2', shape => 'square' },
);
my %SHADE = (2 => '#b9d6ea', 4 => '#6fb0d8', 8 => '#2f7fb5', 16 => '#0b3d66');

# Rows with many trials: what happened, until what.
my @TRIALS = (
	[ 'detect_killed 0 8',  'A killed rank',  'noticed' ],
	[ 'detect_stopped 0 8', 'A stopped rank', 'noticed' ],
	[ 'detect_silent 0 4',  'A silent host',  'noticed' ],
	[ 'restart ' . (1 << 20) . ' 8', 'A killed rank', 'all ranks running again' ],
);

use constant TOP => 2;    # higher bars are cut off

# [name, text, svg] each, of those for which there are rows.
sub all
{
	my ($result) = @_;
	my %row = map { $_->{id} => $_ } @{ $result->{rows} };
	my $note = _note($result);
	my @bars = map { _bar_chart($result, \%row, $_, $note) } 8, 1024, 1 << 20;
	return grep { defined } _line_charts(\%row, $note), @bars, map { _histogram(\%row, $_) } @TRIALS;
}

sub _note
{
	my ($result) = @_;
	my %head = map { @$_ } @{ $result->{head} };
	return "one host over TCP, $head{cores} cores; medians of $head{rounds} rounds; $head{date}";
}

sub _line_charts
{
	my ($row, $note) = @_;
	my @rows = grep { $_->{what} eq 'pingpong' } values %$row;
	return if @rows < 2;
	my %common = (
		note    => $note,
		x       => 'message size',
		x_label => sub { FTMPI::Bench::Report::size({ what => '', bytes => $_[0] }) },
	);
	my $latency = FTMPI::Bench::Svg::lines(
		%common,
		title  => 'Ping-pong: time one way (lower is better)',
		y      => 'microseconds',
		series => _series(sub { $_[1] }, @rows),
	);
	my $bandwidth = FTMPI::Bench::Svg::lines(
		%common,
		title  => 'Ping-pong: bandwidth (higher is better)',
		y      => 'MB/s',
		series => _series(sub { $_[0] / $_[1] }, @rows),
	);
	return [ 'latency', 'Time one way over message size', $latency ],
		[ 'bandwidth', 'Bandwidth over message size', $bandwidth ];
}

sub _series
{
	my ($number, @rows) = @_;
	my @series;
	for my $line (@LINES) {
		my @points;
		for my $row (@rows) {
			my $us = FTMPI::Bench::Stats::middle($row, $line->{name}) // next;
			push @points, [ $row->{bytes}, $number->($row->{bytes}, $us) ];
		}
		push @series, { %$line, points => \@points } if @points;
	}
	return \@series;
}

# Our time over the better peer's. A barrier stands beside those of 8 bytes.
sub _bar_chart
{
	my ($result, $row, $bytes, $note) = @_;
	my (@groups, %has);
	for my $what (FTMPI::Bench::Cases::collectives()) {
		my $size = $what eq 'barrier' && $bytes == 8 ? 0 : $bytes;
		my %bar;
		for my $ranks (keys %SHADE) {
			my $this = $row->{"$what $size $ranks"} // next;
			$bar{$ranks} = FTMPI::Bench::Stats::to_peer($this) // next;
			$has{$ranks} = 1;
		}
		push @groups, { name => $what =~ s/_/-/r, bar => \%bar } if %bar;
	}
	return if !@groups;
	my @ranks = sort { $a <=> $b } keys %has;
	$_->{bars} = [ @{ $_->{bar} }{@ranks} ] for @groups;
	my $size = FTMPI::Bench::Report::size({ what => '', bytes => $bytes });
	my $svg = FTMPI::Bench::Svg::bars(
		title  => "Collectives, $size: time over the better peer's (lower is better)",
		note   => $note,
		x      => 'collective',
		y      => 'FTMPI / better peer',
		groups => \@groups,
		series => [ map { { name => "$_ ranks", colour => $SHADE{$_} } } @ranks ],
		aims   => _aims($bytes),
		_height(map { grep { defined } @{ $_->{bars} } } @groups),
	);
	return [ "collectives-$bytes", "Collectives of $size beside the better peer", $svg ];
}

sub _height
{
	my (@values) = @_;
	my $top = max(1.2, map { $_ * 1.1 } @values);
	return (top => min(TOP, 0.2 * int($top / 0.2 + 0.999)), step => 0.2);
}

sub _aims
{
	my ($bytes) = @_;
	return [ { at => 1, name => 'as fast (target)' } ] if $bytes >= 1 << 20;
	return [ { at => 1, name => 'as fast' }, { at => 0.7, name => 'target with more ranks than cores' } ];
}

sub _histogram
{
	my ($row, $trials) = @_;
	my ($id, $what, $until) = @$trials;
	my $this = $row->{$id} // return;
	my @values = @{ $this->{values}{FTMPI} // [] } or return;
	my ($case) = grep { $_->{id} eq $id } FTMPI::Bench::Cases::all(1);
	my $target = $case->{targets}[0];
	my ($limit) = grep { defined } @$target{qw(most below)};
	my $median = $target->{against} eq 'value' ? 'median ' : '';
	my $svg = FTMPI::Bench::Svg::histogram(
		title => "$what: time from the fault until $until",
		note  => FTMPI::Bench::Distribution::words($this->{unit}, @values),
		x     => 'milliseconds',
		y     => 'trials',
		%{ FTMPI::Bench::Distribution::bins(@values) },
		colour => '#0072b2',
		aims   => [ { at => $limit, name => "target: $median" . FTMPI::Bench::Stats::limit_text($target) . ' ms' } ],
	);
	return [ $this->{what}, "$what: the times until $until", $svg ];
}

1;
