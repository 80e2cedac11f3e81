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
my %SHADE = (2 => '#b9d6ea', 4 => '#6fb0d8', 8 => '#2f7fb5', 16 => '#0b3d66', 64 => '#061d31');

# By the transport of rows: what their charts' names begin with, how the titles tell them apart, and the
# second line of a chart.
my %OVER = (
	tcp     => { name => '',         title => '',             note => 'one host over TCP' },
	default => { name => 'default-', title => ', by default', note => "one host, each one's default transport" },
	gbit    => { name => 'gbit-',    title => ', two hosts',  note => 'two hosts on one machine, 1 Gbit/s between them' },
);

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
	my @lines = map { _line_charts(\%row, $_, $note) } qw(tcp default gbit);
	my @bars = (
		(map { _collectives(\%row, 'tcp',     $_, $note) } 8, 1024, 1 << 20),
		(map { _collectives(\%row, 'default', $_, $note) } 8, 1024, 65536, 1 << 20),
	);
	return grep { defined } @lines, @bars, _kernels(\%row, $note), map { _histogram(\%row, $_) } @TRIALS;
}

sub _note
{
	my ($result) = @_;
	my %head = map { @$_ } @{ $result->{head} };
	return "$head{cores} cores; medians of $head{rounds} rounds; $head{date}";
}

sub _line_charts
{
	my ($row, $transport, $note) = @_;
	my $over = $OVER{$transport};
	my $what = $transport eq 'tcp' ? 'pingpong' : "pingpong/$transport";
	my @rows = grep { $_->{what} eq $what } values %$row;
	return if @rows < 2;
	my %common = (
		note    => "$over->{note}, $note",
		x       => 'message size',
		x_label => sub { FTMPI::Bench::Report::size({ what => '', bytes => $_[0] }) },
	);
	my $latency = FTMPI::Bench::Svg::lines(
		%common,
		title  => "Ping-pong: time one way$over->{title} (lower is better)",
		y      => 'microseconds',
		series => _series(sub { $_[1] }, @rows),
	);
	my $bandwidth = FTMPI::Bench::Svg::lines(
		%common,
		title  => "Ping-pong: bandwidth$over->{title} (higher is better)",
		y      => 'MB/s',
		series => _series(sub { $_[0] / $_[1] }, @rows),
	);
	return [ "$over->{name}latency", "Time one way over message size$over->{title}", $latency ],
		[ "$over->{name}bandwidth", "Bandwidth over message size$over->{title}", $bandwidth ];
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

# A barrier stands beside those of 8 bytes.
sub _collectives
{
	my ($row, $transport, $bytes, $note) = @_;
	my $over  = $OVER{$transport};
	my $where = $transport eq 'tcp' ? '' : "/$transport";
	my @groups = map { [ $_ => $_ . $where . ' ' . ($_ eq 'barrier' && $bytes == 8 ? 0 : $bytes) ] }
		FTMPI::Bench::Cases::collectives();
	my $size = FTMPI::Bench::Report::size({ what => '', bytes => $bytes });
	return _bar_chart($row, \@groups,
		name  => "$over->{name}collectives-$bytes",
		text  => "Collectives of $size beside the better peer$over->{title}",
		title => "Collectives, $size$over->{title}",
		note  => "$over->{note}, $note",
		x     => 'collective',
		aims  => _aims($transport, $bytes),
	);
}

sub _kernels
{
	my ($row, $note) = @_;
	my $over   = $OVER{default};
	my @groups = map { [ $_ => "$_/default " . FTMPI::Bench::Cases::kernel_size($_) ] } FTMPI::Bench::Cases::kernels();
	return _bar_chart($row, \@groups,
		name  => "$over->{name}kernels",
		text  => "Kernels beside the better peer$over->{title}",
		title => "Kernels$over->{title}",
		note  => "$over->{note}, $note",
		x     => 'kernel',
		aims  => [ { at => 1, name => 'as fast (target)' } ],
	);
}

# Our time over the better peer's. groups: [name, "WHAT BYTES"] each, a bar for each number of ranks; nothing
# without rows.
sub _bar_chart
{
	my ($row, $groups, %chart) = @_;
	my (@groups, %has);
	for my $group (@$groups) {
		my ($name, $rows) = @$group;
		my %bar;
		for my $ranks (keys %SHADE) {
			my $this = $row->{"$rows $ranks"} // next;
			$bar{$ranks} = FTMPI::Bench::Stats::to_peer($this) // next;
			$has{$ranks} = 1;
		}
		push @groups, { name => $name =~ s/_/-/r, bar => \%bar } if %bar;
	}
	return if !@groups;
	my @ranks = sort { $a <=> $b } keys %has;
	$_->{bars} = [ @{ $_->{bar} }{@ranks} ] for @groups;
	my $svg = FTMPI::Bench::Svg::bars(
		(map { $_ => $chart{$_} } qw(note x aims)),
		title  => "$chart{title}: time over the better peer's (lower is better)",
		y      => 'FTMPI / better peer',
		groups => \@groups,
		series => [ map { { name => "$_ ranks", colour => $SHADE{$_} } } @ranks ],
		_height(map { grep { defined } @{ $_->{bars} } } @groups),
	);
	return [ $chart{name}, $chart{text}, $svg ];
}

sub _height
{
	my (@values) = @_;
	my $top = max(1.2, map { $_ * 1.1 } @values);
	return (top => min(TOP, 0.2 * int($top / 0.2 + 0.999)), step => 0.2);
}

sub _aims
{
	my ($transport, $bytes) = @_;
	return [ { at => 1, name => 'as fast (target)' }, { at => 0.8, name => 'target with more ranks than cores' } ]
		if $transport eq 'default';
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
