#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What ranks have sent to each other: what is believed of it, what counts, how the record has it, and the matrix of ftmpi-report. Jobs of the library are in bin/tests/job/tools/traffic.t.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../lib";

use JSON::PP   ();
use List::Util qw(sum0);
use Test::More;

use FTMPI::Control          ();
use FTMPI::Launcher::Inbox  ();
use FTMPI::Launcher::Notes   ();
use FTMPI::Launcher::Observer ();
use FTMPI::Loop              ();
use FTMPI::Launcher::Traffic ();
use FTMPI::Report::Course   ();
use FTMPI::Report::Events   ();
use FTMPI::Report::Html     ();
use FTMPI::Report::Svg      ();
use FTMPI::Report::Text     ();
use FTMPI::Report::Traffic  ();
use FTMPI::Test::File       qw(read_file);
use LauncherTest;

# ---- what a rank says ----

my $packed = \&FTMPI::Launcher::Traffic::packed;
is(FTMPI::Launcher::Traffic::block_of($_->[0]), $_->[1], "$_->[0] ranks: blocks of $_->[1]") for [ 1, 1 ], [ 128, 1 ], [ 129, 2 ], [ 65536, 512 ];
ok(defined $packed->(4, 1, [ 0, 3 ], [ 1, 0, 10, 0, 0, 1, 0, 2 ]), 'what makes sense');
is($packed->(4, 1, [], []), '', '... also where nothing was sent');
for my $case (
	[ 'another block',          4, 2, [0],      [ 1, 0, 10, 0 ] ],
	[ 'a rank too many',        4, 1, [4],      [ 1, 0, 10, 0 ] ],
	[ 'a large one',            4, 1, [ 2**32 - 1 ], [ 1, 0, 10, 0 ] ],
	[ 'the last block ends',    130, 2, [65],   [ 1, 0, 10, 0 ] ],
	[ 'one twice',              4, 1, [ 1, 1 ], [ 1, 0, 10, 0, 1, 0, 10, 0 ] ],
	[ 'another order',          4, 1, [ 1, 0 ], [ 1, 0, 10, 0, 1, 0, 10, 0 ] ],
	[ 'numbers of one too few', 4, 1, [ 0, 1 ], [ 1, 0, 10, 0 ] ],
	[ 'a number too many',      4, 1, [0],      [ 1, 0, 10, 0, 0 ] ],
	[ 'no message',             4, 1, [0],      [ 0, 0, 10, 0 ] ],
	[ 'too many messages',      4, 1, [0],      [ 0, 1 << 21, 10, 0 ] ],
	[ 'too many bytes',         4, 1, [0],      [ 1, 0, 0, 1 << 21 ] ],
	[ 'too many blocks',        200, 2, [ 0 .. 128 ], [ (1, 0, 1, 0) x 129 ] ],
) {
	my ($name, @fields) = @$case;
	is($packed->(@fields), undef, "$name: not believed");
}

# An agent, the job and its table of hosts in one.
{
	package Stage;
	sub new     { return bless { refused => [] }, $_[0] }
	sub index   { return 0 }
	sub hosts   { return $_[0] }
	sub has     { return 1 }
	sub is_away { return 0 }
	sub refuse  { my ($self, $why) = @_; push @{ $self->{refused} }, $why; return }
}

my ($stage, @notes) = (Stage->new);
my $inbox = FTMPI::Launcher::Inbox->new(plan => { size => 4 }, job => $stage, note => sub { push @notes, {@_[ 1 .. $#_ ]}; return });
sub says { my (@news) = @_; my (undef, $type, undef, $body) = unpack 'V v v a*', FTMPI::Control::encode(@news); $inbox->frame($stage, 'NEWS', 1, $type, $body); return }
says('TRAFFIC', 3, 7, 1, [2], [ 5, 0, 50, 0 ]);
says('TRAFFIC', 3, 0xffffffff, 1, [2], [ 6, 0, 60, 0 ]);
is_deeply([ map { [ @$_{qw(rank epoch line)} ] } @notes ], [ [ 1, 3, 7 ], [ 1, 3, undef ] ], 'it is noted: before which line, or that it is all');
says('TRAFFIC', 3, 7, 1, [4], [ 5, 0, 50, 0 ]);
is_deeply([ scalar @notes, @{ $stage->{refused} } ], [ 2, 'it sent news that make no sense' ], 'what makes none costs the agent its connection');

# Notes that nobody takes: these make room, as ranks tell it again.
my $notes = FTMPI::Launcher::Notes->new;
$notes->add($_) for qw(start run started ready), ('sent') x 2000, 'line_committed';
my @kept = map { $_->[1] } $notes->take;
is_deeply([ grep { $_ ne 'sent' } @kept ], [qw(start run started ready line_committed)], 'what ranks have sent pushes no other note out, and is not counted');
cmp_ok(scalar @kept, '<=', FTMPI::Launcher::Notes::NOTES_MAX, '... nor kept without bound');

# ---- what counts ----

# To rank 1, of rank 0 unless it is said: so many messages, of 10 bytes each.
sub tells { my ($traffic, $n, %more) = @_; $traffic->note('sent', { rank => 0, epoch => 0, sent => $packed->(2, 1, [1], [ $n, 0, 10 * $n, 0 ]), %more }); return }
sub sums
{
	my ($traffic) = @_;
	my $matrix = $traffic->matrix // return 'nothing';
	return join ', ', map { my $row = $_; map { "$row->{from} to $row->{to}[$_]: $row->{messages}[$_]" . ($row->{bytes}[$_] == 10 * $row->{messages}[$_] ? '' : " of $row->{bytes}[$_]") } 0 .. $#{ $row->{to} } } @{ $matrix->{sent} };
}
sub begun { my $traffic = FTMPI::Launcher::Traffic->new(size => 2, began => 100); $traffic->note('start', { session => 's' }); $traffic->note('run', { epoch => 0 }); return $traffic }
sub all_go { my ($traffic, $epoch) = @_; $traffic->note('failure', { decision => 'restart', ranks => [1] }); $traffic->note('restart', { kind => 'all', epoch => $epoch }); $traffic->note('run', { epoch => $epoch }); return }

my $traffic = begun();
is(sums($traffic), 'nothing', 'a job of which no rank has told');
tells($traffic, 5, line => 1);
is(sums($traffic), '0 to 1: 5', 'at a line');
tells($traffic, 9);
tells($traffic, 2, rank => 1, sent => $packed->(2, 1, [ 0, 1 ], [ 3, 0, 30, 0, 0, 1, 7, 1 ]));
is(sums($traffic), '0 to 1: 9, 1 to 0: 3, 1 to 1: 4294967296 of 4294967303', 'all: it has what was told before');

$traffic = begun();
tells($traffic, 5, line => 1);
$traffic->note('line_committed', { line => 1 });
tells($traffic, 7, line => 2);    # is never committed
all_go($traffic, 1);
is(sums($traffic), '0 to 1: 5', 'all go back: what came before the line counts');
tells($traffic, 8, line => 2);
is(sums($traffic), '0 to 1: 5', '... nothing of the processes of before, which is on its way still');
$traffic->note('restored', { line => 1, session => 's' });
tells($traffic, 4, epoch => 1, line => 2);
is(sums($traffic), '0 to 1: 9', '... and what is sent again, and then');
$traffic->note('line_committed', { line => 2 });
all_go($traffic, 2);
all_go($traffic, 3);
tells($traffic, 1, epoch => 3);
is(sums($traffic), '0 to 1: 10', '... also when they go back twice before they come');
$traffic->note('failure', { decision => 'end', ranks => [0] });
is(sums($traffic), '0 to 1: 10', 'a failure that ends the job takes nothing away');

$traffic = begun();
tells($traffic, 5, line => 1);
all_go($traffic, 1);
is(sums($traffic), 'nothing', 'without a line all begins again');
$traffic = begun();
tells($traffic, 5, line => 1);
all_go($traffic, 1);
$traffic->note('restored', { line => 1, session => 's' });
is(sums($traffic), '0 to 1: 5', 'a line that counted, which nobody could tell any more');
$traffic = begun();
$traffic->note('restored', { line => 7, session => 'of-before' });
tells($traffic, 5, line => 3);
all_go($traffic, 1);
$traffic->note('restored', { line => 7, session => 'of-before' });
is(sums($traffic), 'nothing', 'a line of another session says nothing of those of this one');

$traffic = begun();
tells($traffic, 5, rank => $_, line => 1) for 0, 1;
$traffic->note('checkpoint', { rank => 0, number => 1 });
tells($traffic, 9, rank => $_, line => 2) for 0, 1;
$traffic->note('failure', { decision => 'rerun', ranks => [0] });
is(sums($traffic), '0 to 1: 5, 1 to 1: 9', 'a rank that goes back alone: what came before its own checkpoint counts, and all of others');
$traffic->note('restored', { rank => 0, number => 2 });
is(sums($traffic), '0 to 1: 9, 1 to 1: 9', '... which may be a later one');
tells($traffic, 1);
is(sums($traffic), '0 to 1: 10, 1 to 1: 9', '... and what it sends then');

# Seldom, and more seldom.
my @due = grep { begun()->is_due(100 + $_) } 0 .. 90;
is($due[0], 60, 'after a minute it is in the record');
$traffic = begun();
my $n = grep { $traffic->is_due(100 + 10 * $_) } 0 .. 3_153_600;
cmp_ok($n, '<', 70, 'in a year not often');
cmp_ok($n, '>', 50, '... nor never');

# Blocks of ranks.
$traffic = FTMPI::Launcher::Traffic->new(size => 300, began => 0);
$traffic->note('sent', { rank => $_, epoch => 0, sent => $packed->(300, 3, [ 0, 99 ], [ 1, 0, 10, 0, 2, 0, 20, 0 ]) }) for 0 .. 299;
my $matrix = $traffic->matrix;
is_deeply([ $matrix->{block}, scalar @{ $matrix->{sent} }, $matrix->{sent}[99] ], [ 3, 100, { from => 297, to => [ 0, 297 ], messages => [ 3, 6 ], bytes => [ 30, 60 ] } ], 'of many ranks blocks are summed');

# ---- the record of a job ----

sub record { my ($work) = @_; my ($session) = glob "$work/*"; return map { JSON::PP::decode_json($_) } split /\n/, read_file("$session/events.jsonl") }

my $work = scratch() . '/runs';
my @words = ('join', '0:traffic:0,4294967295,1,1=3+30', '1:traffic:0,4294967295,1,0=2+20,1=1+0', 'finalize');
my $job = ftmpirun([ qw(-record -n 2 -workdir), $work, $^X, $RANK, @words ]);
is($job->{status}, 0, 'a job whose ranks tell') or diag $job->{err};
my @events = record($work);
my %told = map { $_->{event} => $_ } @events;
is_deeply({ map { $_ => $told{traffic}{$_} } qw(block sent) }, { block => 1, sent => [ { from => 0, to => [1], messages => [3], bytes => [30] }, { from => 1, to => [ 0, 1 ], messages => [ 2, 1 ], bytes => [ 20, 0 ] } ] }, 'it is in the record');
is($events[-2]{event}, 'traffic', '... before the end');
$work = scratch() . '/killed';
$job = ftmpirun([ qw(-record -n 2 -workdir), $work, $^X, $RANK, 'join', '0:traffic:0,1,1,1=3+30', '0:line:1', "0:touch:$work.told", "1:await:$work.told", '1:exit:3', 'deaf' ]);
is($job->{status}, 3, 'a job that ends badly');
is_deeply([ map { $_->{sent} } grep { $_->{event} eq 'traffic' } record($work) ], [ [ { from => 0, to => [1], messages => [3], bytes => [30] } ] ], '... has what is known of it');
$job = ftmpirun([ qw(-n 2), $^X, $RANK, 'join', '0:traffic:0,4294967295,1,2=3+30', 'finalize' ]);
isnt($job->{status}, 0, 'a rank that lies ends the job');
like($job->{err}, qr/it sent news that make no sense/, '... with a sentence');
for my $case ([ '-record', 1 ], [ '-v', 0 ]) {
	my ($option, $is) = @$case;
	$job = ftmpirun([ $option, qw(-n 1 -workdir), scratch() . '/settings', $^X, $RANK, qw(init facts finalize) ]);
	is($job->{out} =~ / settings=.*\btraffic=1\b/ ? 1 : 0, $is, "$option: ranks are " . ($is ? '' : 'not ') . 'asked to tell');
}

# Of a job that goes on, at a line now and then; and what has no room any more finds some.
{ package Loop; sub after { return 1 } sub cancel { return } }
my $folder = scratch() . '/observed';
mkdir $folder or die "$folder: $!\n";
my $observer = FTMPI::Launcher::Observer->new(size => 2, folder => $folder, began => [ 1795293000, 100 ], pid => 1, host => 'h', loop => bless({}, 'Loop'), log => sub { });
$observer->begin_record;
$observer->take(@$_) for [ 100, 'start', { session => 's', hosts => [] } ], [ 100, 'run', { epoch => 0 } ], [ 105, 'sent', { rank => 0, epoch => 0, line => 1, sent => $packed->(2, 1, [1], [ 5, 0, 50, 0 ]) } ];
sub observed { return map { JSON::PP::decode_json($_)->{event} } split /\n/, read_file("$folder/events.jsonl") }
$observer->take(110, 'line_committed', { line => 1 });
is((grep { $_ eq 'traffic' } observed()), 0, 'a line in the first minute brings nothing into the record');
$observer->take(161, 'line_committed', { line => 2 });
is_deeply([ (observed())[ -2, -1 ] ], [qw(line_committed traffic)], '... one behind it does');
$observer->take(165, 'line_committed', { line => 3 });
is((grep { $_ eq 'traffic' } observed()), 1, '... and not the next one');
$observer->{record}{bytes} = FTMPI::Launcher::RunRecord::BYTES_MAX + 1;
$observer->take(170, 'line_committed', { line => 4 });
$observer->take(171, 'end',            { status => 0 });
is_deeply([ grep { $_ ne 'start' } observed() ], [qw(run line_committed line_committed traffic line_committed dropped traffic end)], 'where there is no room for more, what was sent has some before the end');

# ---- what the report believes ----

sub event { my ($at, $name, $rest) = @_; return sprintf qq({"time":%.3f,"at":%.3f,"event":"%s"%s}\n), 1795293000 + $at, $at, $name, $rest ? ",$rest" : '' }
sub start_of { my (@hosts) = @_; return event(0, 'start', '"v":1,"hosts":[' . join(',', map { my ($name, @ranks) = @$_; qq({"name":"$name","slots":2,"ranks":[) . join(',', @ranks) . ']}' } @hosts) . '],"parts":[{"ranks":1,"program":"p"}]') }

for my $case (
	[ 'no block',          '"sent":[]',                                                    'sent' => 'block' ],
	[ 'no rows',           '"block":1',                                                    'sent' ],
	[ 'a negative number', '"block":1,"sent":[{"from":0,"to":[1],"messages":[-1],"bytes":[1]}]' ],
	[ 'half a message',    '"block":1,"sent":[{"from":0,"to":[1],"messages":[1.5],"bytes":[1]}]' ],
	[ 'a text',            '"block":1,"sent":[{"from":0,"to":["1"],"messages":[1],"bytes":[1]}]' ],
	[ 'a rank too large',  '"block":1,"sent":[{"from":65536,"to":[1],"messages":[1],"bytes":[1]}]' ],
	[ 'lists of two lengths', '"block":1,"sent":[{"from":0,"to":[1,2],"messages":[1,1],"bytes":[1]}]' ],
	[ 'one twice',         '"block":1,"sent":[{"from":0,"to":[1,1],"messages":[1,1],"bytes":[1,1]}]' ],
	[ 'a row twice',       '"block":1,"sent":[{"from":0,"to":[1],"messages":[1],"bytes":[1]},{"from":0,"to":[1],"messages":[1],"bytes":[1]}]' ],
	[ 'no first rank of a block', '"block":2,"sent":[{"from":1,"to":[2],"messages":[1],"bytes":[1]}]' ],
	[ 'too many',          '"block":1,"sent":[{"from":0,"to":[' . join(',', 0 .. 128) . '],"messages":[' . join(',', (1) x 129) . '],"bytes":[' . join(',', (1) x 129) . ']}]' ],
) {
	my ($name, $rest) = @$case;
	my (undef, $why) = FTMPI::Report::Events::event_of(event(1, 'traffic', $rest));
	like($why // '', qr/^traffic: (?:sent|block) is missing, or makes no sense\z/, "$name: left out");
}

# ---- the matrix ----

sub traffic_event { my ($at, $block, %sent) = @_; return event($at, 'traffic', qq("block":$block,"sent":[) . join(',', map { my $to = $sent{$_}; qq({"from":$_,"to":[) . join(',', sort { $a <=> $b } keys %$to) . '],"messages":[' . join(',', (1) x keys %$to) . '],"bytes":[' . join(',', map { $to->{$_} } sort { $a <=> $b } keys %$to) . ']}' } sort { $a <=> $b } keys %sent) . ']') }
sub course_of { return FTMPI::Report::Course::of(FTMPI::Report::Events::parse_text(join '', @_)->{events}) }
sub cells { my ($matrix) = @_; return join ', ', map { "$_->[0]>$_->[1] $_->[2]/$_->[3]" } FTMPI::Report::Traffic::pairs($matrix) }

my @four = start_of([ 'a', 0, 1 ], [ 'b', 2, 3 ]);
my $course = course_of(@four, traffic_event(5, 1, 0 => { 1 => 7 }), traffic_event(9, 1, 0 => { 1 => 4096, 3 => 1 }, 3 => { 3 => 900 }), event(10, 'end', '"status":0'));
$matrix = FTMPI::Report::Traffic::of($course);
is(cells($matrix), '0>1 1/4096, 3>3 1/900, 0>3 1/1', 'the last event of a run counts');
is_deeply([ @$matrix{qw(kind messages bytes is_all)}, map { $_->{label} } @{ $matrix->{places} } ], [ 'rank', 3, 4997, 1, 'rank 0', 'rank 1', 'rank 2', 'rank 3' ], 'rank by rank');
is_deeply([ map { $_ ? "@$_" : '' } @{ $matrix->{sent} }[ 0 .. 3 ], @{ $matrix->{received} }[ 0 .. 3 ] ], [ '2 4097', '', '', '1 900', '', '1 4096', '', '2 901' ], 'sums');
is_deeply([ map { FTMPI::Report::Traffic::level($matrix, $_) } undef, [ 1, 0 ], [ 1, 4 ], [ 1, 17 ], [ 1, 256 ], [ 1, 257 ], [ 1, 1025 ], [ 1, 4096 ] ], [ 0, 1, 1, 3, 4, 5, 6, 6 ], 'a level for each four times as many bytes')
	or diag(join ' ', map { FTMPI::Report::Traffic::level($matrix, $_) } undef, [ 1, 0 ], [ 1, 4 ], [ 1, 17 ], [ 1, 256 ], [ 1, 257 ], [ 1, 1025 ], [ 1, 4096 ]);
is(cells(FTMPI::Report::Traffic::of(course_of(@four, traffic_event(5, 1, 0 => { 1 => 7 }), event(6, 'end', '"status":1'), $four[0] =~ s{1795293000}{1795293050}r, traffic_event(5, 1, 0 => { 1 => 3 }, 1 => { 0 => 1 })))), '0>1 2/10, 1>0 1/1', 'an ftmpirun that goes on in the session counts from nothing');
is(FTMPI::Report::Traffic::of(course_of(@four, event(6, 'end', '"status":0'))), undef, 'a record without it');
my $odd = course_of(@four, traffic_event(5, 1, 0 => { 4 => 7 }));
is_deeply([ FTMPI::Report::Traffic::of($odd), $odd->{strange_traffic} ], [ undef, 1 ], 'a rank that the job does not have');
is(FTMPI::Report::Traffic::of(course_of(@four, traffic_event(5, 1, 0 => { 1 => 0 })))->{most}, 0, 'messages without bytes');

my %ring = map { $_ => { ($_ + 1) % 64 => 10 } } 0 .. 63;
my @by_host = (start_of(map { my $host = $_; [ "node$host", map { 16 * $host + $_ } 0 .. 15 ] } 0 .. 3), traffic_event(5, 1, %ring), event(6, 'end', '"status":0'));
$matrix = FTMPI::Report::Traffic::of(course_of(@by_host));
is_deeply([ $matrix->{kind}, map { $_->{words} } @{ $matrix->{places} } ], [ 'host', 'node0 (ranks 0-15)', 'node1 (ranks 16-31)', 'node2 (ranks 32-47)', 'node3 (ranks 48-63)' ], 'more ranks than fit: hosts');
is(cells($matrix), '0>0 15/150, 1>1 15/150, 2>2 15/150, 3>3 15/150, 0>1 1/10, 1>2 1/10, 2>3 1/10, 3>0 1/10', '... summed');
$matrix = FTMPI::Report::Traffic::of(course_of(start_of([ 'a', 0 .. 63 ]), traffic_event(5, 1, %ring)));
is_deeply([ $matrix->{kind}, scalar @{ $matrix->{places} }, $matrix->{places}[31]{words}, $matrix->{cells}{0}{0}, $matrix->{cells}{0}{1} ], [ 'block', 32, 'ranks 62-63', [ 1, 10 ], [ 1, 10 ] ], '... on one host: blocks of ranks');
my %large = map { my $from = 512 * $_; $from => { map { 512 * $_ => 1e12 } 0 .. 127 } } 0 .. 127;
my @large = (start_of(map { my $host = $_; [ "n$host", map { 256 * $host + $_ } 0 .. 255 ] } 0 .. 255), traffic_event(5, 512, %large), event(6, 'end', '"status":0'));
my $begun = times;
$course = course_of(@large);
$matrix = FTMPI::Report::Traffic::of($course);
is_deeply([ scalar @{ $matrix->{places} }, $matrix->{places}[1]{words}, $matrix->{bytes} ], [ 32, 'ranks 2048-4095', 128 * 128 * 1e12 ], '65536 ranks');

# ---- pages ----

sub report_of { my ($course, $matrix) = @_; return { workdir => 'w', session => 's', record => { left_out => {}, lines => 1, path => 'p', events => [] }, course => $course, state => 'ended', now => 1795293100, costs => $course->costs, interval => FTMPI::Report::Facts::interval($course), disk => { notes => [], lines => [], problems => [] }, chain => [], traffic => $matrix } }
my $page = FTMPI::Report::Html::page(report_of($course, $matrix));
cmp_ok(length $page, '<', 800_000, 'its page is bounded');
is(scalar(() = $page =~ /<path class="f-heat/g), 32 * 32, '... with a cell for each pair');
unlike($page, qr/<script|https?:/i, '... and nothing from elsewhere');
my $text = FTMPI::Report::Text::page(report_of($course, $matrix));
is((grep { length > 80 } split /\n/, $text), 0, '... as text in 80 columns');
like($text, qr/^  ranks 0-2047 +\|#{32}\|$/m, '... with a letter for each pair');

my $host = start_of([ '<b>', 0 .. 20 ], [ 'x' x 200, 21 .. 40 ]);
$course = course_of($host, traffic_event(5, 1, 0 => { 1 => 2048, 40 => 3 }));
$page = FTMPI::Report::Html::page(report_of($course, FTMPI::Report::Traffic::of($course)));
unlike($page, qr/<b>\W*\(ranks/, 'names of hosts are texts');
like($page, qr{<title>&#60;b&#62; \(ranks 0-20\) to &#60;b&#62; \(ranks 0-20\): 1 message, 2\.00 KiB</title>}, '... with which each cell has its numbers');
like($page, qr{<td class="w">&#60;b&#62; \(ranks 0-20\)</td><td class="w">x{200} \(ranks 21-40\)</td><td class="n">1</td><td class="n">3</td>}, '... and so has a table');
like($page, qr{as far as is known after 5 s}, '... of a job that has no end');
$text = FTMPI::Report::Text::page(report_of($course, FTMPI::Report::Traffic::of($course)));
is((grep { length > 80 } split /\n/, $text), 0, '... also in 80 columns');
like($text, qr/^  1\. <b> +2\.00 KiB +3 B$/m, '... with numbers');
$course = course_of(@four, event(6, 'end', '"status":0'));
like(FTMPI::Report::Text::page(report_of($course, undef)) =~ s/\s+/ /gr, qr/is not in the record: ranks tell it in MPI_Finalize, with ftmpirun -record/, 'a record without it says how to get it');

done_testing();
