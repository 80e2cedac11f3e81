#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# When ranks are asked for recovery lines: every event in every state, whole jobs, and random stories.
use strict;
use warnings;

use FindBin ();
use Test::More;

use FTMPI::Launcher::HostTable ();
use FTMPI::Launcher::Job       ();
use FTMPI::Launcher::Lines     ();
use FTMPI::Launcher::Verdict   ();

use constant RANKS => 3;

my @hosts = map { { name => "h$_", slots => 1, ranks => [$_] } } 0 .. RANKS - 1;
my %usual = (interval => 60, patience => 10, waits => 1);
my @STEPS = qw(HOLD GO RELEASE);

# The actions in words. The stamp of the last timer is kept: the event `due` is that timer's.
my $stamp;

sub words
{
	my @words;
	for my $action (@_) {
		my ($name, @data) = @$action;
		if ($name eq 'timer') {
			next if $data[0] ne 'line_due';
			$stamp = $data[2];
			push @words, "timer $data[1]";
		} elsif ($name eq 'save_all') {
			push @words, "$STEPS[$data[2]] $data[1]";
		} elsif ($name eq 'say' || $name eq 'log') {
			push @words, "$name: $data[0]";
		}
	}
	return @words;
}

sub lines
{
	my (%image) = @_;
	return FTMPI::Launcher::Lines->new(hosts => FTMPI::Launcher::HostTable->new(@hosts), image => { %usual, %image });
}

# What each of these events brings, [name, data] each.
sub story
{
	my ($lines, @events) = @_;
	return [ map { my ($name, @data) = ref ? @$_ : $_ eq 'wanted' ? ($_, 'SIGUSR2') : $_; [ words($lines->$name($name eq 'due' ? $stamp : @data)) ] } @events ];
}

# The end of a story.
sub last_of { return story(@_)->[-1] }

sub held { my ($n, @ranks) = @_; return map { [ held => $_, $n, '' ] } @ranks }
my @all = 0 .. RANKS - 1;

my $committed = 'log: the recovery line is committed.';
my $given_up  = 'log: the recovery line was given up.';

is_deeply(story(lines(), 'all_inited', 'due', held(1, @all), [ saved => 0, 1, 1 ], 'due', held(2, @all), [ saved => 0, 2, 0 ]),
	[ ['timer 60'], [ 'HOLD 1', 'timer 10' ], [], [], [ 'GO 1', 'timer 70' ], [ $committed, 'timer 60' ],
		[ 'HOLD 2', 'timer 10' ], [], [], [ 'GO 2', 'timer 70' ], [ $given_up, 'timer 60' ] ],
	'two lines under blocking');
is_deeply(story(lines(waits => 0), 'all_inited', 'due', [ saved => 0, 1, 1 ], 'due'),
	[ ['timer 60'], [ 'GO 1', 'timer 70' ], [ $committed, 'timer 60' ], [ 'GO 2', 'timer 70' ] ],
	'nobody waits under another protocol');
is_deeply(story(lines(interval => undef), 'all_inited', 'wanted', held(1, @all), [ saved => 0, 1, 1 ]),
	[ [], [ 'HOLD 1', 'timer 10' ], [], [], [ 'GO 1', 'timer 10' ], ['say: the recovery line that SIGUSR2 asked for is committed.'] ],
	'without an interval, at the user\'s word');

subtest 'ranks that are not held' => sub {
	my $why = 'say: no recovery line is made now: rank 1 on h1: descriptor 7 is a pipe.';
	my $lines = lines();
	is_deeply(story($lines, 'all_inited', 'due', held(1, 0), [ held => 1, 1, 'descriptor 7 is a pipe.' ], held(1, 2)),
		[ ['timer 60'], [ 'HOLD 1', 'timer 10' ], [], [ $why, 'RELEASE 1', 'timer 60' ], [] ],
		'one cannot: all go on, and the interval begins anew');
	is_deeply(story($lines, 'due', [ held => 1, 2, 'descriptor 7 is a pipe' ]),
		[ [ 'HOLD 2', 'timer 10' ], [ $why =~ s/^say/log/r, 'RELEASE 2', 'timer 60' ] ], '... which is not said again');
	is_deeply(last_of($lines, 'due', [ held => 1, 3, 'descriptor 8 is a pipe' ]),
		[ $why =~ s/7/8/r, 'RELEASE 3', 'timer 60' ], '... but another reason is');
	is_deeply(last_of($lines, 'wanted', [ held => 1, 4, 'descriptor 7 is a pipe' ]), [ $why, 'RELEASE 4', 'timer 60' ],
		'... and all to who asked');
	is_deeply(last_of($lines, 'due', held(5, @all), [ saved => 0, 5, 0 ], 'due', [ held => 1, 6, 'descriptor 7 is a pipe' ])->[0],
		$why =~ s/^say/log/r, 'a line that was given up changes nothing');
	is_deeply(last_of($lines, 'due', held(7, @all), [ saved => 0, 7, 1 ], 'due', [ held => 1, 8, 'descriptor 7 is a pipe' ])->[0],
		$why, 'after a line it is news again');

	my $late = 'did not come to a safe point within 10 s (-image-patience).';
	is_deeply(last_of(lines(), 'all_inited', 'due', held(1, 0, 2), 'due'),
		[ "say: no recovery line is made now: rank 1 on h1 $late", 'RELEASE 1', 'timer 60' ], 'one does not come');
	is_deeply(last_of(lines(), 'all_inited', 'due', held(1, 0), 'due'),
		[ "say: no recovery line is made now: ranks 1-2 $late", 'RELEASE 1', 'timer 60' ], 'two do not');
	is_deeply(last_of(lines(patience => 0.5), 'all_inited', 'due', held(1, 1, 1, 1), 'due')->[0],
		'say: no recovery line is made now: ranks 0 2 ' . $late =~ s/10 s/0.5 s/r, 'one that answers three times is one');
};

subtest 'lines again' => sub {
	my $missed = [ held => 1, 1, 'why' ];
	my @made   = ('due', held(2, @all), [ committed => 7 ], [ saved => 0, 2, 1 ]);
	my $again  = 'say: recovery lines are made again: line 7 is committed.';
	is_deeply(last_of(lines(), 'all_inited', 'due', $missed, @made), [ $again, 'timer 60' ], 'after one that was not');
	is_deeply(last_of(lines(), 'all_inited', 'due', held(1, @all), [ saved => 0, 1, 0 ], @made), [ $again, 'timer 60' ],
		'after one that was given up');
	is_deeply(last_of(lines(), 'all_inited', 'due', $missed, [ committed => 3 ], 'due', held(2, @all), [ saved => 0, 2, 1 ]),
		[ 'say: recovery lines are made again: one is committed.', 'timer 60' ], 'a line whose number is not known');
	is_deeply(last_of(lines(), 'all_inited', 'due', $missed, @made, 'due', held(3, @all), [ saved => 0, 3, 1 ]), [ $committed, 'timer 60' ],
		'the next one is no news');
	my @twice = ('due', held(1, @all), [ saved => 0, 1, 0 ], @made, 'due', held(3, @all), [ saved => 0, 3, 0 ], 'due', held(4, @all), [ saved => 0, 4, 1 ]);
	is_deeply(last_of(lines(), 'all_inited', @twice), [ $committed, 'timer 60' ], '... nor are lines again, where ranks have said nothing');
};

subtest 'a rank in MPI_Finalize' => sub {
	my $why = 'it is in MPI_Finalize';
	my $text = "no recovery line is made now: rank 1 on h1: $why.";
	my $lines = lines();
	is_deeply(story($lines, 'all_inited', 'due', [ held => 1, 1, $why ], 'due'),
		[ ['timer 60'], [ 'HOLD 1', 'timer 10' ], [ "log: $text", 'RELEASE 1' ], [] ], 'ends the lines, which is no news');
	is_deeply(last_of(lines(), 'all_inited', 'wanted', [ held => 1, 1, $why ]), [ "say: $text", 'RELEASE 1' ], '... but to who asked');
	open my $source, '<', "$FindBin::RealBin/../../../lib/mpi/recovery/ckpt_asked.c" or die "ckpt_asked.c: $!\n";
	ok((grep { /control_held\(.*"\Q$why\E"\)/ } <$source>), 'that is how ranks say it');
};

subtest 'answers that come too late, or from elsewhere' => sub {
	for my $case (
		[ 'of the line before', [ 'due', 'due', 'due', held(2, 0, 1) ], held(1, 2) ],
		[ 'HELD while nothing is asked', [], held(1, 0) ],
		[ 'HELD after all have come', [ 'due', held(1, @all) ], [ held => 1, 1, 'why' ] ],
		[ 'SAVED before GO', ['due'], [ saved => 0, 1, 1 ] ],
		[ 'SAVED of another line', [ 'due', held(1, @all) ], [ saved => 0, 2, 1 ] ],
		[ 'SAVED of another rank', [ 'due', held(1, @all) ], [ saved => 1, 1, 1 ] ],
		[ 'SAVED after RELEASE', [ 'due', 'due' ], [ saved => 0, 1, 1 ] ],
		)
	{
		my ($what, $before, $event) = @$case;
		is_deeply(last_of(lines(), 'all_inited', @$before, $event), [], $what);
	}
	my $lines = lines();
	story($lines, 'all_inited');
	my $old = $stamp;
	story($lines, 'wanted');
	is_deeply([ $lines->due($old) ], [], 'a timer that was set before');
};

is_deeply(last_of(lines(), 'all_inited', 'due', held(1, @all), 'due'),
	[ 'say: rank 0 has not said within 70 s whether the recovery line was committed.', 'HOLD 2', 'timer 10' ],
	'SAVED never comes: the next line is asked for');
is_deeply(last_of(lines(interval => undef), 'all_inited', 'wanted', held(1, @all), 'due', 'wanted'), [ 'HOLD 2', 'timer 10' ],
	'... or can be asked for');
is_deeply(last_of(lines(waits => 0), 'all_inited', 'due', 'due'),
	[ 'say: rank 0 has not said within 70 s whether the recovery line was committed.', 'GO 2', 'timer 70' ],
	'... where nobody waits');

subtest 'the user\'s word' => sub {
	my $not_now = qr/^say: SIGUSR2 has no effect now: .* MPI_Init .* MPI_Finalize\.\z/;
	my $already = ['say: SIGUSR2: a recovery line is being made already.'];
	like(last_of(lines(), 'wanted')->[0], $not_now, 'before MPI_Init');
	like(last_of(lines(), 'all_inited', 'ends', 'wanted')->[0], $not_now, 'in MPI_Finalize');
	is_deeply(last_of(lines(), 'all_inited', 'wanted'), [ 'HOLD 1', 'timer 10' ], 'at once');
	is_deeply(story(lines(), 'all_inited', 'due', 'wanted', 'wanted', held(1, @all), [ saved => 0, 1, 0 ]),
		[ ['timer 60'], [ 'HOLD 1', 'timer 10' ], $already, [], [], [], [ 'GO 1', 'timer 70' ],
			[ 'say: the recovery line that SIGUSR2 asked for was given up.', 'timer 60' ] ],
		'while one is made: what becomes of that is told');
	is_deeply(last_of(lines(), 'all_inited', 'due', held(1, @all), 'wanted'), $already, '... also after GO');
	like(last_of(lines(), [ wanted => '-time-limit' ])->[0], qr/^say: -time-limit has no effect now: /, 'it is told who asked');
	is_deeply(story(lines(), 'all_inited', 'due', [ wanted => 'SIGTERM' ], held(1, @all), [ saved => 0, 1, 1 ], [ wanted => '-time-limit' ], held(2, @all), 'wanted', [ saved => 0, 2, 1 ], 'due', held(3, @all), [ saved => 0, 3, 1 ]),
		[ ['timer 60'], [ 'HOLD 1', 'timer 10' ], ['say: SIGTERM: a recovery line is being made already.'], [], [], [ 'GO 1', 'timer 70' ], [ 'say: the recovery line that SIGTERM asked for is committed.', 'timer 60' ],
			[ 'HOLD 2', 'timer 10' ], [], [], [ 'GO 2', 'timer 70' ], [], [ 'say: the recovery line that -time-limit asked for is committed.', 'timer 60' ],
			[ 'HOLD 3', 'timer 10' ], [], [], [ 'GO 3', 'timer 70' ], [ $committed, 'timer 60' ] ],
		'... of each line, the first one');
};

subtest 'the end' => sub {
	is_deeply(last_of(lines(), 'all_inited', 'ends'), [], 'nothing is under way');
	is_deeply(last_of(lines(), 'all_inited', 'due', 'ends'), ['RELEASE 1'], 'ranks are held: they are let go');
	is_deeply(last_of(lines(), 'all_inited', 'due', held(1, @all), 'ends'), [], 'after GO they see to it themselves');
	is_deeply(story(lines(), 'all_inited', 'wanted', held(1, @all), 'ends', 'ends', 'due', [ saved => 0, 1, 1 ], [ saved => 0, 1, 1 ]),
		[ ['timer 60'], [ 'HOLD 1', 'timer 10' ], [], [], [ 'GO 1', 'timer 70' ], [], [], [],
			['say: the recovery line that SIGUSR2 asked for is committed.'], [] ],
		'... and what has become of the last line is told');
	like(last_of(lines(), 'all_inited', 'due', held(1, @all), 'ends', 'wanted')->[0], qr/^say: SIGUSR2 has no effect now/,
		'... after which there is none');
	is_deeply(last_of(lines(), 'all_inited', 'due', 'ends', $_), [], "then nothing comes of $_->[0]")
		for ['due'], ['ends'], held(1, 0), [ saved => 0, 1, 1 ], ['committed'], ['resumed'];
	my $lines = lines();
	is_deeply(story($lines, 'all_inited', 'due', [ reset => 7 ], 'due', 'all_inited', 'due'),
		[ ['timer 60'], [ 'HOLD 1', 'timer 10' ], [], [], ['timer 60'], [ 'HOLD 1', 'timer 10' ] ],
		'a restart forgets all, and numbers begin anew');
	is_deeply([ grep { $_->[0] eq 'save_all' } $lines->due($stamp) ], [ [ save_all => 7, 1, 2 ] ], '... in its epoch');
};

is_deeply(story(lines(), 'all_inited', 'committed', 'due', 'committed', held(1, @all), 'committed'),
	[ ['timer 60'], ['timer 60'], [ 'HOLD 1', 'timer 10' ], [], [], [], [ 'GO 1', 'timer 70' ], [] ],
	'the interval counts from a line that the program has made itself');
is_deeply(last_of(lines(interval => undef), 'all_inited', 'committed'), [], '... if there is one');
is_deeply(story(lines(), 'all_inited', 'resumed', 'due', 'resumed', held(1, @all), 'resumed'),
	[ ['timer 60'], [], [ 'HOLD 1', 'timer 10' ], ['timer 10'], [], [], [ 'GO 1', 'timer 70' ], ['timer 70'] ],
	'the time for which all were stopped does not count');
{
	my $none = FTMPI::Launcher::Lines->new(hosts => FTMPI::Launcher::HostTable->new(@hosts), image => undef);
	is_deeply(story($none, 'all_inited', 'committed', 'ends'), [ [], [], [] ], 'in any other job nothing is asked for');
}

# ---- in a job ----

sub job
{
	my (%arg) = @_;
	my $job = FTMPI::Launcher::Job->new(hosts => \@hosts, session => 's', image => {%usual}, %arg,
		verdict => FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => RANKS));
	$job->event(@$_) for ['begin'], (map { [ here => $_ ] } @all), map { [ ports => $_ ] } @all;
	return $job;
}

sub told { my ($job, @events) = @_; return [ map { words($job->event($_->[0] eq 'line_due' ? ('line_due', $stamp) : @$_)) } @events ] }
sub said_of { return [ grep { /^say/ } @{ told(@_) } ] }
sub inited { return map { [ inited => $_ ] } @_ }

my $job = job();
is_deeply(told($job, inited(0, 1)), [], 'not before all have called MPI_Init');
is_deeply(told($job, inited(2)), ['timer 60'], '... from then on');
is_deeply(told($job, ['line_due'], held(1, @all), [ line => 4 ], [ saved => 0, 1, 1 ]),
	[ 'HOLD 1', 'timer 10', 'GO 1', 'timer 70', 'log: line 4 is committed', $committed, 'timer 60' ], 'a line');
is_deeply(told($job, ['line_due'], [ finalized => 1 ], [ finalized => 2 ]), [ 'HOLD 2', 'timer 10', 'RELEASE 2' ],
	'MPI_Finalize lets ranks go');
like(told($job, [ line_wanted => 'SIGUSR2' ])->[0], qr/^say: SIGUSR2 has no effect now/, '... and there are no more lines');

my @all_end = map { [ exited => $_, 0, 0 ] } @all;
my $no_init = 'say: note: no recovery line was made, as no rank has called MPI_Init.';
is_deeply(said_of(job(), @all_end), [$no_init], 'no rank calls MPI_Init');
is_deeply(said_of(job(image => { %usual, interval => undef }), @all_end), [], '... where lines are made at the user\'s word alone');
is_deeply(said_of(job(image => undef), @all_end), [], '... where there are no images');
unlike(join("\n", @{ told(job(), [ exited => 0, 3, 0 ], @all_end[ 1, 2 ]) }), qr/\Q$no_init\E/, '... in a job that fails');
unlike(join("\n", @{ told(job(), inited(@all), (map { [ finalized => $_ ] } @all), @all_end) }), qr/\Q$no_init\E/, 'ranks that have called it');

my $no_call = 'say: note: no recovery line was made, as the program has not called FTMPI_Perform_Checkpoint; with -image its'
	. ' processes would have been saved.';
my @by_calls = (image => undef, interval => 60);
my @whole    = (inited(@all), (map { [ finalized => $_ ] } @all), @all_end);
is_deeply(said_of(job(@by_calls), @whole), [$no_call], 'an interval, no images, and a program that makes no checkpoints');
is_deeply(said_of(job(@by_calls), @all_end), [], '... but none without MPI');
is_deeply(said_of(job(@by_calls), [ program => 2, 1 ], @whole), [], '... nor one that has the calls');
is_deeply(said_of(job(image => undef), @whole), [], '... nor without an interval');
unlike(join("\n", @{ told(job(@by_calls), inited(@all), [ exited => 0, 3, 0 ], @all_end[ 1, 2 ]) }), qr/\Q$no_call\E/, '... nor in a job that fails');

$job = job(term_ranks => 5);
told($job, inited(@all), [ line_wanted => 'SIGUSR2' ]);
is_deeply(told($job, [ signal => 'TERM' ])->[0], 'RELEASE 1', 'ranks that are to end with -term-ranks are let go');
$job = job(on => 'none');
told($job, inited(@all), [ line_wanted => 'SIGUSR2' ]);
is_deeply([ grep { !/^(?:log|say)/ } @{ told($job, [ exited => 1, 3, 0 ]) } ], ['RELEASE 1'], '... and those of a job that has failed');

subtest 'a restart' => sub {
	my $job = job();
	told($job, inited(@all), ['line_due'], held(1, 0));
	my $said = told($job, [ exited => 1, 0, 9 ]);
	is_deeply($said, [ 'log: rank 1 on h1 was killed by signal 9 (Killed)',
			'say: rank 1 on h1 was killed by signal 9 (Killed); restart 1 of 3 from the beginning.' ],
		'without a word of the program about checkpoints, and before there is a line');
	like(told($job, [ line_wanted => 'SIGUSR2' ])->[0], qr/^say: SIGUSR2 has no effect now/, 'no line while all begin again');
	is_deeply(told($job, map { [ restarting_all => $_, 1 ] } @all), [], '... nor a word of the old one');
	is_deeply(told($job, ['line_due'], held(1, 2)), [], '... also when its answers come late');
	my @told = @{ told($job, inited(@all), ['line_due']) };
	is_deeply([ grep { !/^say/ } @told ], [ 'timer 60', 'HOLD 1', 'timer 10' ], 'then lines go on');
	told($job, held(1, @all), [ line => 9 ], [ saved => 0, 1, 1 ]);
	like(told($job, [ exited => 2, 0, 9 ])->[-1], qr/; restart 1 of 3 from line 9\.\z/, 'the next restart is from the line');
};

$job = FTMPI::Launcher::Job->new(hosts => \@hosts, session => 's', restoring => 'line 2 of session t', image => {%usual},
	verdict => FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => RANKS));
$job->event(@$_) for ['begin'], (map { [ here => $_ ] } @all), map { [ ports => $_ ] } @all;
is_deeply([ grep { !/^log/ } @{ told($job, inited(@all), (map { [ finalized => $_ ] } @all), map { [ exited => $_, 0, 0 ] } @all) } ],
	['timer 60'], '-restore: an image is not asked for by the program');

# ---- random stories: what the ranks see ----

# Whatever comes in whatever order: numbers grow, who is held is let go or told to go on in the same epoch, no
# line begins before the one before is over or its time is, and there is a timer whenever something is awaited.
sub random_story
{
	my ($seed) = @_;
	srand $seed;
	my $image = { %usual, waits => rand() < 0.5, interval => rand() < 0.7 ? 60 : undef };
	my $lines = lines(%$image);
	my ($epoch, $n, $state, $awaited, @wrong) = (0, 0, 'none');
	undef $stamp;
	my $timers = 0;
	for (1 .. 300) {
		my $rank  = int rand RANKS;
		my $its   = rand() < 0.9 ? $n : int rand 1 + $n;
		my $event = (qw(all_inited due due wanted held held held held saved committed resumed ends reset))[ rand 13 ];
		next if $event eq 'all_inited' && $state ne 'none' || $event eq 'due' && !defined $stamp;
		my @data = $event eq 'held' ? ($rank, $its, rand() < 0.1 ? 'why' : '') : $event eq 'saved' ? (0, $its, rand() < 0.8)
			: $event eq 'reset' ? $epoch + 1 : $event eq 'due' ? $stamp : $event eq 'wanted' ? 'SIGUSR2' : ();
		my $before = $state;
		my $old    = $stamp;
		my @actions = $lines->$event(@data);
		if ($event eq 'reset') {
			($epoch, $n, $state) = ($epoch + 1, 0, 'none');
			undef $stamp;
			push @wrong, 'a restart says something' if @actions;
			next;
		}
		undef $stamp if $event eq 'due';
		$state = 'idle' if $event eq 'all_inited';
		for my $action (@actions) {
			my ($name, @its) = @$action;
			$stamp = $its[2] if $name eq 'timer';
			next if $name ne 'save_all';
			my ($of, $number, $step) = @its;
			push @wrong, "epoch $of" if $of != $epoch;
			my $expected = $STEPS[$step] eq 'HOLD' || ($STEPS[$step] eq 'GO' && !$image->{waits}) ? $n + 1 : $n;
			push @wrong, "$STEPS[$step] $number after $n" if $number != $expected;
			push @wrong, "$STEPS[$step] while $state" if $state eq 'none';
			push @wrong, "$STEPS[$step] while held" if $state eq 'held' && $STEPS[$step] eq 'HOLD';
			push @wrong, "$STEPS[$step] while $state" if $image->{waits} && $STEPS[$step] ne 'HOLD' && $state ne 'held';
			push @wrong, "a line before the last is over, at $event" if $before eq 'saving' && $event ne 'due';
			($n, $state) = ($number, { HOLD => 'held', GO => 'saving', RELEASE => 'idle' }->{ $STEPS[$step] });
		}
		$state = 'idle' if $before eq 'saving' && ($event eq 'saved' && $data[1] == $n
			|| $event eq 'due' && !grep { $_->[0] eq 'save_all' } @actions);
		push @wrong, 'still held at the end' if $event eq 'ends' && $state eq 'held';
		$state = 'none' if $event eq 'ends';
		push @wrong, "no timer while $state" if $state =~ /held|saving/ && !defined $stamp;
		last if @wrong;
	}
	return @wrong;
}

my %wrong = map { my @wrong = random_story($_); @wrong ? ($_ => "@wrong") : () } 1 .. 500;
is_deeply(\%wrong, {}, 'random stories');

done_testing;
