#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# ftmpi-report: what it believes of a record, what follows from events, and what it prints. Jobs are in bin/tests/job/tools/report.t.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../lib";

use File::Path ();
use List::Util qw(max sum0);
use Test::More;

use FTMPI::Net              ();
use FTMPI::Report::Course   ();
use FTMPI::Report::Events   ();
use FTMPI::Report::Facts    ();
use FTMPI::Report::Html     ();
use FTMPI::Report::Interval ();
use FTMPI::Report::Manual   ();
use FTMPI::Report::Options  ();
use FTMPI::Report::Svg      ();
use FTMPI::Report::Timeline ();
use FTMPI::Test::File qw(read_file write_file);
use LauncherTest;

my $root   = "$FindBin::Bin/../../..";
my $REPORT = "$root/bin/ftmpi-report";
my $NAME   = '20261121-203610-1a2b3c4d';

sub report { my (@words) = @_; return LauncherTest::wait_end(begin([ $REPORT, @words ], dir => scratch())) }

# ---- records ----

# An event as ftmpirun writes it: its time since the start, its name, the rest of the object.
sub event { my ($at, $name, $rest) = @_; return sprintf qq({"time":%.3f,"at":%.3f,"event":"%s"%s}\n), 1795293000 + $at, $at, $name, $rest ? ",$rest" : '' }

sub hosts { my (@hosts) = @_; return '"hosts":[' . join(',', map { my ($name, @ranks) = @$_; qq({"name":"$name","slots":2,"ranks":[) . join(',', @ranks) . ']}' } @hosts) . ']' }

my @TWO   = ([ 'nodeA', 0, 1 ], [ 'nodeB', 2, 3 ]);
my @MOVED = ([ 'nodeA', 0, 1 ], [ 'nodeC', 2, 3 ]);
sub start { my ($more) = @_; return event(0, 'start', qq("v":1,"session":"$NAME","host":"elsewhere","pid":1,"interval":10,"holds":"images","protocol":"blocking",) . hosts(@TWO, ['nodeC']) . ',"parts":[{"ranks":4,"program":"./a","arguments":["x"]}]' . ($more // '')) }

# Lines of 2 s at 10 and 20, of which the ranks tell 1 s each; at 26 nodeB is lost; all are back at 30; the job ends at 40.
sub story
{
	return (
		start(),
		event(1, 'run', '"epoch":0,' . hosts(@TWO)),
		event(2, 'ready', '"epoch":0'),
		event(10, 'line_committed', '"line":1,"by":"time","bytes":1000,"seconds":2,"held":0,"stood_lines":1,"stood_longest":1,"stood_mean":1'),
		event(20, 'line_committed', '"line":2,"by":"time","bytes":3000,"seconds":2,"held":0,"stood_lines":1,"stood_longest":1,"stood_mean":1'),
		event(26, 'failure', '"class":"host","decision":"restart","lost":8,"ranks":[2,3],"why":"lost the connection to host nodeB"'),
		event(26, 'restart', '"epoch":1,"kind":"all"'),
		event(27, 'run', '"epoch":1,' . hosts(@MOVED)),
		event(29, 'restored', qq("line":2,"session":"$NAME")),
		event(30, 'back', '"epoch":1,"seconds":4'),
		event(40, 'end', '"status":0,"seconds":40,"lines":2,"checkpoints":0,"restarts":1,"lost":8,"stood":2'),
	);
}

sub course_of { return FTMPI::Report::Course::of(FTMPI::Report::Events::parse_text(join '', @_)->{events}) }

is_deeply([ map { $_->{event} } @{ FTMPI::Report::Events::parse_text(join '', story())->{events} } ],
	[qw(start run ready line_committed line_committed failure restart run restored back end)], 'a record is read');

# What is left out, and why: behind a start that is well.
for my $case (
	[ 'no JSON',          qq(x\n),                                            'no JSON' ],
	[ 'an empty line',    qq(\n),                                             'no JSON' ],
	[ 'bytes',            "\xff\xfe\x00{\n",                                  'no JSON' ],
	[ 'deep JSON',        '[' x 100 . ']' x 100 . "\n",                       'no JSON' ],
	[ 'a list',           qq([1]\n),                                          'no object' ],
	[ 'a number',         qq(5\n),                                            'no JSON', 'no object' ],
	[ 'no event',         qq({"time":1,"at":1}\n),                            'without an event' ],
	[ 'an odd event',     qq({"time":1,"at":1,"event":{"a":1}}\n),            'without an event' ],
	[ 'an unknown one',   event(1, 'frob'),                                   'of an event that is not known here: frob' ],
	[ 'no time',          qq({"at":1,"event":"finalizing"}\n),                'finalizing: time is missing, or makes no sense' ],
	[ 'a text as a time', qq({"time":"1","at":1,"event":"finalizing"}\n),     'finalizing: time is missing, or makes no sense' ],
	[ 'a large time',     qq({"time":1e300,"at":1,"event":"finalizing"}\n),   'finalizing: time is missing, or makes no sense' ],
	[ 'infinity',         qq({"time":1,"at":1e999,"event":"finalizing"}\n),   'finalizing: at is missing, or makes no sense' ],
	[ 'time before the start', qq({"time":1,"at":-1,"event":"finalizing"}\n), 'finalizing: at is missing, or makes no sense' ],
	[ 'a negative line',  event(1, 'line_committed', '"line":-1'),            'line_committed: line is missing, or makes no sense' ],
	[ 'half a line',      event(1, 'line_committed', '"line":1.5'),           'line_committed: line is missing, or makes no sense' ],
	[ 'true',             event(1, 'line_committed', '"line":true'),          'line_committed: line is missing, or makes no sense' ],
	[ 'many digits',      event(1, 'line_committed', '"line":1' . '0' x 400), 'line_committed: line is missing, or makes no sense' ],
	[ 'a list of bytes',  event(1, 'line_committed', '"line":1,"bytes":[1]'), 'line_committed: bytes is missing, or makes no sense' ],
	[ 'an odd decision',  event(1, 'failure', '"class":"host","decision":"frob"'), 'failure: decision is missing, or makes no sense' ],
	[ 'a rank too many',  event(1, 'failure', '"class":"host","decision":"end","ranks":[65536]'), 'failure: ranks is missing, or makes no sense' ],
	[ 'a name as a rank', event(1, 'failure', '"class":"host","decision":"end","ranks":["a"]'), 'failure: ranks is missing, or makes no sense' ],
	[ 'a status',         event(1, 'end', '"status":256'),                    'end: status is missing, or makes no sense' ],
	[ 'hosts',            event(1, 'run', '"epoch":0,"hosts":[{"name":"","ranks":[]}]'), 'run: hosts is missing, or makes no sense' ],
	[ 'a host twice',     event(1, 'run', '"epoch":0,' . hosts([ 'a', 0 ], [ 'a', 1 ])), 'run: hosts is missing, or makes no sense' ],
	[ 'a rank twice',     event(1, 'run', '"epoch":0,' . hosts([ 'a', 0 ], [ 'b', 0 ])), 'run: hosts is missing, or makes no sense' ],
	[ 'much progress',    event(1, 'progress', '"fraction":1.01'),            'progress: fraction is missing, or makes no sense' ],
	[ 'time that goes back', event(5, 'finalizing') . event(1, 'finalizing'), 'older than the line before' ],
) {
	my ($name, $text, @why) = @$case;
	my $record = FTMPI::Report::Events::parse_text(start() . $text . event(9, 'suspicion', '"rank":1'));
	my ($said) = keys %{ $record->{left_out} };
	ok((grep { $_ eq ($said // '') } @why) && sum0(values %{ $record->{left_out} }) == 1, "$name: left out, and counted") or diag(explain($record->{left_out}));
	is($record->{events}[-1]{event}, 'suspicion', '... and what is behind is read');
}
# Those that ftmpirun writes (doc/record.md), each read with what it may hold.
my %written = map { /^\| `?([a-z_]+)`? \|/ ? ($1 => 1) : () } split /\n/, read_file("$FindBin::Bin/../../../doc/record.md") =~ s/\A.*^(?=\| event \|)|^## status\.json.*//gmsr;
delete $written{event};
cmp_ok(keys %written, '>', 15, 'events are documented');
for my $name (sort keys %written) {
	my (undef, $why) = FTMPI::Report::Events::event_of(qq({"time":1,"at":1,"event":"$name"}\n));
	unlike($why // '', qr/not known/, "$name, which is documented, is known");
}
for my $whole (
	[ 'interval', '"seconds":2.5,"cost":0.1,"mtbf":30,"failures":2' ],
	[ 'injected', '"fault":"kill:2@5s","kind":"kill","rank":2,"host":"a"' ],
) {
	my ($event) = FTMPI::Report::Events::event_of(event(1, @$whole));
	is(($event // {})->{event}, $whole->[0], "$whole->[0] is read");
}
my $many = FTMPI::Report::Events::parse_text(join '', map { event(1, "odd_$_" =~ tr/0-9/a-j/r) } 1 .. 500);
is_deeply([ sum0(values %{ $many->{left_out} }), keys %{ $many->{left_out} } <= FTMPI::Report::Events::REASONS_MAX + 1 ? 'few' : 'many' ], [ 500, 'few' ], 'many reasons are one, and all are counted');

my $cut = FTMPI::Report::Events::parse_text(start() . substr event(1, 'ready', '"epoch":0'), 0, 30);
is_deeply([ $cut->{cut}, scalar @{ $cut->{events} }, $cut->{left_out} ], [ 1, 1, {} ], 'a last line that is cut');
is(FTMPI::Report::Events::parse_text(start() . qq({"event":"dropped","count":7}\n))->{dropped}, 7, 'what ftmpirun could not write is counted');
is(FTMPI::Report::Events::parse_text(start() =~ s/"v":1/"v":2/r)->{later}, 2, 'a later version');
like(FTMPI::Report::Events::parse_text(start() . event(1, 'line_refused', qq("why":"a\\u0007b\\u202ec\\n")))->{events}[1]{why}, qr/^a b c ?\z/, 'no control characters, and none that turn text round');

# ---- the course of a job ----

my $course = course_of(story());
my %costs  = %{ $course->costs };
$_ = sprintf('%.6f', $_) + 0 for values %costs;
is_deeply(\%costs, { total => 40, start => 2, stood => 2, lost => 8, down => 4, away => 0, unsaved => 0, compute => 24 }, 'costs');
my $failure = $course->{failures}[0];
is_deeply([ map { sprintf '%.3f', $_ } @$failure{qw(t back)} ], [qw(26.000 30.000)], 'a failure, and when all were back');
is(FTMPI::Report::Facts::went_on_from($failure), 'line 2', '... from which line');
is_deeply([ map { [ map { /^[\d.]+\z/ ? 0 + sprintf '%.3f', $_ : $_ } @$_ ] } @{ $course->{all} } ], [ [ 0, 2, 'start' ], [ 2, 8, 'compute' ], [ 8, 10, 'line' ], [ 10, 18, 'compute' ], [ 18, 20, 'line' ], [ 20, 26, 'lost' ], [ 26, 30, 'start' ], [ 30, 40, 'compute' ] ],
	'what all ranks did: what was computed since the line is lost');
is_deeply([ map { [ map { /^[\d.]+\z/ ? 0 + sprintf '%.3f', $_ : $_ } @$_ ] } @{ $course->{own}{2} } ], [ [ 26, 27, 'down' ] ], 'a rank of the lost host is down until all run again');
is_deeply($course->{own}{0}, undef, '... and no other');
is($course->hosts, 3, 'hosts that had ranks');

# Two failures before anybody is back: the time is counted once, and so is the work.
my $twice = course_of(start(), event(2, 'ready', '"epoch":0'), event(10, 'failure', '"class":"killed","decision":"restart","lost":8,"ranks":[1]'), event(12, 'failure', '"class":"killed","decision":"restart","lost":10,"ranks":[2]'), event(15, 'back', '"epoch":2,"seconds":5'), event(20, 'end', '"status":0'));
is_deeply([ map { sprintf '%.3f', $_ } @{ $twice->costs }{qw(lost down)} ], [qw(8.000 5.000)], 'a failure on the way back');

my $unfinished = course_of((story())[ 0 .. 4 ], event(25, 'finalizing'));
is(sprintf('%.3f', $unfinished->costs->{unsaved}), '7.000', 'a record without an end: what came after the last line is in none');
my $failed = course_of((story())[ 0 .. 4 ], event(26, 'failure', '"class":"error","decision":"end","ranks":[1],"why":"exit 3"'), event(27, 'end', '"status":3,"why":"exit 3"'));
is(FTMPI::Report::Facts::state_words('ended', $failed), 'ended with status 3', 'a job that failed');
is(FTMPI::Report::Facts::went_on_from($failed->{failures}[0]), '', '... goes on from nothing');

# Message logging: a rank alone; and ftmpirun again, in the same session.
my $alone = course_of(start() =~ s/blocking/msglog/r, event(2, 'ready', '"epoch":0'), event(5, 'checkpoint', '"rank":1,"number":1,"bytes":10'), event(10, 'failure', '"class":"killed","decision":"rerun","lost":4,"ranks":[1]'),
	event(11, 'restored', '"rank":1,"number":1'), event(12, 'back', '"epoch":0,"seconds":2'), event(20, 'end', '"status":130'),
	start() =~ s/1795293000/1795293050/r, qq({"time":1795293052,"at":2,"event":"ready","epoch":0}\n), qq({"time":1795293060,"at":10,"event":"end","status":0}\n));
is_deeply([ map { sprintf '%.3f', $_ } @{ $alone->costs }{qw(total away start lost down)} ], [qw(60.000 30.000 4.000 1.000 0.500)], 'a rank alone is a part of all, and there was no ftmpirun for a while');
is_deeply([ map { $_->[2] } @{ $alone->{own}{1} } ], [qw(lost down start)], '... which did something else meanwhile');
is(FTMPI::Report::Facts::went_on_from($alone->{failures}[0]), 'checkpoint 1', '... from its checkpoint');
like(FTMPI::Report::Facts::interval($alone, 1000)->{none}, qr/goes back alone/, '... and no formula is for it');

# A rank that fails again before it is back.
my $again = course_of(start() =~ s/blocking/msglog/r, event(2, 'ready', '"epoch":0'), event(10, 'failure', '"class":"killed","decision":"rerun","lost":4,"ranks":[1]'), event(12, 'failure', '"class":"killed","decision":"rerun","lost":6,"ranks":[1]'),
	event(13, 'restored', '"rank":1,"number":1'), event(15, 'back', '"epoch":0,"seconds":5'), event(16, 'failure', '"class":"killed","decision":"rerun","lost":600,"ranks":[1]'), event(18, 'back', '"epoch":0,"seconds":2'), event(20, 'end', '"status":0'));
is_deeply([ map { [ map { /^[\d.]+\z/ ? 0 + sprintf '%.3f', $_ : $_ } @$_ ] } @{ $again->{own}{1} } ],
	[ [ 6, 10, 'lost' ], [ 10, 12, 'down' ], [ 12, 13, 'down' ], [ 13, 15, 'start' ], [ 15, 16, 'lost' ], [ 16, 18, 'down' ] ], 'a rank that fails again on its way back loses nothing more');
is($again->{failures}[2]{lost}, 16, '... and nobody loses more than there was time for');

# ---- the timeline ----

my $table = FTMPI::Report::Timeline::of($course, 40);
is_deeply([ map { "$_->{host} $_->{label}" } @{ $table->{rows} } ], [ 'nodeA rank 0', 'nodeA rank 1', 'nodeB rank 2', 'nodeB rank 3', 'nodeC rank 2', 'nodeC rank 3' ], 'a row for each rank on each host');
sub letters { my ($row) = @_; return join '', map { my $cell = $_; $cell ? substr('clLsD', (sort { $cell->[$b] <=> $cell->[$a] } 0 .. $#$cell)[0], 1) : ' ' } @{ $row->{cells} } }
is(letters($table->{rows}[0]), 'ss' . 'c' x 6 . 'll' . 'c' x 8 . 'll' . 'L' x 6 . 's' x 4 . 'c' x 10, '... what rank 0 did');
is(letters($table->{rows}[2]), 'ss' . 'c' x 6 . 'll' . 'c' x 8 . 'll' . 'L' x 6 . 'D' . ' ' x 13, '... rank 2 until its host was lost');
is(letters($table->{rows}[4]), ' ' x 27 . 's' x 3 . 'c' x 10, '... and on the other host');
my $few = FTMPI::Report::Timeline::of($course, 10, 3);
is_deeply([ map { "$_->{label} $_->{ranks}" } @{ $few->{rows} } ], [ 'nodeA 2', 'nodeB 2', 'nodeC 2' ], 'where there are more ranks than rows: hosts');
is_deeply([ map { sprintf '%.2f', $_ } @{ $few->{rows}[1]{cells}[6] } ], [qw(0.00 0.00 1.00 0.00 0.50)], '... on average of each column: computed and lost for 2 s of 4, down for 1');
is_deeply([ map { $_->{label} } @{ FTMPI::Report::Timeline::of($course, 10, 2)->{rows} } ], [ 'nodeA-nodeB', 'nodeC' ], '... or several hosts');

# 4096 ranks on 512 hosts, 10,000 lines, 200 failures
sub large
{
	my @hosts = map { my $h = $_; [ sprintf('node%03d.cluster', $h), map { 8 * $h + $_ } 0 .. 7 ] } 0 .. 511;
	my @events = (event(0, 'start', '"v":1,' . hosts(@hosts) . ',"parts":[{"ranks":4096,"program":"a"}]'), event(5, 'ready', '"epoch":0'));
	for my $i (1 .. 10_000) {
		push @events, event(60 * $i, 'line_committed', qq("line":$i,"seconds":9.5,"bytes":1e9,"stood_lines":1,"stood_longest":2));
		push @events, event(60 * $i + 10, 'failure', '"class":"killed","decision":"restart","lost":12,"ranks":[' . $i % 4096 . ']'), event(60 * $i + 20, 'back', '"epoch":1,"seconds":10') if $i % 50 == 0;
	}
	return course_of(@events);
}
my $large = large();
my ($svg) = FTMPI::Report::Svg::timeline($large);
my $rows  = FTMPI::Report::Timeline::of($large, 430);
ok(@{ $rows->{rows} } <= 64, 'many ranks: at most 64 rows');
is($rows->{rows}[0]{label}, 'node000-node007', '... of several hosts');
ok(length $svg < 2 << 20, '... and at most 2 MiB') or diag(length $svg);
my $whole = FTMPI::Report::Html::page({ workdir => '/w', session => $NAME, record => { events => [], left_out => {}, lines => 1, path => 'p' }, course => $large, state => 'killed', now => 1795293000, costs => $large->costs, interval => FTMPI::Report::Facts::interval($large), disk => { lines => [], notes => [], problems => [] }, chain => [] });
ok(length $whole < 3 << 20, '... the page at most 3 MiB') or diag(length $whole);

is_deeply([ FTMPI::Report::Timeline::marks(10, 0, 5, 20, 31, 38) ], [ { first => 0, last => 1, at => 0 }, { first => 2, last => 2, at => 20 }, { first => 3, last => 4, at => 31 } ], 'marks that would overlap are one');
is(FTMPI::Report::Timeline::step($_->[0], 8), $_->[1], "ticks of $_->[0] s") for [ 8, 1 ], [ 77, 10 ], [ 600, 120 ], [ 86400, 10800 ], [ 7 * 86400, 86400 ], [ 0.28, 0.05 ];

# ---- the interval ----

# C = 60 s, M = 1 day
is(sprintf('%.1f', FTMPI::Report::Interval::young(60, 86400)), '3219.9', 'Young: sqrt(2 60 86400)');
is(sprintf('%.1f', FTMPI::Report::Interval::daly(60, 86400)), '3180.1', 'Daly: 3219.94 (1 + 0.018634 / 3 + 0.00034722 / 9) - 60');
is(FTMPI::Report::Interval::daly(10, 5), 5, '... M where a line takes longer than twice of that');
is(sprintf('%.4f', FTMPI::Report::Interval::overhead(3180, 60, 120, 86400)), '0.0397', 'what it costs: 86400 e^(120/86400) (e^(3240/86400) - 1) / 3180 - 1');
{
	my ($best, $cost) = (FTMPI::Report::Interval::daly(60, 86400), sub { FTMPI::Report::Interval::overhead($_[0], 60, 120, 86400) });
	ok($cost->($best) < $cost->(0.9 * $best) && $cost->($best) < $cost->(1.1 * $best), '... is least there');
}
cmp_ok(FTMPI::Report::Interval::overhead(1e6, 60, 1, 100), '>=', 1e6, 'a job that would never end');
is_deeply([ map { sprintf '%.1f', $_ } FTMPI::Report::Interval::mtbf_range(3, 100) ], [qw(12.9 122.3)], 'three failures in 100 s: the mean is 100 / 7.754 to 100 / 0.8177, 9 times of 10');
is((FTMPI::Report::Interval::mtbf_range(0, 100))[1], undef, 'none: no most');

my $of = FTMPI::Report::Facts::interval($course);
is_deeply([ map { sprintf '%.3f', $_ } @$of{qw(cost restart mtbf up)} ], [qw(1.000 4.000 34.000 34.000)], 'what is measured: ranks ran for 40 s without 2 s of start and 4 s until all were back');
is(sprintf('%.4f', $of->{young}), sprintf('%.4f', sqrt 68), '... and best');
is(sprintf('%.3f', $of->{used}), '9.000', '... and what was used: 10 s from line to line, of which 1 s was no computing');
is(sprintf('%.3f', $of->{setting}), sprintf('%.3f', $of->{daly} - 1), '... and -ckpt-interval counts from when a line is there, 1 s after the ranks went on');
my $quiet = course_of(grep { !/"(?:failure|restart|restored|back)"/ } story());
like(FTMPI::Report::Facts::interval($quiet)->{none}, qr/^No failure was seen, so .* nothing can be said; -mtbf/, 'without a failure nothing can be said');
is(FTMPI::Report::Facts::interval($quiet, 200)->{young}, 20, '... but for a given mean time between failures');
like(join(' ', FTMPI::Report::Facts::interval_words(FTMPI::Report::Facts::interval($quiet, 200))), qr/is given \(-mtbf\): 3 min 20 s\./, '... which is said');
like(FTMPI::Report::Facts::interval(course_of((story())[ 0 .. 2 ]), 200)->{none}, qr/^No line was made/, 'nor without a line');

# ---- the command ----

for my $case ([ [], 'of what' ], [ ['-frob'], 'unknown option -frob' ], [ [ 'a', 'b' ], 'one work directory at a time' ], [ [ 'a', '-o' ], '-o needs a FILE' ], [ [ 'a', '-mtbf', 'soon' ], '-mtbf soon: give a time' ],
	[ [ 'a', '-session', '..' ], '-session ..: give the name of a session' ], [ [ '-mtbf', '0', 'a' ], '-mtbf 0: give a time' ]) {
	my ($words, $said) = @$case;
	my $got = report(@$words);
	is($got->{status}, 2, "status 2: @$words");
	like($got->{err}, qr/^ftmpi-report: [^\n]*\Q$said\E[^\n]*\n\z/, '... and a sentence');
}
my $help = report('-h');
is($help->{status}, 0, '-h');
like($help->{out}, qr/^  -$_\b/m, "... has -$_") for map { $_->{names}[0] } @FTMPI::Report::Options::OPTIONS;
is((grep { length > 90 } split /\n/, $help->{out}), 0, '... in short lines');
like(report('--version')->{out}, qr/^ftmpi-report \d+\.\d+\.\d+\n\z/, '--version');
is(read_file("$root/doc/man/ftmpi-report.1"), FTMPI::Report::Manual::page(), 'doc/man/ftmpi-report.1 is what ftmpi-report -man prints');

my $work   = scratch() . '/work';
my $folder = "$work/$NAME";
sub fails { my ($said, $name, @words) = @_; my $got = report('-text', @words); is($got->{status}, 1, "$name: status 1"); like($got->{err}, qr/^ftmpi-report: [^\n]*$said[^\n]*\n\z/, '... and a sentence'); return }
fails(qr/No such file/, 'a folder that is not there', $work);
File::Path::make_path($work);
fails(qr/there is no session in/, 'an empty folder', $work);
File::Path::make_path($folder);
fails(qr/no session in \S+ has a run record: ftmpirun -record/, 'a session without a record', $work);
fails(qr/has no run record: there is no \S+events\.jsonl/, '... which is named', $folder);
write_file("$folder/events.jsonl", '');
fails(qr/events\.jsonl is empty/, 'an empty record', $folder);
write_file("$folder/events.jsonl", "\0\1\2" x 1000);
fails(qr/none of its 1 line tells of the start of a job/, 'rubbish', $work);
write_file("$folder/events.jsonl", "rubbish\n" x 3);
fails(qr/none of its 3 lines tells of the start of a job \(no JSON\)/, 'lines of rubbish', $work);
unlink "$folder/events.jsonl";
symlink '/etc/passwd', "$folder/events.jsonl" or die "symlink: $!";
fails(qr/cannot read/, 'a link', $folder);
unlink "$folder/events.jsonl";
fails(qr/there is no session 20261121-203610-00000000 in/, 'another session', $work, '-session', '20261121-203610-00000000');

my $evil = '<script>alert(1)</script>"\'&';
write_file("$folder/events.jsonl", join('', story()) =~ s/lost the connection to host nodeB/<script>alert(1)<\/script>\\"'&/r . "x\n" . event(41, 'line_refused', '"why":"<img src=x onerror=alert(1)>"') . '{"time":1');
my $got = report($work);
is($got->{status}, 0, 'a page');
is($got->{out}, "report-$NAME.html: session $NAME, ended well\n", '... is told of');
my $page = read_file(scratch() . "/report-$NAME.html");
unlike($page, qr/<script|<img|javascript:|https?:/i, '... has no scripts, and nothing from elsewhere');
like($page, qr/&#60;script&#62;alert\(1\)&#60;\/script&#62;&#34;&#39;&#38;/, '... a text of the record is a text');
like($page, qr/1 line of the record is left out: no JSON \(1\)\./, '... what was left out is counted');
like($page, qr/The last line of the record is cut/, '... also a line that was cut');
is(report($work, '-o', '-')->{out} =~ s/at \d{4}-.*//r, $page =~ s/at \d{4}-.*//r, '-o -');
my $text = report('-text', $work);
like($text->{out}, qr/^  work lost by failures +8 s +20 %$/m, '-text');
like($text->{out}, qr/^Session $NAME: ended well$/m, '... how it ended');
is((grep { length > 80 } split /\n/, $text->{out}), 0, '... in 80 columns');
fails(qr/cannot write \S+: /, 'a folder that is not there', $work, '-o', scratch() . '/none/x.html');

write_file("$folder/events.jsonl", join '', (story())[ 0 .. 4 ]);
like(report('-text', $folder)->{out}, qr/has no end: the job runs, or its ftmpirun was killed; only on\s+elsewhere\s+that could be seen/, 'no end, and another host');
my $here = FTMPI::Net::hostname();
write_file("$folder/events.jsonl", join('', (story())[ 0 .. 4 ]) =~ s/"elsewhere","pid":1/"$here","pid":$$/r);
like(report('-text', $folder)->{out}, qr/: ftmpirun was killed$/m, 'a process with its number that came later is not it');

# The next session, and the one after it.
write_file("$folder/events.jsonl", join '', story());
write_file("$work/20261121-203710-1a2b3c4d/events.jsonl", start(qq(,"from":{"session":"$NAME","line":2})) . event(1, 'end', '"status":1'));
write_file("$work/20261121-203810-1a2b3c4d/events.jsonl", start(qq(,"from":{"session":"20261121-203710-1a2b3c4d","line":3})) . event(1, 'end', '"status":0'));
like(report('-text', $folder)->{out}, qr/^  $NAME \(this one\), ran for 40 s, status 0, 22 s\s+done\s+again\s+by\s+the\s+next\n  20261121-203710-1a2b3c4d, from line 2, ran for 1 s, status 1\n  20261121-203810-1a2b3c4d, from line 3/m, 'a chain of sessions')
	or diag(report('-text', $folder)->{out});
like(report('-text', $work)->{out}, qr/^  20261121-203810-1a2b3c4d \(this one\)/m, 'a work directory stands for its newest session');

done_testing();
