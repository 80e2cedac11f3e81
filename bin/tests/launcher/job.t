#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# How jobs end, event by event.
use strict;
use warnings;

use Test::More;

use FTMPI::Launcher::Job     ();
use FTMPI::Launcher::Verdict ();

our @more;

# Rank N is on host hN; nothing is mended by a restart.
sub new_job
{
	my ($size) = @_;
	return FTMPI::Launcher::Job->new(
		hosts   => [ map { { name => "h$_", slots => 1, ranks => [$_] } } 0 .. $size - 1 ],
		on      => 'none',
		session => 's',
		@more,
		verdict => FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => $size));
}

# A story: number of ranks, events; told as "say: ...", "kill", "over 3" (logs left out). READY is the
# whole start.
sub story
{
	my ($size, @events) = @_;
	my $job  = new_job($size);
	my @all  = 0 .. $size - 1;
	my @told;
	if (@events && $events[0][0] eq 'READY') {
		shift @events;
		$job->event(@$_) for ['begin'], (map { [ here => $_ ] } @all), map { [ ports => $_ ] } @all;
	}
	for my $event (@events) {
		for my $action ($job->event(@$event)) {
			my ($name, @data) = @$action;
			next if $name =~ /^(?:log|gone|start|drop|observe_all)\z/;
			push @told, $name eq 'say' ? "say: $data[0]" : join ' ', $name, grep { defined } @data[ 0, 1 ];
		}
	}
	return \@told;
}

sub inited    { return map { [ 'inited',    $_ ] } @_ }
sub finalized { return map { [ 'finalized', $_ ] } @_ }
sub ended     { return map { [ 'exited', $_, 0, 0 ] } @_ }
sub killed    { return map { [ 'exited', $_, 0, 15 ] } @_ }

my @ready  = (['READY']);
my @soft   = ('kill 0', 'timer leave 5');
my @others = 'the other ranks are ended.';

is_deeply(story(2, @ready, inited(0, 1), finalized(0, 1), ended(0, 1)), ['over 0'], 'all is well');
{
	my $job = new_job(2);
	$job->event(@$_) for ['begin'], (map { [ here => $_ ] } 0, 1), map { [ ports => $_ ] } 0, 1;
	my @observed = map { [ map { $_->[0] } $job->event(@$_) ] } inited(0, 0, 1, 1);
	is_deeply(\@observed, [ [], [], ['observe_all'], [] ], 'ranks observe each other when all have begun');
}
is_deeply(story(2, @ready, ended(0, 1)), ['over 0'], 'programs without MPI');
is_deeply(story(2, @ready, ended(1), [ 'inited', 0 ], killed(0)),
	[
		'say: rank 1 on h1 exited with status 0 without calling MPI_Init, while others wait for it;'
			. ' the other ranks are ended.',
		@soft, 'over 1'
	],
	'one without MPI, before the other called MPI_Init');
is_deeply(story(2, @ready, inited(0), ended(1), killed(0)),
	[
		'say: rank 1 on h1 exited with status 0 without calling MPI_Init, while others wait for it;'
			. ' the other ranks are ended.',
		@soft, 'over 1'
	],
	'... and after');
is_deeply(story(2, @ready, inited(0), finalized(0), ended(1), ended(0)), ['over 0'],
	'nobody waits after MPI_Finalize');
is_deeply(story(2, @ready, inited(0, 1), ended(1), killed(0)),
	[ 'say: rank 1 on h1 exited without calling MPI_Finalize; the job is ended.', @soft,
		'over 1' ],
	'without MPI_Finalize');
is_deeply(story(3, @ready, inited(0, 1, 2), [ 'exited', 2, 3, 0 ], [ 'exited', 1, 9, 0 ],
	killed(0)),
	[ 'say: rank 2 on h2 exited with status 3; the other ranks are ended.', @soft, 'over 3' ],
	'the first failure is told and gives the status');
is_deeply(story(1, @ready, [ 'exited', 0, 3, 0 ]), [ 'say: rank 0 on h0 exited with status 3.',
	'over 3' ],
	'a rank alone');
is_deeply(story(2, @ready, ended(0), [ 'exited', 1, 3, 0 ]),
	[ 'say: rank 1 on h1 exited with status 3.', 'over 3' ], 'the last rank');
is_deeply(story(2, @ready, [ 'exited', 1, 0, 9 ], killed(0)),
	[ 'say: rank 1 on h1 was killed by signal 9 (Killed); the other ranks are ended.', @soft,
		'over 137' ],
	'a signal');
is_deeply(story(2, @ready, inited(0, 1), finalized(0, 1), [ 'exited', 1, 4, 0 ], ended(0)),
	[ 'say: rank 1 on h1 exited with status 4 after MPI_Finalize.', 'over 4' ],
	'a failure after MPI_Finalize lets the others finish');
is_deeply(story(2, @ready, inited(0, 1), finalized(1), [ 'exited', 1, 0, 11 ], [ 'exited', 0, 2,
	0 ]),
	[ 'say: rank 0 on h0 exited with status 2.', 'over 2' ], '... unless one of them fails');
for my $code ([ 7, 7 ], [ 0, 1 ], [ 256, 1 ], [ 258, 2 ]) {
	my ($given, $status) = @$code;
	is_deeply(
		story(2, @ready, inited(0, 1), [ 'aborted', 1, $given, '' ], [ 'exited', 1, 9,
			0 ], killed(0)),
		[ "say: rank 1 on h1 called MPI_Abort with code $given; the other ranks are ended.",
			@soft, "over $status" ],
		"MPI_Abort with $given");
}
is_deeply(
	story(2, @ready, inited(0, 1), [ 'aborted', 1, 6, 'MPI_Send' ], [ 'exited', 1, 6, 0 ], killed(0)),
	[ 'say: rank 1 on h1 stopped on an error in MPI_Send; the other ranks are ended.', @soft, 'over 6' ],
	'an error that ends the job');
is_deeply(
	story(2, @ready, inited(0), [ 'aborted', 1, 1, 'the search of all ranks for a recovery line' ], [ 'exited', 1, 1, 0 ], killed(0)),
	[ 'say: the ranks have found no recovery line that they can go on from, so the job is ended.', @soft, 'over 1' ],
	'no line to go on from, which is not the first rank\'s fault');
is_deeply(story(2, @ready, [ 'cannot_run', 1, 'host h1: cannot run x: No' ],
	[ 'cannot_run', 1, 'host h1: cannot run x: No' ], [ 'exited', 1, 127, 0 ], killed(0)),
	[ 'say: host h1: cannot run x: No', @soft, 'over 1' ], 'a program that is not there');
is_deeply(story(2, [ 'cannot', 'no address' ]), [ 'say: no address', 'over 1' ],
	'before the start');
is_deeply(story(2, ['begin'], [ 'host_lost', 1, 'host h1: cannot start: x', 0 ]),
	[ 'say: host h1: cannot start: x', 'over 1' ], 'an agent that does not start');
is_deeply(story(2, ['begin'], [ 'here', 1 ], [ 'host_lost', 1, 'lost h1', 1 ]),
	[ 'say: lost h1; the job is ended.', 'over 1' ], 'one that is lost before the ranks run');
is_deeply(story(2, @ready, [ 'host_lost', 1, 'lost h1', 1 ], killed(0)),
	[ 'say: lost h1; the job is ended.', @soft, 'over 1' ], 'a host that is lost takes its ranks along');
is_deeply(story(2, @ready, ended(1), [ 'host_lost', 1, 'lost h1', 1 ], ended(0)), ['over 0'],
	'... but is not missed when they had ended');
is_deeply(story(2, @ready, [ 'unfit', 1, 'host h1: cannot enter x' ], killed(0)),
	[ 'say: host h1: cannot enter x', @soft, 'over 1' ], 'a host that cannot run the program');
is_deeply(story(3, @ready, [ 'exited', 0, 1, 0 ], killed(1), [ 'host_lost', 2, 'lost h2', 1 ]),
	[ 'say: rank 0 on h0 exited with status 1; the other ranks are ended.', @soft, 'over 1' ],
	'... also while the job ends');
is_deeply(story(2, @ready, [ 'broken', 1, 'what' ], killed(0, 1)),
	[ 'say: rank 1 on h1 broke the rules of its control connection (what); the other ranks are ended.',
		@soft, 'over 1' ],
	'a rank that sends nonsense');

my @lost = [ 'lost', 0, 1, 'reset' ];
is_deeply(story(2, @ready, inited(0, 1), @lost, [ 'exited', 1, 0, 9 ], killed(0), [ 'explain', 0 ]),
	[ 'timer explain 2',
		'say: rank 1 on h1 was killed by signal 9 (Killed); the other ranks are ended.',
		@soft, 'over 137' ],
	'a broken connection that is explained');
is_deeply(story(2, @ready, inited(0, 1), @lost, [ 'explain', 0 ], killed(0, 1)),
	[ 'timer explain 2',
		'say: connection between rank 0 on h0 and rank 1 on h1 broke: reset; the job is ended.',
		@soft, 'over 1' ],
	'... that is not');
is_deeply(story(2, @ready, inited(0, 1), @lost, finalized(1), ended(1), [ 'explain', 0 ], finalized(0),
	ended(0)),
	[ 'timer explain 2', 'over 0' ], '... that does no harm');
is_deeply(story(2, @ready, inited(0, 1), @lost, finalized(1), [ 'explain', 0 ], finalized(0), ended(0,
	1)),
	[ 'timer explain 2', 'over 0' ], '... nor when the peer is only through with MPI');
is_deeply(story(3, @ready, inited(0 .. 2), @lost, [ 'lost', 0, 2, 'cut' ], finalized(1), ended(1),
		[ 'explain', 0 ], [ 'explain', 0 ], killed(0, 2)),
	[ 'timer explain 2', 'timer explain 2',
		'say: connection between rank 0 on h0 and rank 2 on h2 broke: cut; the job is ended.', @soft, 'over 1' ],
	'... one of two');
is_deeply(story(2, @ready, inited(0, 1), [ 'lost', 0, 1, 'Connection reset by peer' ], [ 'lost', 1, 0, 'no memory' ],
		[ 'explain', 0 ], killed(0, 1)),
	[ 'timer explain 2', 'timer explain 2',
		'say: connection between rank 1 on h1 and rank 0 on h0 broke: no memory; the job is ended.', @soft, 'over 1' ],
	'... as the end tells it that closed it');
is_deeply(story(2, @ready, [ 'lost', 0, 2, 'x' ], killed(0, 1)),
	[ 'say: rank 0 on h0 broke the rules of its control connection (it has no peer 2);'
		. ' the other ranks are ended.', @soft, 'over 1' ],
	'... to nobody');

for my $signal ([ 'INT', 130 ], [ 'TERM', 143 ], [ 'HUP', 129 ]) {
	my ($name, $status) = @$signal;
	is_deeply(story(2, @ready, [ 'signal', $name ], killed(0, 1)), [ "say: SIG$name came; the job is ended.", @soft, "over $status" ],
		"SIG$name");
}
my $int = 'say: SIGINT came; the job is ended.';
is_deeply(story(2, @ready, [ 'signal', 'INT' ], [ 'signal', 'INT' ], killed(0, 1)),
	[ $int, @soft, 'kill 1', 'timer leave 3', 'over 130' ], 'a second one kills');
is_deeply(story(2, [ 'signal', 'INT' ]), [ $int, 'over 130' ], 'one before the start');
is_deeply(story(2, @ready, [ 'signal', 'INT' ], ['leave']), [ $int, @soft, 'over 130' ],
	'ranks that do not go are not waited for');
my $goes_on = 'say: -restore goes on from line 7 of session s.';
is_deeply(story(2, @ready, [ 'line', 7 ], [ 'signal', 'INT' ], killed(0, 1)), [ $int, @soft, $goes_on, 'over 130' ],
	'the newest line is told');
is_deeply(story(2, @ready, [ 'line', 6 ], [ 'signal', 'INT' ], [ 'line', 7 ], killed(0, 1)), [ $int, @soft, $goes_on, 'over 130' ],
	'... also one that was made last');
{
	local @more = (term_ranks => 30);
	my $passed = 'say: SIGTERM came, and is passed to the ranks; what has not ended in 30 s is ended.';
	is_deeply(story(2, @ready, [ 'signal', 'TERM' ], [ 'line', 7 ], ended(0, 1)),
		[ $passed, 'kill 30000', 'timer leave 35', $goes_on, 'over 143' ], 'ranks that get SIGTERM first');
	is_deeply(story(2, @ready, [ 'signal', 'TERM' ], [ 'signal', 'TERM' ], killed(0, 1)),
		[ $passed, 'kill 30000', 'timer leave 35', 'kill 1', 'timer leave 3', 'over 143' ], '... a second one does not wait');
	is_deeply(story(2, @ready, [ 'signal', 'TERM' ], [ 'timeout', 7 ], killed(0, 1)),
		[ $passed, 'kill 30000', 'timer leave 35', 'kill 1', 'timer leave 3', 'over 143' ], '... nor does -timeout');
	is_deeply(story(2, @ready, [ 'signal', 'INT' ], killed(0, 1)), [ $int, @soft, 'over 130' ], '... nor do other signals');
	is_deeply(story(2, [ 'signal', 'TERM' ]), [ 'say: SIGTERM came; the job is ended.', 'over 143' ], '... nor before the start');
}
is_deeply(story(2, @ready, [ 'timeout', 3 ], killed(0, 1)),
	[ 'say: the job did not end within 3 s (-timeout); it is ended.', @soft, 'over 124' ],
		'a timeout');
is_deeply(story(2, @ready, [ 'output_gone', '' ], killed(0, 1)), [ @soft, 'over 141' ],
	'a reader that goes away ends the job quietly');
is_deeply(story(2, @ready, [ 'output_gone', 'No space' ], killed(0, 1)),
	[ 'say: cannot write to standard output: No space; the job is ended.', @soft, 'over 1' ],
		'a full disk');
is_deeply(story(2, @ready, [ 'output_gone', 'No space', 'the file o' ], killed(0, 1)),
	[ 'say: cannot write to the file o: No space; the job is ended.', @soft, 'over 1' ],
		'... where a file of a rank is');

# Whatever comes in whatever order: one end, and no word after it.
my @names = qw(begin here ports suspect judge program line restored again inited finalized exited aborted lost broken cannot explain host_lost signal timeout
	output_gone leave unfit cannot_run);
srand 1;
my $odd = 0;
for my $round (1 .. 3000) {
	my $job = new_job(4);
	my ($over, $said) = (0, 0);
	for my $step (1 .. 40) {
		my $name = $names[ rand @names ];
		my $rank = int rand 4;
		my %data = (
			exited => [ $rank, int rand 2, int rand 2 ], aborted => [ $rank, 1, '' ],
			lost   => [ $rank, int rand 5, 'x' ], broken => [ $rank, 'x' ],
				(map { $_ => [ $rank, 'gone' ] } qw(host_lost unfit cannot_run)), signal => ['INT'],
			program => [ $rank, 0 ], line => [1], restored => [ 1, 's' ], suspect => [ $rank, int rand 5, 1000 ],
			(map { $_ => [0] } qw(judge explain)), again => [ $rank, 0 ],
			map { $_ => [$rank] } qw(inited finalized cannot timeout output_gone here ports),
		);
		for my $action ($job->event($name, @{ $data{$name} // [] })) {
			$odd++ if $over;
			$over++ if $action->[0] eq 'over';
			$said++ if $action->[0] eq 'say';
		}
	}
	$odd++ if $over > 1 || $said > 1;
}
is($odd, 0, 'thousands of random stories have one end and one sentence');

done_testing;
