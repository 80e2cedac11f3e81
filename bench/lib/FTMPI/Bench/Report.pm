# SPDX-License-Identifier: BSD-3-Clause
#
# A result as a page of Markdown. Pure.
package FTMPI::Bench::Report;

use strict;
use warnings;

use FTMPI::Bench::Cases   ();
use FTMPI::Bench::Peers   ();
use FTMPI::Bench::Results ();
use FTMPI::Bench::Stats   ();

my @COLUMNS = ('what', 'size', 'ranks', 'unit', 'floor', 'FTMPI', 'spread', 'Open MPI', 'MPICH',
	'to floor', 'to peer', 'target', '');

# Three figures, whole numbers from 1000.
sub number
{
	my ($value) = @_;
	return '-' if !defined $value;
	return sprintf '%.0f', $value if abs $value >= 1000;
	return sprintf '%.3f', $value if abs $value < 0.1;
	return sprintf '%.3g', $value;
}

sub size
{
	my ($row) = @_;
	my $bytes = $row->{bytes};
	return '' if !$bytes;
	my ($operation) = FTMPI::Bench::Cases::parts($row->{what});
	return "$bytes s" if $operation =~ /^(?:waiting|beating|msglog_again)\z/;
	return $bytes if FTMPI::Bench::Cases::kernel_size($operation) || $operation =~ /^msglog_(?:kills|left)\z/;
	return ($bytes >> 20) . ' MiB' if $bytes >= 1 << 20;
	return ($bytes >> 10) . ' KiB' if $bytes >= 1 << 10;
	return "$bytes B";
}

# The median, or why there is none.
sub _figure
{
	my ($row, $case, $name, $limit) = @_;
	my $state = $row->{state}{$name} // return $case->{section} =~ /^(?:Failures|Checkpoints|Images|Message)/ && $name ne 'floor' ? '-' : '';
	return $state if $state =~ /^(?:failed|skipped)\z/;
	return "> $limit s" if $state eq 'limit';
	return number(FTMPI::Bench::Stats::middle($row, $name));
}

# Closely: what is measured in pairs can be told so.
sub ratio
{
	my ($value, $closely) = @_;
	return sprintf '%.3f', $value if $closely && defined $value;
	return !defined $value ? '' : $value >= 10 ? sprintf '%.1f', $value : sprintf '%.2f', $value;
}

sub _line { return '| ' . join(' | ', @_) . " |\n" }

sub row_line
{
	my ($row, $case, $limit) = @_;
	my $spread  = FTMPI::Bench::Stats::spread($row, 'FTMPI');
	my $several = @{ $row->{values}{FTMPI} } > 1;
	my $verdict = FTMPI::Bench::Stats::verdict($row, $case);
	return _line(
		$row->{what}, size($row), $row->{ranks}, $row->{unit},
		(map { _figure($row, $case, $_, $limit) } 'floor', 'FTMPI'),
		$several && defined $spread ? sprintf('%.0f %%', $spread) : '',
		(map { _figure($row, $case, $_, $limit) } 'Open MPI', 'MPICH'),
		# beside memory the floor is an empty program, already taken off
		$row->{what} eq 'memory' ? '' : ratio(FTMPI::Bench::Stats::to_floor($row), FTMPI::Bench::Cases::is_paired($row)),
		ratio(FTMPI::Bench::Stats::to_peer($row)),
		FTMPI::Bench::Stats::target_text($case),
		$verdict eq 'not met' ? '**not met**' : $verdict,
	);
}

sub columns { return _line(@COLUMNS) . '|' . '---|' x @COLUMNS . "\n" }

# "41 of 43 targets are met", and which are not.
sub _summary
{
	my ($rows, $case_of) = @_;
	my %verdict = map { $_->{id} => FTMPI::Bench::Stats::verdict($_, $case_of->{ $_->{id} }) } @$rows;
	my @with    = grep { $verdict{ $_->{id} } ne '' } @$rows;
	my @not     = grep { $verdict{ $_->{id} } eq 'not met' } @with;
	my @unknown = grep { $verdict{ $_->{id} } eq '?' } @with;
	my @open    = grep { $verdict{ $_->{id} } eq 'undecided' } @with;
	my $met     = @with - @not - @unknown - @open;
	my $text    = "$met of " . @with . " targets are met";
	$text .= '; not met: ' . join ', ', map { _name($_) } @not if @not;
	$text .= '; undecided: ' . join ', ', map { _name($_) } @open if @open;
	$text .= '; nothing to hold against: ' . join ', ', map { _name($_) } @unknown if @unknown;
	return "$text.\n";
}

sub _name
{
	my ($row) = @_;
	return join ' ', grep { length } $row->{what}, size($row), "on $row->{ranks} ranks";
}

sub _head
{
	my ($result) = @_;
	my %head = map { @$_ } @{ $result->{head} };
	my @versions = map { "$_ $head{$_}" } grep { defined $head{$_} } 'FTMPI', 'Open MPI', 'MPICH';
	return "$head{machine}, $head{cores} cores, $head{system}; " . join(', ', @versions)
		. ", over TCP on this host where a row names no other transport. $head{date}, medians of $head{rounds} rounds in turns.\n";
}

# charts: [file name, text for those who cannot see it] each.
sub page
{
	my ($result, @charts) = @_;
	my $cores   = FTMPI::Bench::Results::head($result, 'cores') // 1;
	my $limit   = FTMPI::Bench::Results::head($result, 'limit') // '?';
	my %case_of = map { $_->{id} => $_ } FTMPI::Bench::Cases::all($cores);
	my $text    = "# FTMPI beside its peers\n\n" . _head($result) . "\n"
		. _summary($result->{rows}, \%case_of) . "\n"
		. "How to read this: [bench/README.md](../README.md).\n";
	my $section = '';
	for my $row (@{ $result->{rows} }) {
		my $case = $case_of{ $row->{id} };
		$text .= "\n## $case->{section}\n\n" . columns() if $case->{section} ne $section;
		$section = $case->{section};
		$text .= row_line($row, $case, $limit);
	}
	$text .= "\n## Notes\n\n" . join '', map { "* $_\n" } @{ $result->{notes} } if @{ $result->{notes} };
	$text .= "\n## Charts\n\n" . join "\n", map { "![$_->[1]]($_->[0])\n" } @charts if @charts;
	return $text;
}

1;
