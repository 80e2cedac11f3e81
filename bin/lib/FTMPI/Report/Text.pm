# SPDX-License-Identifier: BSD-3-Clause
#
# The report for a terminal of 80 columns. Pure.
package FTMPI::Report::Text;

use strict;
use warnings;

use List::Util qw(sum0);

use FTMPI::Report::Course   ();
use FTMPI::Report::Facts    ();
use FTMPI::Report::Options  ();
use FTMPI::Report::Timeline ();
use FTMPI::Report::Traffic  ();

use constant { COLUMNS => 80, PLOT => 60, ROWS_MAX => 24, LINES_MAX => 8, FAILURES_MAX => 20, REFUSED_MAX => 10, PAIRS_MAX => 8 };

my $S = \&FTMPI::Report::Facts::seconds;
my $B = \&FTMPI::Report::Facts::bytes;

sub page
{
	my ($report) = @_;
	my @parts = map { $_->($report) } \&_head, \&_costs, \&_timeline, \&_failures, \&_lines, \&_disk, \&_interval, \&_traffic, \&_refused, \&_chain, \&_method;
	return join("\n", @parts);
}

sub _words
{
	my ($text, $indent) = @_;
	$indent //= 0;
	return join '', map { ' ' x $indent . "$_\n" } FTMPI::Report::Options::wrapped($text, COLUMNS - $indent);
}

sub _titled { my ($title, $text) = @_; return uc($title) . "\n$text" }

sub _row { my ($label, $text) = @_; my ($first, @more) = FTMPI::Report::Options::wrapped($text, COLUMNS - 18); return sprintf("  %-15s %s\n", $label, $first) . join '', map { ' ' x 18 . "$_\n" } @more }

sub _head
{
	my ($report) = @_;
	my ($course, $state) = @$report{qw(course state)};
	my $start = FTMPI::Report::Course::last_start($course);
	my $end   = FTMPI::Report::Course::end($course);
	my $hosts = $course->hosts;
	my $text  = _words("Session $report->{session}: " . FTMPI::Report::Facts::state_words($state, $course) . ($end && length($end->{why} // '') ? ": $end->{why}" : ''));
	$text .= join '', map { _words("note: $_") } FTMPI::Report::Facts::cautions($report), @{ $report->{disk}{notes} };
	$text .= "\n" . _row('command', FTMPI::Report::Facts::command($start)) . _row('began', FTMPI::Report::Facts::moment($course->began)) . _row($end ? 'ended' : 'last event', FTMPI::Report::Facts::moment($course->began + $course->{span}) . ', after ' . $S->($course->{span}));
	$text .= _row('ranks', "$course->{ranks} on " . FTMPI::Report::Facts::count($hosts, 'host'));
	$text .= _row('goes on from', $start->{from}{session} eq $report->{session} ? 'an earlier ftmpirun of this session' : "session $start->{from}{session}" . (defined $start->{from}{line} ? ", line $start->{from}{line}" : '')) if $start->{from};
	$text .= _row('progress', FTMPI::Report::Facts::percent($course->{progress}{fraction}, 1) . ' done, says the program') if $course->{progress};
	return $text;
}

sub _costs
{
	my ($report) = @_;
	my $costs = $report->{costs};
	return _titled('where the time went', join '', map { sprintf "  %-30s %16s %10s\n", @$_ } (map { [ $_->[1], $S->($costs->{ $_->[0] }), FTMPI::Report::Facts::percent($costs->{ $_->[0] }, $costs->{total}) ] }
		grep { $costs->{ $_->[0] } > 0 || $_->[0] =~ /^(?:compute|stood|lost|down)\z/ } @FTMPI::Report::Facts::COSTS), [ 'all', $S->($costs->{total}), '100 %' ]);
}

# What stands for a cell: the rarest of what is at least a tenth of it, or what is down at all.
sub _letter
{
	my ($cell) = @_;
	return ' ' if !$cell;
	my $sum = sum0(@$cell);
	return ' ' if $sum <= 1e-9;
	my ($compute, $line, $lost, $start, $down) = map { $_ / $sum } @$cell;
	return $down > 0.001 ? 'X' : $lost > 0.1 ? '!' : $start > 0.1 ? 's' : $line > 0.5 ? 'o' : $compute > 0.001 || $line > 0.001 ? '-' : 's';
}

sub _timeline
{
	my ($report) = @_;
	my $course = $report->{course};
	my $table  = FTMPI::Report::Timeline::of($course, PLOT, ROWS_MAX);
	my ($text, $host) = ('', '');
	for my $row (@{ $table->{rows} }) {
		$text .= '  ' . ($host = $row->{host}) . "\n" if $table->{kind} eq 'rank' && $row->{host} ne $host;
		my $label = $table->{kind} eq 'rank' ? "  $row->{label}" : $row->{label};
		$label = substr($label, 0, 14) . '..' if length $label > 16;
		$text .= sprintf "  %-16s %s\n", $label, join('', map { _letter($_) } @{ $row->{cells} }) =~ s/ +\z//r;
	}
	$text .= _words('- computing, o mostly making lines, ! computed and lost, s starting, X down; each column is ' . $S->($course->{span} / PLOT), 2);
	return _titled('timeline', $text);
}

sub _failures
{
	my ($report) = @_;
	my $course = $report->{course};
	my @failures = @{ $course->{failures} };
	return _titled('failures', "  none was seen\n") if !@failures;
	my $n = 0;
	my $text = '';
	for my $failure (splice @failures, 0, FAILURES_MAX) {
		my $from  = FTMPI::Report::Facts::went_on_from($failure);
		my @words = (FTMPI::Report::Facts::decision_words($failure->{decision}) . (length $from ? " (from $from)" : ''));
		push @words, $S->($failure->{lost}) . ' of work lost' if defined $failure->{lost};
		push @words, defined $failure->{back} ? 'all back after ' . $S->($failure->{back} - $failure->{t}) : 'never back' if $failure->{decision} ne 'end';
		$text .= _words(++$n . '. ' . FTMPI::Report::Facts::moment($course->began + $failure->{t}) . ": $failure->{why}", 2) . _words(join(', ', @words), 5);
	}
	$text .= "  and " . @failures . " more\n" if @failures;
	return _titled('failures', $text);
}

sub _lines
{
	my ($report) = @_;
	my $course = $report->{course};
	my @lines = reverse @{ $course->{lines} };
	my $of = $report->{interval};
	return _titled('checkpoints', '  ' . sum0(map { $_->{count} // 1 } @{ $course->{checkpoints} }) . " by ranks, each alone\n") if @{ $course->{checkpoints} } && !@lines;
	return _titled('recovery lines', "  none was made\n") if !@lines;
	my $text = _words(sum0(map { $_->{count} // 1 } @lines) . ' were made' . (defined $of->{written} ? '; one took ' . $S->($of->{written}) . ' on average' : '') . (defined $of->{cost} ? ', for which the program stood still for ' . $S->($of->{cost}) : ''), 2);
	my $form = "  %8s  %-19s %10s %14s %18s\n";
	$text .= sprintf $form, 'line', 'when', 'size', 'made in', 'stood still';
	$text .= sprintf $form, $_->{line}, FTMPI::Report::Facts::moment($course->began + $_->{t}), defined $_->{bytes} ? $B->($_->{bytes}) : '', defined $_->{seconds} ? $S->($_->{seconds}) : '', $_->{stood_lines} ? $S->($_->{stood_longest} / $_->{stood_lines}) : ''
		for splice @lines, 0, LINES_MAX;
	$text .= '  and ' . @lines . " before\n" if @lines;
	return _titled('recovery lines', $text);
}

sub _disk
{
	my ($report) = @_;
	my @lines = @{ $report->{disk}{lines} } or return ();
	my $text = '';
	for my $line (splice @lines, 0, LINES_MAX) {
		$text .= _words("line $line->{line}: " . ($line->{problem} ne '' ? $line->{problem} : join ', ', FTMPI::Report::Facts::moment($line->{time}), $B->($line->{bytes}), $line->{kind}, defined $line->{whole} ? ($line->{whole} ? 'whole' : 'damaged') : 'not verified',
				defined $line->{messages} ? (FTMPI::Report::Facts::count($line->{messages}, 'message') . ' in transit', FTMPI::Report::Facts::count($line->{orphans}, 'orphan')) : ()), 2);
	}
	$text .= '  and ' . @lines . " more\n" if @lines;
	$text .= join '', map { _words($_, 2) } @{ $report->{disk}{problems} };
	return _titled('lines that are there now', $text);
}

sub _interval
{
	my ($report) = @_;
	my $of = $report->{interval};
	my $text = join '', map { _words($_, 2) } FTMPI::Report::Facts::interval_words($of);
	$text .= join '', map { sprintf "  %s  %-40s %14s\n", @$_[ 0 .. 2 ] } FTMPI::Report::Facts::inputs($of) if !defined $of->{none};
	$text .= join '', map { _words($_, 2) } @FTMPI::Report::Facts::FORMULA if !defined $of->{none};
	return _titled('how often a line is worth its price', $text);
}

# Few places have their bytes in the matrix, others a letter.
sub _traffic
{
	my ($report) = @_;
	my ($course, $matrix) = @$report{qw(course traffic)};
	my $text = join '', map { _words($_, 2) } FTMPI::Report::Traffic::words($course, $matrix);
	return _titled('who sent how much to whom', $text) if !$matrix;
	my @places = @{ $matrix->{places} };
	$text .= @places <= 5 ? _numbers($matrix) : _letters($matrix);
	my @pairs = FTMPI::Report::Traffic::pairs($matrix);
	$text .= sprintf "  %-44s %14s %14s\n", 'the largest', 'messages', 'bytes';
	$text .= sprintf "  %-44s %14s %14s\n", _brief("$places[ $_->[0] ]{words} to $places[ $_->[1] ]{words}", 44), $_->[2], $B->($_->[3]) for splice @pairs, 0, PAIRS_MAX;
	$text .= '  and ' . FTMPI::Report::Facts::count(scalar @pairs, 'more pair') . "\n" if @pairs;
	return _titled('who sent how much to whom', $text . _words($FTMPI::Report::Traffic::COUNTED, 2));
}

sub _brief { my ($text, $most) = @_; return length $text > $most ? substr($text, 0, $most - 2) . '..' : $text }

sub _numbers
{
	my ($matrix) = @_;
	my @places = @{ $matrix->{places} };
	my $text   = sprintf '  %-16s' . ' %11s' x @places . "\n", 'from, to', map { $_->{short} } @places;
	for my $from (0 .. $#places) {
		my $row = $matrix->{cells}{$from} // {};
		$text .= sprintf '  %-16s' . ' %11s' x @places . "\n", _brief($places[$from]{label}, 16), map { $row->{$_} ? $B->($row->{$_}[1]) : '-' } 0 .. $#places;
	}
	return $text;
}

my @LETTERS = (' ', '.', ':', '-', '+', '*', '#');

sub _letters
{
	my ($matrix) = @_;
	my @places = @{ $matrix->{places} };
	my $text   = '';
	for my $from (0 .. $#places) {
		my $row = $matrix->{cells}{$from} // {};
		$text .= sprintf "  %-18s |%s|\n", _brief($places[$from]{label}, 18), join '', map { $LETTERS[ FTMPI::Report::Traffic::level($matrix, $row->{$_}) ] } 0 .. $#places;
	}
	return $text . _words(join('; ', map { "$LETTERS[$_] " . FTMPI::Report::Traffic::level_words($matrix, $_) } reverse FTMPI::Report::Traffic::levels($matrix)) . '; columns are in the order of rows', 2);
}

sub _refused
{
	my ($report) = @_;
	my @refused = sort { $b->{count} <=> $a->{count} || $a->{first} <=> $b->{first} } @{ $report->{course}{refused} } or return ();
	my $text = join '', map { _words(FTMPI::Report::Facts::count($_->{count}, 'time') . ": $_->{why}", 2) } splice @refused, 0, REFUSED_MAX;
	$text .= '  and ' . @refused . " more reasons\n" if @refused;
	return _titled('lines that could not be made, and why', $text);
}

sub _chain
{
	my ($report) = @_;
	my @chain = @{ $report->{chain} } or return ();
	return _titled('sessions that went on from one another', join '', map {
		_words(join(', ', $_->{session} . ($_->{is_this} ? ' (this one)' : ''), defined $_->{line} ? "from line $_->{line}" : (), defined $_->{seconds} ? 'ran for ' . $S->($_->{seconds}) : 'no record that is read', defined $_->{status} ? "status $_->{status}" : (), defined $_->{back} ? $S->($_->{back}) . ' done again by the next' : ()), 2)
	} @chain);
}

sub _method { return _titled('about these numbers', join '', map { _words($_, 2) } @FTMPI::Report::Facts::METHOD) }

1;
