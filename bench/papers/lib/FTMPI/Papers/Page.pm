# SPDX-License-Identifier: BSD-3-Clause
#
# What was measured as a page of Markdown and as charts. Pure. A result is as FTMPI::Papers::Values has it.
package FTMPI::Papers::Page;

use strict;
use warnings;

use List::Util qw(max min);

use FTMPI::Bench::Stats     ();
use FTMPI::Bench::Svg       ();
use FTMPI::Papers::Cases    ();
use FTMPI::Papers::Overhead ();

my @MEASURES = ('pieces cpu', 'pieces wall', 'runs cpu', 'runs wall');

# The first measure is the one that is held beside others'.
sub _overhead
{
	my ($got, $mode, $measure) = @_;
	my $runs = $got->{runs}{$mode} // return;
	return FTMPI::Papers::Overhead::overhead($measure // $MEASURES[0], $runs, $got->{runs}{source});
}

sub _line { return '| ' . join(' | ', @_) . " |\n" }

sub _columns { return _line(@_) . '|' . '---|' x @_ . "\n" }

# ---- ours beside theirs ----

sub beside_columns
{
	return _columns('program', 'size', 'ranks', 's', 'protocol %', 'checkpoint %', 'a line, MB', 'their size', 'ranks', 's',
		'protocol %', 'checkpoint %', 'table');
}

sub _percent { return defined $_[0] ? sprintf '%.2f', $_[0] : '-' }

sub beside_row
{
	my ($got) = @_;
	my ($case, $theirs) = ($got->{case}, $got->{case}{theirs});
	my $seconds = FTMPI::Bench::Stats::median(map { $_->{wall}{total} } @{ $got->{runs}{source} });
	return _line(
		$case->{program}, join(' ', $case->{size}, @{ $case->{more} // [] }), $case->{ranks}, sprintf('%.2f', $seconds),
		(map { FTMPI::Papers::Overhead::words(_overhead($got, $_)) } qw(protocol checkpoint)),
		defined $got->{bytes} ? sprintf('%.2f', $got->{bytes} / 1e6) : '-',
		@$theirs{qw(size ranks seconds)}, (map { _percent($theirs->{$_}) } qw(protocol checkpoint)), $theirs->{table},
	);
}

sub _tagging
{
	my (@measured) = @_;
	my @with = grep { $_->{runs}{tagging} } @measured or return '';
	return "\n## Event Logging beside Message Tagging\n\nNo checkpoint is made.\n\n"
		. _columns('size', 'eventlog %', 'tagging %', 'their eventlog %', 'their tagging %')
		. join '', map {
			my $got = $_;
			_line($got->{case}{size}, (map { FTMPI::Papers::Overhead::words(_overhead($got, $_)) } qw(protocol tagging)),
				map { _percent($got->{case}{theirs}{$_}) } qw(protocol tagging))
		} @with;
}

# ---- by each measure ----

sub _by_measure
{
	my (@measured) = @_;
	my @modes = qw(protocol checkpoint tagging again);
	my $text = "\n## By each measure\n\nPer cent beyond source mode; in brackets what it is within with 95 % certainty.\n\n"
		. _columns('program', 'mode', @MEASURES);
	for my $got (@measured) {
		$text .= _line($got->{case}{id}, $_, _measures($got, $_)) for grep { $got->{runs}{$_} } @modes;
	}
	return $text;
}

sub _measures
{
	my ($got, $mode) = @_;
	return map { FTMPI::Papers::Overhead::words(_overhead($got, $mode, $_)) } @MEASURES;
}

sub _head
{
	my ($result) = @_;
	my %head = map { @$_ } @{ $result->{head} };
	return "$head{machine}, $head{cores} cores, $head{system}; FTMPI $head{FTMPI}. $head{date}, " . _rounds($result)
		. " rounds in turns.\n";
}

# "12", or "6 to 12" when some programs were run more often.
sub _rounds
{
	my ($result) = @_;
	my @counts = map { scalar @{ $_->{runs}{source} } } @{ $result->{measured} };
	return min(@counts) == max(@counts) ? $counts[0] : min(@counts) . ' to ' . max(@counts);
}

# charts: [file name, text for those who cannot see it] each.
sub page
{
	my ($result, @charts) = @_;
	my @measured = @{ $result->{measured} };
	return "# What Event Logging costs\n\n" . _head($result)
		. "\nWhat the programs are, and how to read this: [bench/papers/README.md](../papers/README.md). Theirs: "
		. FTMPI::Papers::Cases::SOURCE . ".\n\n## Ours beside theirs\n\n" . beside_columns()
		. join('', map { beside_row($_) } @measured) . _tagging(@measured) . _by_measure(@measured)
		. (@charts ? "\n## Charts\n\n" . join "\n", map { "![$_->[1]]($_->[0])\n" } @charts : '');
}

# ---- charts ----

my @OURS   = ('#9ecae1', '#4292c6', '#084594');
my @THEIRS = ('#d9d9d9', '#969696', '#525252');
my @NUMBER = qw(1st 2nd 3rd);

# [name, text, svg] each.
sub charts
{
	my ($result) = @_;
	my @measured = @{ $result->{measured} };
	my $note = _head($result) =~ s/\n//r;
	return (
		_chart('protocol', 'Event Logging, no checkpoint made: overhead', $note, 'protocol', @measured),
		_chart('checkpoint', 'Event Logging, four checkpoints: overhead', $note, 'checkpoint', @measured),
		_chart('tagging', 'Message Tagging, no checkpoint made: overhead', $note, 'tagging', @measured),
	);
}

# A group for each program; in it ours, then theirs, by size. What is below nothing is noise.
sub _chart
{
	my ($name, $title, $note, $mode, @measured) = @_;
	my (@groups, %of);
	for my $got (grep { $_->{runs}{$mode} } @measured) {
		my $program = $got->{case}{program};
		push @groups, $of{$program} = { name => $program, ours => [], theirs => [] } if !$of{$program};
		my ($percent) = _overhead($got, $mode);
		push @{ $of{$program}{ours} }, $percent > 0 ? $percent : 0;
		push @{ $of{$program}{theirs} }, $got->{case}{theirs}{$mode};
	}
	return if !@groups;
	$_->{bars} = [ @{ $_->{ours} }[ 0 .. 2 ], @{ $_->{theirs} }[ 0 .. 2 ] ] for @groups;
	my $top  = max(5, map { 1.1 * ($_ // 0) } map { @{ $_->{bars} } } @groups);
	my $step = $top > 20 ? 5 : $top > 8 ? 2 : 1;
	return [ $name, "$title, ours and theirs", FTMPI::Bench::Svg::bars(
		title  => $title,
		note   => $note,
		x      => 'program; of each the sizes as in the table',
		y      => 'per cent',
		groups => \@groups,
		series => [ (map { { name => "FTMPI $NUMBER[$_]", colour => $OURS[$_] } } 0 .. 2),
			map { { name => "libELC $NUMBER[$_]", colour => $THEIRS[$_] } } 0 .. 2 ],
		aims => [],
		top  => $step * int($top / $step + 0.999),
		step => $step,
	) ];
}

1;
