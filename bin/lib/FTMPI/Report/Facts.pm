# SPDX-License-Identifier: BSD-3-Clause
#
# What a report says, whatever its form: amounts and sentences, made from the course of a job. Pure.
package FTMPI::Report::Facts;

use strict;
use warnings;

use List::Util qw(max min sum0);
use POSIX      ();

use FTMPI::Amounts          ();
use FTMPI::Report::Course   ();
use FTMPI::Report::Interval ();

# The rows of the table of costs: [name in FTMPI::Report::Course::costs, words, what that is].
our @COSTS = (
	[ compute => 'computing',                    'what is left of the time when all below is taken away' ],
	[ stood   => 'standing still for lines',     'the rank that stood longest, of each line' ],
	[ lost    => 'work lost by failures',        'computed between the line that the ranks went back to and the failure, and done again' ],
	[ down    => 'until all ranks were back',    'from a failure until all ranks had called MPI_Init again' ],
	[ start   => 'start',                        'from the start of ftmpirun until all ranks had called MPI_Init' ],
	[ away    => 'without ftmpirun',             'between one ftmpirun of this session and the next' ],
	[ unsaved => 'work after the last line',     'computed after the last line of a run that did not end well; no line holds it' ],
);

# The words for FTMPI::Launcher::Failure's classes, and for decisions.
my %CLASS = (
	error => 'the program ended with an error', crash => 'the program crashed', killed => 'killed from outside', hung => 'showed no life', lost => 'connection lost', host => 'host lost',
	final => 'could not go on',
);
my %DECISION = (restart => 'all ranks went back', rerun => 'the rank began again alone', move => 'its ranks began again elsewhere', end => 'the job was ended');

sub class_words    { my ($class) = @_; return $CLASS{$class} // $class }
sub decision_words { my ($decision) = @_; return $DECISION{$decision} // $decision }

# What its ranks went on from.
sub went_on_from
{
	my ($failure) = @_;
	return '' if $failure->{decision} eq 'end';
	return 'the beginning' if !defined $failure->{restored} && defined $failure->{back};
	return 'not known' if !defined $failure->{restored};
	return "line $failure->{restored}" if $failure->{decision} eq 'restart';
	return @{ $failure->{ranks} } > 1 ? 'their checkpoints' : "checkpoint $failure->{restored}";
}

sub seconds { my ($s) = @_; return !defined $s ? 'not known' : $s <= 0 ? '0 s' : FTMPI::Amounts::duration($s) }
sub bytes   { my ($n) = @_; return defined $n ? FTMPI::Amounts::bytes($n) : 'not known' }
sub count   { my ($n, $one, $many) = @_; return "$n " . ($n == 1 ? $one : $many // "${one}s") }

sub percent
{
	my ($part, $whole) = @_;
	my $percent = $whole > 0 ? 100 * $part / $whole : 0;
	return '0 %' if $part <= 0;
	return $percent < 0.01 ? '< 0.01 %' : sprintf($percent < 0.995 ? '%.2f %%' : $percent < 9.95 ? '%.1f %%' : '%.0f %%', $percent);
}

sub moment { my ($time) = @_; return POSIX::strftime('%Y-%m-%d %H:%M:%S', localtime $time) }
sub zone   { my ($time) = @_; return POSIX::strftime('%Z (UTC%z)', localtime $time) }

# 0-3, 5
sub ranges
{
	my (@numbers) = sort { $a <=> $b } @_;
	my @ranges;
	for my $n (@numbers) {
		if (@ranges && $n <= $ranges[-1][1] + 1) { $ranges[-1][1] = $n }
		else                                     { push @ranges, [ $n, $n ] }
	}
	my @words = map { $_->[0] == $_->[1] ? $_->[0] : "$_->[0]-$_->[1]" } @ranges;
	return join ', ', @words <= 12 ? @words : (@words[ 0 .. 10 ], '... (' . count(scalar @numbers, 'rank') . ')');
}

# -n 4 ./prog ARGS : -n 2 ./other
sub command
{
	my ($start) = @_;
	my $text = join ' : ', map { my $part = $_; "-n $part->{ranks} " . join ' ', map { /^[\w.,:=\/+@%-]+\z/ ? $_ : "'" . s/'/'\\''/gr . "'" } $part->{program}, @{ $part->{arguments} // [] } } @{ $start->{parts} };
	return length $text > 600 ? substr($text, 0, 600) . '...' : $text;
}

sub state_words
{
	my ($state, $course) = @_;
	my $end = FTMPI::Report::Course::end($course);
	return $end->{status} == 0 ? 'ended well' : "ended with status $end->{status}" if $end;
	return 'still runs' if $state eq 'running';
	return 'ftmpirun was killed' if $state eq 'killed';
	return 'has no end in its record';
}

# What the reader has to know before anything else is believed: sentences.
sub cautions
{
	my ($report) = @_;
	my ($record, $course, $state) = @$report{qw(record course state)};
	my @said;
	my $host = FTMPI::Report::Course::last_start($course)->{host} // 'another host';
	push @said, 'The job still runs: this is how it is now.' if $state eq 'running';
	push @said, 'The record has no end, and its ftmpirun does not run any more: it was killed, or its host went down. What came after the last event, ' . moment($course->began + $course->{span}) . ', is not known.'
		if $state eq 'killed';
	push @said, "The record has no end: the job runs, or its ftmpirun was killed; only on $host that could be seen. The last event is of " . moment($course->began + $course->{span}) . '.' if $state eq 'away';
	my $left_out = $record->{left_out};
	my $n = sum0(values %$left_out);
	push @said, count($n, 'line') . ' of the record ' . ($n == 1 ? 'is' : 'are') . ' left out: ' . join('; ', map { "$_ ($left_out->{$_})" } sort { $left_out->{$b} <=> $left_out->{$a} || $a cmp $b } keys %$left_out) . '.' if $n;
	push @said, 'The last line of the record is cut in its middle, and left out.' if $record->{cut};
	push @said, "The record is longer than is read: $record->{more} lines behind the first " . @{ $record->{events} } . ' events are left out.' if $record->{more};
	push @said, 'The record is longer than is read; what is behind ' . bytes(FTMPI::Report::Events::BYTES_MAX()) . ' is left out.' if $record->{large};
	push @said, count($record->{dropped}, 'event') . ' could not be written by ftmpirun (a full disk, or too many at once), and ' . ($record->{dropped} == 1 ? 'is' : 'are') . ' missing here.' if $record->{dropped};
	push @said, "The record is of version $record->{later}, later than this program knows: what it does not know is left out." if $record->{later};
	push @said, 'What ranks that the job does not have are said to have sent is left out.' if $course->{strange_traffic};
	push @said, 'Not all that single ranks did is in the timeline, as there was too much of it.' if $course->{own_more};
	push @said, 'Not all places of ranks are in the timeline, as they changed too often.' if $course->{places_more};
	push @said, "$course->{refused_more} more reasons why no line was made are left out." if $course->{refused_more};
	return @said;
}

# ---- the interval ----

# mtbf: given by the user, or undef. Returns what was measured, and
#	none: why nothing can be said
# or	mtbf, given; least, most: the range of it, if it was seen; young, daly: seconds of computing between lines; setting: of -ckpt-interval; used: seconds of computing between lines,
#	if it is known; over_used, over_best: what a job takes longer, in parts of its computing; daly_least, daly_most: where mtbf is least or most
sub interval
{
	my ($course, $given) = @_;
	my %of = %{ $course->measured };
	my $start = FTMPI::Report::Course::last_start($course);
	$of{asked} = $start->{interval};
	$of{used}  = max(0.001, $of{period} - ($of{cost} // 0)) if defined $of{period};
	$of{none} = _nothing_to_say($course, \%of, $given);
	return \%of if defined $of{none};
	@of{qw(mtbf given)} = defined $given ? ($given, 1) : ($of{up} / $of{failures}, 0);
	my ($cost, $mtbf, $restart) = ($of{cost}, $of{mtbf}, $of{restart} // 0);
	$of{young} = FTMPI::Report::Interval::young($cost, $mtbf);
	$of{daly}  = max(0.001, FTMPI::Report::Interval::daly($cost, $mtbf));
	# -ckpt-interval counts from the moment when a line is there
	$of{setting} = max(0.1, $of{daly} + $cost - ($of{written} // $cost));
	$of{over_best} = FTMPI::Report::Interval::overhead($of{daly}, $cost, $restart, $mtbf);
	$of{over_used} = FTMPI::Report::Interval::overhead($of{used}, $cost, $restart, $mtbf) if defined $of{used};
	if (!$of{given}) {
		@of{qw(least most)} = FTMPI::Report::Interval::mtbf_range($of{failures}, $of{up});
		@of{qw(daly_least daly_most)} = map { max(0.001, FTMPI::Report::Interval::daly($cost, $_)) } @of{qw(least most)};
	}
	return \%of;
}

sub _nothing_to_say
{
	my ($course, $of, $given) = @_;
	return 'In this job a rank that fails goes back alone (-coord msglog). The formulas are of jobs in which all ranks go back together, and say nothing of it.' if $course->is_alone;
	return 'No line was made, so it is not known what one costs.' if !$of->{lines};
	return 'What a line costs is not in the record: ranks tell how long they stood still from one second after the start on.' if !$of->{cost};
	return 'No failure was seen, so how often failures come is not known, and nothing can be said; -mtbf TIME gives a mean time between them.' if !defined $given && !$of->{failures};
	return undef;
}

# For people, about that: sentences.
sub interval_words
{
	my ($of) = @_;
	return $of->{none} if defined $of->{none};
	my @said;
	my $pause = sub { seconds($_[0]) };
	push @said, $of->{given}
		? 'The mean time between failures is given (-mtbf): ' . $pause->($of->{mtbf}) . '.'
		: count($of->{failures}, 'failure') . ' in ' . $pause->($of->{up}) . ' of running: one in ' . $pause->($of->{mtbf}) . ' on average. So few failures do not say more than that the mean lies, 9 times of 10, between '
			. $pause->($of->{least}) . ' and ' . $pause->($of->{most}) . '; for these the best time between lines is ' . $pause->($of->{daly_least}) . ' and ' . $pause->($of->{daly_most}) . '.';
	push @said, 'Best is ' . $pause->($of->{daly}) . ' of computing between two lines (' . $pause->($of->{young}) . ' by Young\'s formula): lines and failures then cost ' . _over($of->{over_best}) . '.';
	push @said, 'As a line takes ' . $pause->($of->{written}) . ' from its beginning until it counts, and -ckpt-interval counts from then on, that is -ckpt-interval ' . _setting($of->{setting}) . '.' if defined $of->{written};
	push @said, 'The job computed ' . $pause->($of->{used}) . ' between two lines, with which they cost ' . _over($of->{over_used}) . _verdict($of) if defined $of->{used};
	return @said;
}

sub _over { my ($part) = @_; return $part >= 10 ? 'more than ten times the computing' : percent($part, 1) . ' of the computing' }

sub _setting { my ($s) = @_; return $s < 9.95 ? sprintf('%.1f', $s) : sprintf '%.0f', $s }

sub _verdict
{
	my ($of) = @_;
	my $more = $of->{over_used} - $of->{over_best};
	return $more < 0.005 ? '; there is little to gain.' : $of->{used} < $of->{daly} ? '; fewer lines would be better.' : '; more lines would be better.';
}

our @FORMULA = (
	'T = sqrt(2 C M)  (J. W. Young, 1974)',
	'T = sqrt(2 C M) (1 + 1/3 sqrt(C / 2M) + 1/9 C / 2M) - C,  or M where C >= 2M  (J. T. Daly, 2006)',
	'cost = M exp(R/M) (exp((T + C) / M) - 1) / T - 1  (Daly), in parts of the computing',
);

# [letter, words, value] of what goes into the formulas.
sub inputs
{
	my ($of) = @_;
	return (
		[ 'C', 'the program stands still for a line', seconds($of->{cost}), 'mean of ' . count($of->{lines}, 'line') ],
		[ 'R', 'restart', seconds($of->{restart}), defined $of->{restart} ? 'mean, from a failure until all ranks were back' : 'no restart was seen: 0 s is taken' ],
		[ 'M', 'mean time between failures', seconds($of->{mtbf}), $of->{given} ? 'given (-mtbf)' : $of->{failures} ? seconds($of->{up}) . ' of running / ' . count($of->{failures}, 'failure') : 'no failure was seen' ],
		[ 'T', 'computing between two lines, as it was', seconds($of->{used}), 'median from one line to the next, without C' . (defined $of->{asked} ? '; -ckpt-interval ' . _setting($of->{asked}) : '') ],
	);
}

# How the numbers came about: sentences.
our @METHOD = (
	'Times are those of ftmpirun, when it heard of what happened. What single ranks did between is not in the record: all are taken to compute where nothing else is known.',
	'While a line is made ("a line is made") the program runs for the most part; how long it stood still is told by the ranks, every second or later, so it may stand at a later line, for several of them.',
	'Where the program stood still for the last line before a failure, that is in both "standing still" and "work lost"; so computing took a little longer than is said.',
	'Where ranks go back alone (-coord msglog) lost work and the time until they were back count for these ranks\' part of all ranks; how long others waited for them is not in the record.',
);

1;
