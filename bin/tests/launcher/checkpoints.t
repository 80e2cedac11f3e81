#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# When ranks are asked for checkpoints of their own, one after the other, under message logging: every event in every
# state, whole jobs, and random stories.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use FTMPI::Launcher::Checkpoints ();
use FTMPI::Launcher::HostTable   ();
use FTMPI::Launcher::RankTable   ();
use FTMPI::Launcher::Recovery    ();
use Story                        ();

use constant RANKS => 3;

my @hosts = map { { name => "h$_", slots => 1, ranks => [$_] } } 0 .. RANKS - 1;
my %usual = (interval => 60, patience => 10, order => 'round-robin');
my @STEPS = qw(HOLD GO RELEASE);
my @all   = 0 .. RANKS - 1;

my ($checkpoints, $ranks, $recovery, %stamp);

# The actions in words. The stamps of the last timers are kept: the events `due` and `late` are those of these timers.
sub words
{
	my @words;
	for my $action (@_) {
		my ($name, @data) = @$action;
		if ($name eq 'timer') {
			$stamp{ $data[0] } = $data[2];
			push @words, "$data[0] $data[1]" if $data[0] =~ /^rank_/;
		} elsif ($name eq 'save_one') {
			push @words, "$STEPS[$data[3]] $data[2] to $data[0]";
		} elsif ($name eq 'say' || $name eq 'log') {
			push @words, "$name: $data[0]";
		}
	}
	return @words;
}

# All ranks have called MPI_Init, but for those that are named.
sub begin
{
	my ($image, @absent) = @_;
	my %absent = map { $_ => 1 } @absent;
	%stamp    = ();
	$ranks    = FTMPI::Launcher::RankTable->new(RANKS);
	$recovery = FTMPI::Launcher::Recovery->new(on => 'failure', max => 3, alone => 1, saves => 1);
	$ranks->inited($_) for grep { !$absent{$_} } @all;
	$checkpoints = FTMPI::Launcher::Checkpoints->new(hosts => FTMPI::Launcher::HostTable->new(@hosts), ranks => $ranks, recovery => $recovery,
		image => $image && { %usual, %$image });
	return;
}

# What each of these events brings, [name, data] each.
sub story
{
	my @told;
	for my $event (@_) {
		my ($name, @data) = ref $event ? @$event : $event eq 'wanted' ? ($event, 'SIGUSR2') : $event;
		@data = $stamp{"rank_$name"} // -1 if $name =~ /^(?:due|late)\z/ && !@data;
		push @told, [ words($checkpoints->$name(@data)) ];
	}
	return \@told;
}

# The end of a story.
sub last_of { return story(@_)->[-1] }

sub held { my ($rank, $n, $why) = @_; return [ held => $rank, $n, $why // '' ] }

# The same request, and all that becomes of it.
sub made { my ($rank, $n) = @_; return ('due', held($rank, $n), [ saved => $rank, $n, 1 ]) }

begin({});
is_deeply(story('all_inited', made(0, 1), made(1, 2), 'due', held(2, 3), 'due', [ saved => 2, 3, 1 ]), [
		['rank_due 20'], [ 'HOLD 1 to 0', 'rank_late 10', 'rank_due 20' ], ['rank_late 70'], ['log: checkpoint 1 of rank 0 is committed'],
		[ 'HOLD 2 to 1', 'rank_late 10', 'rank_due 20' ], ['rank_late 70'], ['log: checkpoint 2 of rank 1 is committed'],
		[ 'HOLD 3 to 2', 'rank_late 10', 'rank_due 20' ], ['rank_late 70'],
		[], [ 'log: checkpoint 3 of rank 2 is committed', 'HOLD 4 to 0', 'rank_late 10', 'rank_due 20' ] ],
	'one rank after the other, each once in an interval; at once where one takes longer');
is(join(' ', map { $checkpoints->may_have($_) } @all), 'committed committed committed', '... and all have one');
ok($recovery->has_checkpoint, '... as is known at the end');
begin({ interval => 0.0015 });
is_deeply(story('all_inited'), [ ['rank_due 0.001'] ], 'not more often than a thousand times in a second');
begin(undef);
is_deeply(story('all_inited', 'ends'), [ [], [] ], 'nobody is asked without images');

# Programs that make checkpoints of their data: numbers are the ranks' own.
begin(undef);
$recovery->failed({ rank => 1, class => 'killed' }) for 1, 2;
is_deeply(story('all_inited', held(1, 3), [ saved => 1, 3, 1 ], [ saved => 1, 4, 0 ], [ saved => 2, 3, 1 ], [ logs => 0, 1, 900, 400 ], [ begins_again => 1 ], 'resumed'),
	[ [], [], ['log: checkpoint 3 of rank 1 is committed'], ['log: checkpoint 4 of rank 1 was given up'], ['log: checkpoint 3 of rank 2 is committed'], [], [], [] ],
	'one that nobody asked for counts');
is(join(' ', map { $checkpoints->may_have($_) // 'none' } @all), 'none committed committed', '... of its rank');
ok($recovery->has_checkpoint, '... as is known at the end');
$recovery->failed({ rank => 1, class => 'killed' }) for 1, 2;
is(($recovery->failed({ rank => 1, class => 'killed' }))[0], 'rerun', '... and restarts count since then');
is_deeply(story([ saved => 1, 0, 1 ], 'ends', [ saved => 0, 1, 1 ]), [ [], [], ['log: checkpoint 1 of rank 0 is committed'] ], '... also when all have called MPI_Finalize; there is no number 0');
begin({});
is_deeply(story('all_inited', [ saved => 1, 3, 1 ]), [ ['rank_due 20'], [] ], '... but with images nobody makes one that was not asked');

begin({});
$checkpoints->go_on;
$checkpoints->goes_on($_) for 0, 7, 5;
is_deeply(last_of('all_inited', 'due')->[0], 'HOLD 8 to 0', 'a job that goes on asks for checkpoints of higher numbers');
is(join(' ', map { $checkpoints->may_have($_) } @all), 'before before before', '... each rank may have one');
ok($recovery->has_checkpoint, '... and some have');

subtest 'ranks that make none' => sub {
	begin({});
	my $said = 'no checkpoint is made now: rank 0 on h0: descriptor 7 is a pipe.';
	is_deeply(story('all_inited', 'due', held(0, 1, 'descriptor 7 is a pipe.'), 'due'),
		[ ['rank_due 20'], [ 'HOLD 1 to 0', 'rank_late 10', 'rank_due 20' ], ["say: $said"], [ 'HOLD 2 to 1', 'rank_late 10', 'rank_due 20' ] ],
		'one says why: the next is asked when it is due');
	ok($checkpoints->may_have(0), '... and it may have one all the same: of a request before');
	is_deeply(story('late', 'due'), [
			[ 'say: no checkpoint is made now: rank 1 on h1 did not come to a safe point within 10 s (-image-patience).', 'RELEASE 2 to 1' ],
			[ 'HOLD 3 to 2', 'rank_late 10', 'rank_due 20' ] ], 'one does not come: it is let go');
	ok($checkpoints->may_have(1), '... and may have made it');
	is_deeply(story(held(2, 3), 'late', 'due'), [ ['rank_late 70'],
			['say: rank 2 on h2 has not said within 70 s whether its checkpoint 3 is committed.'],
			[ 'HOLD 4 to 0', 'rank_late 10', 'rank_due 20' ] ], 'one does not say what became of it');
	is_deeply(last_of(held(0, 4, 'descriptor 7 is a pipe.')), ["log: $said"], 'what was said is not said again');
	is_deeply(last_of('due', 'late', 'due', held(2, 6), 'due', 'late', held(0, 7, 'descriptor 8 is a pipe')),
		[ 'say: ' . $said =~ s/7/8/r ], '... but another reason is');
	is_deeply(last_of('due', [ saved => 2, 3, 0 ]), ['log: checkpoint 3 of rank 2 was given up'], 'a late word that it was given up');
	is_deeply(last_of([ saved => 2, 6, 1 ]), ['say: rank 2 on h2 has a checkpoint: number 6 is committed.'],
		'... or that it is committed, which ends what was said of this rank');
	is_deeply(last_of(held(1, 8), [ saved => 1, 8, 1 ]), ['say: rank 1 on h1 has a checkpoint: number 8 is committed.'], '... as one in time does');
	is_deeply(last_of('due', 'late', made(0, 10)), ['say: rank 0 on h0 has a checkpoint: number 10 is committed.'], '... for all reasons at once');
	is_deeply(last_of('due', held(1, 11, 'descriptor 7 is a pipe')), [ 'say: ' . $said =~ s/0 on h0/1 on h1/r ], 'of another rank it is news');
	begin({});
	story('all_inited', map { ('due', held(0, 3 * $_ - 2, "reason $_"), 'due', held(1, 3 * $_ - 1, ''), 'due', [ saved => 1, 3 * $_ - 1, 0 ], held(2, 3 * $_, ''),
			[ saved => 2, 3 * $_, 0 ]) } 1 .. 16);
	is_deeply(last_of('due', held(0, 49, 'reason 17')), ['log: no checkpoint is made now: rank 0 on h0: reason 17.'], 'reasons without end are not all told');
};

subtest 'logs' => sub {
	begin({ order => 'adaptive' });
	is_deeply(last_of('all_inited', [ logs => 0, 1, 900, 400 ], [ logs => 1, 2, 500, 500 ], [ logs => 2, 1, 300, 200 ], 'due')->[0], 'HOLD 1 to 1',
		'adaptive: the one for which others have logged most');
	is_deeply(last_of(held(1, 1), [ saved => 1, 1, 1 ], 'due')->[0], 'HOLD 2 to 2', '... then the next, as what was logged for the first is not known now');
	is_deeply(last_of(held(2, 2), [ saved => 2, 2, 1 ], 'due')->[0], 'HOLD 3 to 0', '... and where nothing is known in turns');
	begin({ order => 'adaptive' });
	$ranks->begins_again(1);
	is_deeply(last_of('all_inited', [ logs => 0, 1, 900, 400 ], 'due')->[0], 'HOLD 1 to 0', '... but for one that is away');
	begin({ order => 'adaptive' });
	story('all_inited');
	for my $n (1 .. 12) {
		story([ logs => 0, 1, 900, 400 ], 'due', held(1, $n), [ saved => 1, $n, 1 ]);
	}
	is(join(' ', map { $checkpoints->may_have($_) // 'none' } @all), 'none committed none', '... again and again');
	is_deeply(last_of([ logs => 0, 1, 900, 400 ], 'due')->[0], 'HOLD 13 to 0', '... but not for ever: one that was not asked for long has its turn');
	begin({ log_limit => 1000 });
	is_deeply(last_of([ logs => 0, 2, 600, 400 ], 'all_inited')->[1], 'HOLD 1 to 2', 'what was told before all have come is not forgotten');
	is_deeply(last_of([ logs => 0, 2, 600, 400 ], 'due', held(2, 1), [ saved => 2, 1, 1 ])->[1], 'HOLD 2 to 0', 'who is due is asked after it');
	begin({ log_limit => 1000 });
	is_deeply(story('all_inited', [ logs => 0, 2, 499, 400 ]), [ ['rank_due 20'], [] ], 'less than half of the limit');
	is_deeply(last_of([ logs => 0, 2, 500, 400 ])->[0], 'HOLD 1 to 2', 'half of it: that rank is asked before its turn');
	is_deeply(last_of([ logs => 1, 0, 1000, 900 ]), [], '... and another when that is over');
	is_deeply(last_of(held(2, 1), [ saved => 2, 1, 1 ])->[1], 'HOLD 2 to 0', '... at once');
	is_deeply(last_of(held(0, 2), [ saved => 0, 2, 1 ]), ['log: checkpoint 2 of rank 0 is committed'], '... once');
	is_deeply(last_of([ logs => 1, RANKS, 1000, 900 ]), [], 'a rank that there is not');
	begin(undef);
	is_deeply(last_of('all_inited', [ logs => 0, 2, 1000, 900 ]), [], 'nobody is asked without images');
};

subtest 'answers that are none' => sub {
	for my $case (
		[ 'HELD of another rank', ['due'], held(1, 1) ], [ 'HELD of another number', ['due'], held(0, 2) ],
		[ 'HELD while nobody is asked', [ 'due', held(0, 1, 'why') ], held(0, 1, 'why') ],
		[ 'HELD twice', [ 'due', held(0, 1) ], held(0, 1) ],
		[ 'SAVED of what was not asked for', [ 'due', held(0, 1) ], [ saved => 0, 2, 1 ] ], [ 'SAVED of nothing', [ 'due', held(0, 1) ], [ saved => 0, 0, 1 ] ],
		[ 'SAVED of a rank that was not asked', [ 'due', held(0, 1) ], [ saved => 1, 1, 1 ] ],
		[ 'an old timer', ['due'], [ late => 0 ] ], [ 'another old timer', ['due'], [ due => 1 ] ],
		)
	{
		my ($what, $before, $event) = @$case;
		begin({});
		is_deeply(last_of('all_inited', @$before, $event), [], "$what: nothing");
		is(scalar(grep { defined $checkpoints->may_have($_) } 1, 2), 0, '... and nobody else has a checkpoint');
	}
	begin({});
	is_deeply(last_of('all_inited', 'due', [ due => 1 ], held(0, 1), [ saved => 0, 1, 0 ]), ['log: checkpoint 1 of rank 0 was given up'],
		'nor is the next one asked sooner for an old timer');
	ok($checkpoints->may_have(0), '... and who has given up may have one that was not known to be durable');
	begin({});
	is_deeply(last_of('all_inited', 'due', 'late', held(0, 1)), [], 'one that is let go may have answered just before');
	is($checkpoints->may_have(0), 'asked', '... and may have a checkpoint then');
	is_deeply(last_of([ saved => 0, 1, 1 ]), ['say: rank 0 on h0 has a checkpoint: number 1 is committed.'], '... which counts');
};

subtest 'ranks that are away' => sub {
	begin({}, 1);
	is_deeply(last_of('all_inited', made(0, 1), 'due')->[0], 'HOLD 2 to 2', 'one that has not called MPI_Init is passed over');
	begin({});
	$ranks->bury(1);
	is_deeply(last_of('all_inited', made(0, 1), 'due')->[0], 'HOLD 2 to 2', '... one that has ended');
	$ranks->begins_again(1);
	is_deeply(last_of(held(2, 2), [ saved => 2, 2, 1 ], made(0, 3), 'due')->[0], 'HOLD 4 to 2', '... and one that begins again');
	$ranks->started(1);
	$ranks->inited(1);
	is_deeply(last_of(held(2, 4), [ saved => 2, 4, 1 ], made(0, 5), 'due')->[0], 'HOLD 6 to 1', '... until it has called MPI_Init again');
	begin({}, @all);
	is_deeply(story('all_inited', 'due', 'due'), [ ['rank_due 20'], ['rank_due 20'], ['rank_due 20'] ], 'where all are away that is waited for');

	for my $before ([], [ held(0, 1) ]) {
		begin({});
		story('all_inited', 'due', @$before);
		$ranks->begins_again(0);
		is_deeply(story([ begins_again => 1 ], [ begins_again => 0 ], 'late', 'due'), [ [], [], [], [ 'HOLD 2 to 1', 'rank_late 10', 'rank_due 20' ] ],
			'one begins again that was asked: it is not waited for');
		is($checkpoints->may_have(0), 'asked', '... and may have made it');
	}
	begin({});
	is_deeply(last_of('all_inited', made(0, 1), 'due', [ begins_again => 0 ], 'all_inited', held(1, 2)), ['rank_late 70'],
		'that another begins again, and all have called MPI_Init again, changes nothing');
	is($checkpoints->may_have(0), 'committed', '... and a checkpoint stays one');
};

subtest 'orders' => sub {
	begin({ order => 'random' });
	srand 7;
	my %asked;
	story('all_inited');
	for my $n (1 .. 60) {
		my ($hold) = @{ last_of('due') };
		my ($rank) = $hold =~ /^HOLD $n to (\d)$/ or last;
		$asked{$rank}++;
		story(held($rank, $n), [ saved => $rank, $n, 1 ]);
	}
	is(join(' ', sort keys %asked), '0 1 2', 'random: each is asked');
	cmp_ok($asked{$_}, '>', 8, "... rank $_ now and then") for @all;
	$ranks->begins_again(1);
	is(scalar(grep { my $n = $_; my ($hold) = @{ last_of('due') }; my ($rank) = $hold =~ /to (\d)$/; story(held($rank, $n), [ saved => $rank, $n, 1 ]); $rank == 1 }
		61 .. 90), 0, '... but for one that is away');
};

subtest 'SIGUSR2' => sub {
	begin({ interval => undef });
	my @one = ([ 'HOLD 1 to 0', 'rank_late 10' ], ['rank_late 10']);
	is_deeply(story('all_inited', 'wanted', held(0, 1), [ saved => 0, 1, 1 ], held(1, 2), [ saved => 1, 2, 1 ], held(2, 3), [ saved => 2, 3, 1 ]), [
			[], @one, [ 'log: checkpoint 1 of rank 0 is committed', 'HOLD 2 to 1', 'rank_late 10' ], ['rank_late 10'],
			[ 'log: checkpoint 2 of rank 1 is committed', 'HOLD 3 to 2', 'rank_late 10' ], ['rank_late 10'],
			[ 'log: checkpoint 3 of rank 2 is committed', 'say: SIGUSR2: every rank has a checkpoint.' ] ], 'all, one after the other, at once');
	is_deeply(last_of('wanted')->[0], 'HOLD 4 to 0', '... and again');
	is_deeply(last_of('wanted'), ['say: SIGUSR2: the ranks are asked for checkpoints already.'], '... not twice at a time');
	is_deeply(last_of([ wanted => 'SIGTERM' ]), ['say: SIGTERM: the ranks are asked for checkpoints already.'], '... whoever asks');

	begin({});
	is_deeply(last_of('all_inited', 'due', held(0, 1), 'wanted', [ saved => 0, 1, 1 ])->[1], 'HOLD 2 to 1', 'one that is under way will do');
	is_deeply(last_of(held(1, 2), [ saved => 1, 2, 1 ], held(2, 3), [ saved => 2, 3, 1 ])->[-1], 'say: SIGUSR2: every rank has a checkpoint.', '... for this rank');
	is_deeply(last_of('due')->[0], 'HOLD 4 to 0', '... and it goes on when the next is due');

	my $but = 'say: SIGUSR2: all other ranks have a checkpoint, but not';
	for my $case (
		[ 'one cannot',         [ held(1, 2, 'why') ], "$but rank 1." ], [ 'one does not come', ['late'], "$but rank 1." ],
		[ 'one gives up',       [ held(1, 2), [ saved => 1, 2, 0 ] ], "$but rank 1." ], [ 'one does not say', [ held(1, 2), 'late' ], "$but rank 1." ],
		[ 'one begins again',   [ [ begins_again => 1 ] ], "$but rank 1." ],
		[ 'one says it late',   [ held(1, 2), 'late', [ saved => 1, 2, 1 ] ], 'say: SIGUSR2: every rank has a checkpoint.' ],
		)
	{
		my ($what, $events, $sentence) = @$case;
		begin({ interval => undef });
		story('all_inited', 'wanted', held(0, 1), [ saved => 0, 1, 1 ], @$events);
		is_deeply(last_of(held(2, 3), [ saved => 2, 3, 1 ])->[-1], $sentence, $what);
	}
	begin({ interval => undef });
	story('all_inited', 'wanted', held(0, 1), [ saved => 0, 1, 1 ], held(1, 2), 'late', held(2, 3), [ saved => 2, 3, 1 ]);
	story('wanted', held(0, 4), [ saved => 0, 4, 1 ], 'late', [ saved => 1, 2, 1 ]);
	is_deeply(last_of(held(2, 6), [ saved => 2, 6, 1 ])->[-1], "$but rank 1.", 'one says late that an older one is committed');
	begin({ interval => undef }, 0, 2);
	is_deeply(last_of('all_inited', 'wanted', held(1, 1), [ saved => 1, 1, 1 ])->[-1], "$but ranks 0 2.", 'two are away');
	begin({ interval => undef }, @all);
	is_deeply(last_of('all_inited', 'wanted'), [ "$but ranks 0-2." ], 'all are');
	my $now = qr/^say: SIGUSR2 has no effect now: ranks can be asked for checkpoints from .* MPI_Init .* MPI_Finalize\.\z/;
	begin({});
	like(last_of('wanted')->[0], $now, 'before all have called MPI_Init');
	begin({});
	like(last_of('all_inited', 'ends', 'wanted')->[0], $now, '... and after the first calls MPI_Finalize');
};

subtest 'the end' => sub {
	begin({});
	is_deeply(story('all_inited', 'due', 'ends', 'ends', 'late', 'due', held(0, 1), 'all_inited', 'due'),
		[ ['rank_due 20'], [ 'HOLD 1 to 0', 'rank_late 10', 'rank_due 20' ], ['RELEASE 1 to 0'], ([]) x 6 ], 'who is held is let go, and nobody is asked');
	begin({});
	is_deeply(story('all_inited', 'due', held(0, 1), 'ends', 'due', [ saved => 0, 1, 1 ], 'due', 'ends'),
		[ ['rank_due 20'], [ 'HOLD 1 to 0', 'rank_late 10', 'rank_due 20' ], ['rank_late 70'], [], [], ['log: checkpoint 1 of rank 0 is committed'], [], [] ],
		'who makes one goes on with that, and is the last');
	begin({});
	is_deeply(story('all_inited', 'due', held(0, 1, 'it is in MPI_Finalize'), 'due'),
		[ ['rank_due 20'], [ 'HOLD 1 to 0', 'rank_late 10', 'rank_due 20' ], ['log: no checkpoint is made now: rank 0 on h0: it is in MPI_Finalize.'],
			[ 'HOLD 2 to 1', 'rank_late 10', 'rank_due 20' ] ], 'after one that is in MPI_Finalize the next is asked');
	begin({});
	is_deeply(last_of('ends', 'all_inited', 'due'), [], 'before it began');
	my $none = 'say: SIGUSR2: all other ranks have a checkpoint, but not ranks';
	begin({});
	is_deeply(last_of('all_inited', 'wanted', 'ends'), [ 'RELEASE 1 to 0', "$none 0-2." ], 'a user who waits is told');
	for my $over ([ saved => 0, 1, 1 ], [ saved => 0, 1, 0 ], ['late'], [ begins_again => 0 ]) {
		begin({});
		is_deeply(last_of('all_inited', 'wanted', held(0, 1), 'ends'), [], '... when the last one is over');
		is_deeply(last_of($over)->[-1], $over->[-1] && @$over > 2 ? 'say: SIGUSR2: all other ranks have a checkpoint, but not ranks 1-2.' : "$none 0-2.", "... after @$over");
	}
};

subtest 'a launcher that was stopped' => sub {
	begin({});
	is_deeply(story('all_inited', 'resumed', 'due', 'resumed', held(0, 1), 'resumed', [ saved => 0, 1, 1 ], 'resumed'),
		[ ['rank_due 20'], [], [ 'HOLD 1 to 0', 'rank_late 10', 'rank_due 20' ], ['rank_late 10'], ['rank_late 70'], ['rank_late 70'],
			['log: checkpoint 1 of rank 0 is committed'], [] ], 'time in which all were stopped does not count');
};

# Random stories: one rank at a time, who is held is let go or goes on in time, numbers grow, and somebody is always asked again.
subtest 'random stories' => sub {
	my ($asks, @bad) = (0);
	for my $seed (1 .. 2000) {
		srand $seed;
		begin({ interval => rand() < 0.8 ? 60 : undef, order => rand() < 0.5 ? 'random' : 'round-robin' });
		my ($n, $held, $ended, %waits) = (0, undef, 0);
		my $take = sub {
			for my $action ($checkpoints->${\ $_[0]}(@_[ 1 .. $#_ ])) {
				my ($name, @data) = @$action;
				$waits{ $data[0] } = $data[2] if $name eq 'timer';
				next if $name ne 'save_one';
				my ($rank, $epoch, $number, $step) = @data;
				push @bad, "$seed: HOLD $number to $rank" if $step == 0 && (defined $held || $number != ++$n || $ended || $ranks->state($rank) ne 'inited');
				push @bad, "$seed: RELEASE to $rank"      if $step == 2 && ($held // -1) != $rank;
				$held = $step == 0 ? $rank : undef;
				$asks++ if $step == 0;
			}
		};
		$take->('all_inited');
		for (1 .. 60) {
			my $rank = int rand RANKS;
			my $kind = int rand 10;
			if ($kind < 3) {
				$take->('due', $waits{rank_due} // 0);
			} elsif ($kind < 4) {
				$take->('late', $waits{rank_late} // 0);
			} elsif ($kind < 6) {
				my $why = rand() < 0.7 ? '' : 'why';
				undef $held if defined $held && $held == $rank && $n == ($checkpoints->{asked}{$rank} // 0);
				$take->('held', $rank, $checkpoints->{asked}{$rank} // 1, $why);
			} elsif ($kind < 8) {
				$take->('saved', $rank, $checkpoints->{asked}{$rank} // 1, int rand 2);
			} elsif ($kind < 9) {
				$ranks->begins_again($rank);
				undef $held if defined $held && $held == $rank;
				$take->('begins_again', $rank);
				$ranks->started($rank);
				$ranks->inited($rank);
			} elsif (rand() < 0.05) {
				$ended = 1;
				$take->('ends');
				push @bad, "$seed: still held" if defined $held;
			} else {
				$take->('wanted', 'SIGUSR2');
			}
		}
		next if $ended;
		# without answers it goes on by its timers alone
		my $before = $n;
		$take->('wanted', 'SIGUSR2'), $take->('late', $waits{rank_late} // 0), $take->('due', $waits{rank_due} // 0) for 1 .. 4;
		push @bad, "$seed: nobody is asked any more" if $n == $before;
	}
	is("@bad[ 0 .. ($#bad < 4 ? $#bad : 4) ]", '', 'the rules are kept');
	cmp_ok($asks, '>', 10000, '... in many requests');
};

# ---- whole jobs ----

sub job { my (%arg) = @_; return Story->new('a:2,b:2', 4, alone => 1, image => {%usual}, %arg) }

# But for timers and judgements.
sub done { my ($story) = @_; return [ grep { !/^timer (?!rank_)/ } $story->told ] }

sub begun { my $story = job(@_)->begun(0); $story->told; return $story }

my $story = job()->tell('begin')->tell('inited', 0)->tell('inited', 1)->tell('inited', 2);
$story->told;
is_deeply([ grep { /rank_/ } $story->tell('inited', 3)->told ], ['timer rank_due 15 1'], 'a job: all have called MPI_Init');
my $is_due = sub { my ($job) = @_; my ($stamp) = $job->{job}{saving}{paced}; return $job->tell('rank_due', $stamp) };
is_deeply(done($is_due->($story)), [ 'save_one 0 0 1 0', 'timer rank_late 10 1', 'timer rank_due 15 2' ], '... the first is asked');
is_deeply(done($story->tell('held', 0, 1, '')), ['timer rank_late 70 2'], '... stands');
$story->{shows}{log} = 1;
is_deeply(done($story->tell('saved', 0, 1, 1)), ['log checkpoint 1 of rank 0 is committed'], '... and has a checkpoint');
is_deeply(done($story->tell('goes_on', 2, 7)), ['log rank 2 goes on from its checkpoint 7'], 'a rank that goes on');
is_deeply(done($story->tell('line', 3)), [], 'there are no lines');
ok($story->{job}->may_have_checkpoint(0) && !$story->{job}->may_have_checkpoint(1), 'who may have one is known');

my $by9   = 'was killed by signal 9 (Killed)';
my $again = 'it begins again alone';
# All ranks, or those that are there, have a checkpoint after this.
sub saved_all
{
	my ($job) = @_;
	for (0 .. 3) {
		$is_due->($job);
		my ($rank, $n) = @{ $job->{job}{saving} }{qw(rank n)};
		$job->tell('held', $rank, $n, '')->tell('saved', $rank, $n, 1);
	}
	return $job->told;
}

$story = begun(max => 2);
for my $n (1 .. 3) {
	$story->tell(qw(exited 0 0 9))->tell(qw(inited 0));
	saved_all($story);
}
$story->tell(qw(exited 0 0 9));
is_deeply([ grep { /^(?:say|rerun)/ } $story->told ], [ "say rank 0 on a $by9; $again (restart 1 of 2).", 'rerun 0 4' ], 'restarts count since the latest checkpoint');
$story->tell(qw(inited 0))->tell(qw(exited 0 0 9))->tell(qw(inited 0))->told;
$story->tell(qw(exited 0 0 9));
like(($story->told)[0], qr/^say rank 0 on a \Q$by9\E; after its 2 restarts without a new checkpoint \(-max-restarts\) the job is ended\.$/, '... and there is an end');

$story = begun();
$is_due->($story)->told;
is_deeply([ grep { /^(?:rerun|save)/ } $story->tell(qw(exited 0 0 9))->tell(qw(inited 0))->told ], ['rerun 0 1'], 'one begins again that was asked');
is((grep { /^save/ } $is_due->($story)->told)[0], 'save_one 1 0 2 0', '... and the next one is asked');
$story->{mute}{0} = 1;
$story->tell(qw(host_lost 1), 'lost b', 1)->told;
is((grep { /^save/ } $story->tell('held', 1, 2, '')->tell('saved', 1, 2, 1)->told, $is_due->($story)->told)[0], 'save_one 0 0 3 0', '... ranks of a lost host are passed over');

$story = begun();
for my $rank (0, 1) {
	$is_due->($story);
	$story->tell('held', $rank, $rank + 1, '')->tell('saved', $rank, $rank + 1, 1);
}
is((grep { /^save/ } $is_due->($story)->told)[-1], 'save_one 2 0 3 0', 'a rank of a host');
$story->tell(qw(host_lost 1), 'lost b', 1)->told;
is((grep { /^save/ } $is_due->($story)->told)[0], 'save_one 0 0 4 0', '... that is lost is not waited for');

$story = begun();
$is_due->($story)->told;
is_deeply(done($story->tell('ending', 3)), [], 'the first calls MPI_Finalize');
$story->tell('ending', $_) for 0 .. 1;
is_deeply([ grep { /^(?:save|leave)/ } $story->tell('ending', 2)->told ], [ 'save_one 0 0 1 2', 'leave_all 0' ],
	'... and then all: who is held is let go');
$story = begun();
$is_due->($story)->told;
is((grep { /^(?:save|kill)/ } $story->tell('signal', 'INT')->told)[0], 'save_one 0 0 1 2', 'who is held is let go before all are ended');

sub ended
{
	my ($before, %arg) = @_;
	my $job = job(%arg)->tell('begin');
	$before->($job);
	$job->told;
	$job->tell('exited', $_, 0, 0) for 0 .. 3;
	return [ $job->told ];
}
my $through = sub { my ($job) = @_; for my $event (qw(inited ending finalized)) { $job->tell($event, $_) for 0 .. 3 } };
is_deeply(ended($through), [ 'say note: no rank has made a checkpoint (-ckpt-interval).', 'over 0' ], 'a job that was over before there was one');
is_deeply(ended(sub { }), [ 'say note: no rank has made a checkpoint, as none has called MPI_Init.', 'over 0' ], '... or called no MPI');
is_deeply(ended($through, image => { %usual, interval => undef }), ['over 0'], '... without an interval that is no news');
is_deeply(ended(sub {
	my ($job) = @_;
	$job->tell('inited', $_) for 0 .. 3;
	$is_due->($job);
	$job->tell('held', 0, 1, '')->tell('saved', 0, 1, 1);
	for my $event (qw(ending finalized)) { $job->tell($event, $_) for 0 .. 3 }
}), ['over 0'], '... nor with a checkpoint');
my ($said) = grep { /^say SIGINT/ } begun()->tell('signal', 'INT')->told;
is($said, 'say SIGINT came; the job is ended.', 'a job that is ended');
$story = job()->begun(1);
$story->tell('signal', 'INT')->told;
$story->tell('exited', $_, 0, 15) for 0 .. 3;
is_deeply([ $story->told ], [ 'say no rank has made a checkpoint from which -restore could go on.', 'over 130' ], '... says that -restore cannot be used');
$story = job(session => 'S')->begun(1);
$story->tell('inited', $_) for 0 .. 3;
$is_due->($story);
$story->tell('held', 0, 1, '')->tell('saved', 0, 1, 1)->tell('signal', 'INT')->told;
$story->tell('exited', $_, 0, 15) for 0 .. 3;
is((grep { /^say -restore/ } $story->told)[0] // '', "say -restore goes on from the ranks' checkpoints (session S).", '... or that it can');

$story = job(session => 'S')->begun(1);
$story->tell('inited', $_) for 0 .. 3;
$is_due->($story);
is_deeply([ grep { /^say/ } $story->tell('held', 0, 1, '')->tell('saved', 0, 1, 1)->tell('keeper_lost', 'The keeper is gone.')->told ], ['say The keeper is gone.'], 'a job without its keeper');
$story->tell('exited', $_, 0, 15) for 0 .. 3;
is_deeply([ $story->told ], [ "say -restore goes on from the ranks' checkpoints (session S).", 'over 1' ], '... is ended, and -restore can be used');

# ---- the same of programs that make checkpoints of their data ----

sub of_data { my (%arg) = @_; return (image => undef, interval => 60, %arg) }

my $makes = sub { my ($job) = @_; $job->tell('program', $_, 1) for 0 .. 3; $through->($job) };
is_deeply(ended($makes, of_data()), ['over 0'], 'of data: a job that was over before there was one');
is_deeply(ended($through, of_data()),
	[ 'say note: no rank has made a checkpoint, as the program has not called FTMPI_Perform_Checkpoint; with -image its processes would have been saved.', 'over 0' ],
	'... one that makes none');
is_deeply(ended($through, of_data(interval => undef)), ['over 0'], '... which without an interval is no news');
is_deeply(ended(sub { }, of_data()), ['over 0'], '... nor that it called no MPI');

# What -restore would go on from when the job has been ended.
sub ends_with
{
	my ($before, $uses) = @_;
	my $job = job(of_data(session => 'S'));
	defined $uses ? $job->begun($uses) : $job->tell('begin');
	$before->($job);
	$job->tell('signal', 'INT')->told;
	$job->tell('exited', $_, 0, 15) for 0 .. 3;
	return [ $job->told ];
}
is_deeply(ends_with(sub { }, 1), [ 'say no rank has made a checkpoint from which -restore could go on.', 'over 130' ], 'of data: a job that is ended says so');
is_deeply(ends_with(sub { }, 0), ['over 130'], '... but not to who has a program without checkpoints');
my $goes_on = [ "say -restore goes on from the ranks' checkpoints (session S).", 'over 130' ];
is_deeply(ends_with(sub { $_[0]->tell('saved', 2, 1, 1) }, 1), $goes_on, '... nor with one');
is_deeply(ends_with(sub { $_[0]{job}->recovery->has_some }, undef), $goes_on, '... also when no rank has said anything yet');

$story = job(of_data(max => 2))->begun(1);
for my $n (1 .. 3) {
	$story->tell(qw(exited 0 0 9))->tell(qw(inited 0))->tell('saved', 0, $n, 1);
}
$story->told;
$story->tell(qw(exited 0 0 9));
is_deeply([ grep { /^(?:say|rerun)/ } $story->told ], [ "say rank 0 on a $by9; $again (restart 1 of 2).", 'rerun 0 4' ], 'of data: restarts count since the latest checkpoint');
$story->tell(qw(inited 0))->tell(qw(exited 0 0 9))->tell(qw(inited 0))->tell('saved', 0, 4, 0)->told;
$story->tell(qw(exited 0 0 9));
like(($story->told)[0], qr/^say rank 0 on a \Q$by9\E; after its 2 restarts without a new checkpoint \(-max-restarts\) the job is ended\.$/, '... and there is an end');

done_testing;
