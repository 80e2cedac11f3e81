#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The run record and the status file: what is written, when, and what becomes of it at its bounds.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/../../lib", "$FindBin::RealBin/lib";
use File::Temp ();
use JSON::PP ();
use Test::More;

use FTMPI::Amounts               ();
use FTMPI::Json                  ();
use FTMPI::Launcher::Notes       ();
use FTMPI::Launcher::Overview    ();
use FTMPI::Launcher::RunRecord   ();
use FTMPI::Launcher::StatusLine  ();
use LauncherTest;

sub events
{
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!\n";
	return map { JSON::PP::decode_json($_) } <$file>;
}

subtest 'JSON' => sub {
	my %value = (line => 7, why => "a \"b\"\n\x01\\", ranks => [ 0, 1 ], name => '12', none => undef, at => { seconds => 0.25 }, yes => \1);
	my %numbers = map { $_ => 1 } qw(line ranks seconds);
	my $text = FTMPI::Json::encode(\%value, \%numbers);
	is($text, '{"at":{"seconds":0.25},"line":7,"name":"12","none":null,"ranks":[0,1],"why":"a \"b\"\n\u0001\\\\","yes":true}', 'texts and numbers are told apart by their names');
	is(JSON::PP::decode_json($text)->{why}, $value{why}, '... and can be read');
	is(JSON::PP::decode_json(FTMPI::Json::text("\xc3\xa4"))  // '', "\x{e4}", 'UTF-8 is itself') if JSON::PP->VERSION >= 4;
	is(FTMPI::Json::text("\xff/a"), "\"\xc3\xbf/a\"", '... and bytes that are none are letters of the same numbers');
};

subtest 'amounts' => sub {
	is_deeply([ map { FTMPI::Amounts::bytes($_) } 0, 1023, 1536, 123456789, 5e12 ], [ '0 B', '1.00 KiB', '1.50 KiB', '118 MiB', '4.55 TiB' ], 'bytes');
	is_deeply([ map { FTMPI::Amounts::percent($_) } 0, 1e-5, 0.0123, 0.5, 9.97, 37.2, 100 ], [ '0 %', '0 %', '0.012 %', '0.5 %', '10 %', '37 %', '100 %' ], 'parts');
	is_deeply([ map { FTMPI::Amounts::duration($_) } 0.0123, 0.5, 37.2, 60, 200, 3780, 90000 ], [ '0.012 s', '0.5 s', '37 s', '1 min', '3 min 20 s', '1 h 3 min', '1 d 1 h' ], 'durations');
};

# What an overview of two ranks says after these notes: [seconds, event, fields] each; and what each of them adds.
sub overview
{
	my (@notes) = @_;
	my $overview = FTMPI::Launcher::Overview->new(size => 2, began => 100);
	my @added = map { my ($at, $event, %f) = @$_; +{ $overview->note(100 + $at, $event, \%f) } } @notes;
	return ($overview, @added);
}

subtest 'lines' => sub {
	my ($overview, @added) = overview(
		[ 0, 'run', epoch => 0 ], [ 1, 'ready' ], [ 10, 'line_requested', by => 'time' ], [ 10.5, 'line_held' ],
		[ 10.6, 'cost', rank => 0, lines => 1, seconds => 0.7, longest => 0.7 ], [ 10.6, 'cost', rank => 1, lines => 1, seconds => 0.5, longest => 0.5 ],
		[ 11.4, 'size', number => 1, bytes => 2048 ], [ 11.5, 'line_committed', line => 1 ],
		[ 20, 'failure', decision => 'restart', ranks => [1] ], [ 20, 'restart', kind => 'all', epoch => 1 ], [ 20, 'run', epoch => 1 ], [ 22, 'back' ],
		[ 30, 'line_committed', line => 2 ], [ 40, 'end', status => 0 ]);
	is_deeply($added[7], { by => 'time', held => 0.5, bytes => 2048, seconds => 1, stood_lines => 1, stood_longest => 0.7, stood_mean => 0.6 }, 'of a line: from whom, how long, how large, and what it cost');
	is_deeply($added[8], { lost => 9.5 }, 'of a failure: what is done again, from where the ranks stood for the line');
	is_deeply($added[12], { by => 'program' }, 'of a line that nobody has asked for: nothing that is not known');
	is_deeply($added[13], { seconds => 40, lines => 2, checkpoints => 0, restarts => 1, lost => 9.5, stood => 0.7 }, 'of the end: all together');
	my $state = $overview->shown(140);
	is_deeply({ %$state{qw(state ranks alive lines restarts)} }, { state => 'ended', ranks => 2, alive => 0, lines => 2, restarts => 1 }, 'what is shown');
	($overview) = overview([ 0, 'start', session => 's', hosts => [ {} ] ], [ 0, 'run', epoch => 0 ], [ 0, 'ready' ], [ 50, 'line_committed', line => 9 ], [ 50, 'progress', fraction => 0.42, text => "step\e[2J 420" ],
		[ 50, 'cost', rank => 0, lines => 1, seconds => 0.5, longest => 0.5 ], [ 51, 'exited', rank => 1 ]);
	is(FTMPI::Launcher::StatusLine::text($overview->shown(200)), '1 min 40 s, 42 % step [2J 420, 1/2 ranks on 1 host, line 9 50 s ago, lines cost 0.5 %', 'as one line, without what a terminal would obey');
	is(length FTMPI::Launcher::StatusLine::text($overview->shown(200), 40), 39, '... cut to the width of a terminal');
	is(FTMPI::Launcher::StatusLine::text($overview->shown(200), 3), '', '... or nothing where there is no room');
	$overview->note(100, 'progress', { rank => 0, fraction => 0.5, text => 'x' x 62 . "\xc3\xa9" });
	like(FTMPI::Launcher::StatusLine::text($overview->shown(200)), qr/ 50 % x{62}, 1/, 'a letter that is not whole is left out');
	$overview->note(100, 'progress', { rank => 0, fraction => 0.5, text => "\xc3\xa9" x 20 . "\xc2\x9b2J" });
	like(FTMPI::Launcher::StatusLine::text($overview->shown(200)), qr/ 50 % (?:\xc3\xa9){20} 2J, 1/, '... and what is a control character in UTF-8');
	is(FTMPI::Launcher::StatusLine::text($overview->shown(200), 30), "1 min 40 s, 50 % " . "\xc3\xa9" x 4 . '...', '... also where it is cut');
};

subtest 'message logging' => sub {
	my ($overview, @added) = overview([ 0, 'run', epoch => 0 ], [ 1, 'ready' ], [ 9, 'size', rank => 1, number => 3, bytes => 10 ], [ 10, 'checkpoint', rank => 1, number => 3 ],
		[ 15, 'failure', decision => 'rerun', ranks => [1] ], [ 20, 'failure', decision => 'rerun', ranks => [0] ]);
	is_deeply(\@added, [ {}, {}, {}, { bytes => 10 }, { lost => 5 }, { lost => 19 } ], 'a rank loses what it did since its own checkpoint');
};

subtest 'notes' => sub {
	my $notes = FTMPI::Launcher::Notes->new;
	$notes->at(5);
	$notes->add('event', number => $_) for 1 .. 1030;
	my @taken = $notes->take;
	is_deeply([ map({ $_->[2]{number} // $_->[1] . $_->[2]{count} } @taken[ 0 .. 4 ]), scalar @taken ], [ 1, 2, 3, 'dropped6', 10, 1025 ], 'of those that nobody takes the first and the last stay, and others are counted');
	is_deeply([ $notes->take ], [], '... once');
};

sub record { return FTMPI::Launcher::RunRecord->new(began => [ 1_000_000, 100 ], log => sub { push @{ $_[0] }, $_[1] }, @_) }

subtest 'the file' => sub {
	my $dir = File::Temp->newdir;
	my $record = record();
	$record->note(100, 'start', { session => 's' });
	$record->note(101, 'started', { rank => 0 });
	$record->begin("$dir/none");
	ok(!-e "$dir/none", 'without a folder nothing is made');
	$record->begin("$dir");
	$record->note(102.5, 'end', { status => 0 });
	is_deeply([ events("$dir/events.jsonl") ], [ { time => 1_000_000, at => 0, event => 'start', session => 's' }, { time => 1_000_002.5, at => 2.5, event => 'end', status => 0 } ],
		'what came before there was a folder is there, but for what is part of something else');
	is(sprintf('%03o', (stat "$dir/events.jsonl")[2] & 0777), '600', '... for its user alone');
	my $next = record();
	$next->begin("$dir");
	$next->note(100, 'start', {});
	is(scalar(() = events("$dir/events.jsonl")), 3, 'one that goes on is written behind it');
	truncate "$dir/events.jsonl", (-s "$dir/events.jsonl") - 5;
	my $after = record();
	$after->begin("$dir");
	$after->note(100, 'start', {});
	open my $file, '<', "$dir/events.jsonl" or die "$dir: $!\n";
	my @lines = <$file>;
	is_deeply([ map { eval { JSON::PP::decode_json($_) } ? 1 : 0 } @lines ], [ 1, 1, 0, 1 ], '... also where the one before was cut in the middle of a line');
	symlink "$dir/events.jsonl", "$dir/link" or die "symlink: $!\n";
	mkdir "$dir/other" or die "mkdir: $!\n";
	symlink '../events.jsonl', "$dir/other/events.jsonl" or die "symlink: $!\n";
	my @said;
	my $link = FTMPI::Launcher::RunRecord->new(began => [ 0, 0 ], log => sub { push @said, @_ });
	$link->begin("$dir/other");
	$link->note(0, 'start', {});
	like("@said", qr{\Athe job has no run record: cannot open \S+/other/events\.jsonl: }, 'nothing is written through a link');
	is(scalar(@lines), 4, '... at all');
};

subtest 'bounds' => sub {
	my $dir = File::Temp->newdir;
	my $record = record();
	$record->begin("$dir");
	$record->note(100 + $_, 'line_committed', { line => $_ }) for 1 .. 50_000;
	my @events = events("$dir/events.jsonl");
	my $sum = 0;
	$sum += $_->{count} // 1 for @events;
	cmp_ok(scalar @events, '<', 31_000, 'what comes again and again is thinned');
	cmp_ok($sum, '>', 49_990, '... and counted');
	$record->note(60_000, 'progress', { rank => 0, fraction => $_ / 100, text => '' }) for 1 .. 10;
	is(scalar(() = events("$dir/events.jsonl")), @events + 1, 'of words about progress one a minute is written');
	$record->note(60_000, 'progress', { rank => 0, fraction => 1, text => '' }) for 1 .. 3;
	is(join(' ', map { $_->{fraction} } grep { $_->{event} eq 'progress' } events("$dir/events.jsonl")), '0.01 1', '... and the first that says all is done');

	SKIP: {
		skip 'no /dev/full', 1 if !-c '/dev/full';
		my @said;
		my $full = FTMPI::Launcher::RunRecord->new(began => [ 0, 0 ], log => sub { push @said, @_ });
		my $path = $full->{path} = '/dev/full';
		no warnings 'redefine';
		local *FTMPI::Launcher::RunRecord::_open = sub { open my $file, '>>', $path or die "$path: $!\n"; return $file };
		$full->note(0, 'ready', {}) for 1 .. 3;
		like("@said", qr/\Athe run record cannot be written: No space left/, 'a full disk is told once');
		$path = "$dir/later";
		$full->note(0, 'end', { status => 0 });
		is_deeply([ map { $_->{event} . ($_->{count} // '') } events("$dir/later") ], [qw(dropped3 end)], '... and what was lost is counted when there is room');
	}
};

# ---- jobs ----

my $work = scratch() . '/runs';

sub sessions { return glob "$work/*" }

sub words { return ($^X, $RANK, @_) }

subtest 'a job' => sub {
	my $job = ftmpirun([ qw(-v -record -n 2 -workdir), $work, words('join', '0:size:1,3000000000', '0:cost:1,250000,250000', '0:line:1', '1:refused:2,the disk is full', '0:progress:420000,step 42', 'finalize') ]);
	is($job->{status}, 0, 'a job with a record') or diag $job->{err};
	my ($session) = sessions();
	my @events = events("$session/events.jsonl");
	my %of = map { $_->{event} => $_ } @events;
	is_deeply([ sort map { $_->{event} } @events ], [qw(end finalizing line_committed line_refused progress ready run start)], 'each event once');
	is_deeply({ map { $_ => $of{start}{$_} } qw(holds protocol interval parts v) },
		{ holds => 'data', protocol => 'blocking', interval => undef, v => 1, parts => [ { ranks => 2, program => $^X, arguments => [ (words(@{[ 'join', '0:size:1,3000000000', '0:cost:1,250000,250000', '0:line:1', '1:refused:2,the disk is full', '0:progress:420000,step 42', 'finalize' ]}))[ 1 .. 8 ] ] } ] }, 'the start has the job');
	is_deeply({ map { $_ => $of{line_committed}{$_} } qw(line bytes by stood_longest) }, { line => 1, bytes => 3_000_000_000, by => 'program', stood_longest => 0.25 }, 'the line has its size and cost');
	is($of{line_refused}{why}, 'the disk is full', 'why there is none is there');
	is_deeply([ @{ $of{progress} }{qw(fraction text rank)} ], [ 0.42, 'step 42', 0 ], 'what the program says of itself is there');
	is_deeply([ @{ $of{end} }{qw(status why lines)} ], [ 0, undef, 1 ], 'the end has the status');
	like($job->{err}, qr/^ftmpirun: \d\d:\d\d:\d\d line 1 is committed: 2\.79 GiB, the program stood still for 0\.25 s$/m, '-v says it with the time');
	like($job->{err}, qr/^ftmpirun: \d\d:\d\d:\d\d the job ended with status 0 after [^\n]+, 1 recovery lines?, /m, '... and the end');
	unlike($job->{err}, qr/is here$/m, '... and nothing of hosts that come');
	my ($status) = events("$session/status.json");
	is_deeply([ @$status{qw(state lines ranks)} ], [ 'ended', 1, 2 ], 'the status says that it has ended');
};

subtest 'failures' => sub {
	my %before = map { $_ => 1 } sessions();
	my $job = ftmpirun([ qw(-record -n 2 -workdir), $work, words('join', '0:line:1', '1:@0:kill:KILL', '@0:obey', '0:@1:restored:1', 'finalize') ]);
	is($job->{status}, 0, 'a job with a failure') or diag $job->{err};
	my ($session) = grep { !$before{$_} } sessions();
	my @events = events("$session/events.jsonl");
	my %of = map { $_->{event} => $_ } @events;
	is_deeply([ @{ $of{failure} }{qw(class decision)}, @{ $of{failure}{ranks} } ], [ 'killed', 'restart', 1 ], 'the failure is there, with what was decided');
	like($of{failure}{why}, qr/^rank 1 on \S+ was killed by signal 9/, '... and its cause');
	is_deeply([ $of{restart}{kind}, $of{restored}{line}, defined $of{back}{seconds} ], [ 'all', 1, 1 ], '... and how the job went on');
	is($of{end}{restarts}, 1, '... and how often');
};

subtest 'without -record' => sub {
	my %before = map { $_ => 1 } sessions();
	is(ftmpirun([ qw(-n 2 -workdir), $work, words(qw(init finalize)) ])->{status}, 0, 'a job without a line');
	is_deeply([ grep { !$before{$_} } sessions() ], [], '... leaves nothing');
};

subtest 'ftmpirun is killed' => sub {
	my %before = map { $_ => 1 } sessions();
	my $job = begin([ $FTMPIRUN, qw(-record -n 1 -workdir), $work, words(qw(join say:ready hang)) ]);
	wait_for($job, 'out', qr/ready/);
	kill 'KILL', $job->{pid};
	wait_end($job);
	nobody_left();
	my ($session) = grep { !$before{$_} } sessions();
	is_deeply([ map { $_->{event} } events("$session/events.jsonl") ], [qw(start run ready)], 'what happened is there');
	my $shown = `$^X $FindBin::RealBin/../../ftmpi-top -once $session`;
	like($shown, qr/^state +ftmpirun is gone: /m, 'ftmpi-top says that it is gone');
};

done_testing;
