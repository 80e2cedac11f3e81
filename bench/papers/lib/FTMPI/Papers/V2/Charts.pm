# SPDX-License-Identifier: BSD-3-Clause
#
# The charts of what was measured of message logging. Pure.
package FTMPI::Papers::V2::Charts;

use strict;
use warnings;

use List::Util qw(max);

use FTMPI::Bench::Stats      ();
use FTMPI::Bench::Svg        ();
use FTMPI::Papers::V2::Cases ();
use FTMPI::Papers::V2::Page  ();

my %LOOK   = (TCP => [ '#0072b2', 'circle' ], memory => [ '#e69f00', 'square' ], '1 Gbit/s' => [ '#009e73', 'diamond' ]);
my @SHADES = ('#9ecae1', '#6baed6', '#2f7fb5', '#0b3d66');
my @SHAPES = qw(square up diamond circle);

# [name, text, svg] each, of those for which there are rows.
sub all
{
	my ($result) = @_;
	my $note = FTMPI::Papers::V2::Page::head($result);
	return grep { defined } _bandwidth($result, $note, 'bandwidth', 'Ping-pong: bandwidth with message logging, and without'),
		_bandwidth($result, $note, 'both_ways', 'Ten messages each way at once: bandwidth with message logging, and without'), _again($result, $note), _faults($result, $note);
}

# Those that were measured.
sub _rows
{
	my ($result, $pattern) = @_;
	return grep { $_->{what} =~ $pattern && $_->{state}{FTMPI} eq 'ok' } @{ $result->{rows} };
}

sub _points
{
	my ($name, @rows) = @_;
	return [ map { [ $_->{bytes}, FTMPI::Bench::Stats::middle($_, $name) ] } @rows ];
}

sub _lines
{
	my ($name, $title, %chart) = @_;
	return [ $name, $title, FTMPI::Bench::Svg::lines(
		%chart,
		title   => $title,
		x       => 'message size',
		x_label => \&FTMPI::Papers::V2::Page::size
	) ];
}

sub _bandwidth
{
	my ($result, $note, $what, $title) = @_;
	my %rows;
	push @{ $rows{ FTMPI::Papers::V2::Page::over($_) } }, $_ for _rows($result, qr/^$what\b/);
	return if !%rows;
	my @series;
	for my $over (sort keys %rows) {
		my @look = (colour => $LOOK{$over}[0], shape => $LOOK{$over}[1]);
		push @series, { name => "$over without", @look, dashed => 1, points => _points('floor', @{ $rows{$over} }) },
			{ name => $over, @look, points => _points('FTMPI', @{ $rows{$over} }) };
	}
	return _lines($what, $title, note => $note, y => 'MB/s', series => \@series);
}

sub _again
{
	my ($result, $note) = @_;
	my @rows   = _rows($result, qr/^again\b/) or return;
	my @killed = FTMPI::Papers::V2::Cases::KILLED;
	return _lines('again', 'Re-execution: seconds from the kill until all are done again', note => $note, y => 'seconds', series => [
		{ name => 'first run', colour => '#777777', shape => 'circle', dashed => 1, points => _points('FTMPI', @rows) },
		map { { name => "$killed[$_] killed", colour => $SHADES[$_], shape => $SHAPES[$_], points => _points("x$killed[$_]", @rows) } } 0 .. $#killed
	]);
}

sub _faults
{
	my ($result, $note) = @_;
	my @groups = map {
		my $row = $_;
		{ name => $row->{bytes}, bars => [ map { FTMPI::Bench::Stats::median(FTMPI::Papers::V2::Page::ratios($row, 'FTMPI', $_)) } qw(floor none) ] }
	} _rows($result, qr/^faults\b/) or return;
	my $title = 'Faults: time to that without a protocol, and without a kill';
	return [ 'faults', $title, FTMPI::Bench::Svg::bars(
		title  => $title,
		note   => $note,
		x      => 'ranks that were killed',
		y      => 'ratio',
		groups => \@groups,
		series => [ { name => 'to no protocol', colour => $SHADES[0] }, { name => 'to no kill', colour => $SHADES[2] } ],
		aims   => [ { at => 2, name => 'theirs, 9 faults to none: below 2' } ],
		top    => 0.5 * int(2 * max(2.2, map { 1.1 * ($_ // 0) } map { @{ $_->{bars} } } @groups) + 1),
		step   => 0.5,
	) ];
}

1;
