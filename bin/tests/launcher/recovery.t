#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# How jobs go on after failures, event by event.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use Story ();

sub begun { my $story = Story->new(@_)->begun; $story->told; return $story }

my $by9 = 'was killed by signal 9 (Killed)';

# The start.
my $job = Story->new('a:2,b:2,c:2', 4);
$job->tell('begin');
is_deeply([ $job->told ], [ 'start 0', 'start 1', 'bind 0: 0 1 1: 2 3', 'run 0' ],
	'a start: agents where ranks are, sockets, ranks; the spare is left alone');

# A rank is killed.
$job = begun('a:2,b:2,c:2', 4);
$job->tell('line', 4)->tell(qw(exited 2 0 9), 'out of cheese / bye');
is_deeply([ $job->told ], [
	"say rank 2 on b $by9; its last words: \"out of cheese / bye\"; restart 1 of 3 from line 4.",
	'restart_all 0 1', 'restart_all 1 1', 'timer answer 30 1', 'run 1' ],
	'a rank that was killed: all begin again where they are');
$job->{now} = 0.25;
$job->tell('restored', 4, 's')->born;
is_deeply([ $job->told ], ['say all 4 ranks run again, 250 ms after the failure was noticed (line 4).'],
	'... and it is said that they run');
$job->tell('finalized', $_)->tell('exited', $_, 0, 0) for 0 .. 3;
is_deeply([ $job->told ], ['over 0'], '... and the job ends well');

$job = begun('a:2,b:2', 4);
$job->tell(qw(exited 2 0 9));
is_deeply([ ($job->told)[0] ], ["say rank 2 on b $by9; restart 1 of 3 from the beginning."],
	'before the first line');
$job->born;
is_deeply([ $job->told ], ['say all 4 ranks run again, 0 ms after the failure was noticed.'],
	'... it is not waited for');
$job = begun('a:2,b:2', 4, restoring => 'line 7 of session s');
$job->tell(qw(exited 2 0 9));
is_deeply([ ($job->told)[0] ], ["say rank 2 on b $by9; restart 1 of 3 from line 7 of session s."],
	'a job that was restored, before its own first line');
$job->born;
is_deeply([ $job->told ], ['timer tell 1 1'], '... news of the line are waited for');
$job->tell('tell', 1)->tell('restored', 7, 's');
is_deeply([ $job->told ], ['say all 4 ranks run again, 0 ms after the failure was noticed.'],
	'... but not for ever');

# Lines that rank 0 was lost before it could tell of.
{
	my $newest;
	$job = begun('a:2,b:2', 4, newest => sub { $newest });
	$newest = 3;
	$job->tell(qw(exited 2 0 9));
	is_deeply([ ($job->told)[0] ], ["say rank 2 on b $by9; restart 1 of 3 from line 3."], 'a line that is there, and that nobody has told of');
	is($job->{job}->recovery->line, 3, '... counts as one that was told');
	$job->born;
	is_deeply([ $job->told ], ['timer tell 1 1'], '... so news of it are waited for');
	$job->tell('tell', 1)->told;
	$job->tell(qw(exited 2 0 9));
	is_deeply([ ($job->told)[0] ], ["say rank 2 on b $by9; restart 2 of 3 from line 3."], '... but it is new only once');
	$job->born->told;
	$job->tell('line', 5)->tell(qw(exited 2 0 9));
	is_deeply([ ($job->told)[0] ], ["say rank 2 on b $by9; restart 1 of 3 from line 5."], '... and an older one is no news');
	$job->born->told;
	$newest = 6;
	$job->tell(qw(exited 2 0 9));
	is_deeply([ ($job->told)[0] ], ["say rank 2 on b $by9; restart 1 of 3 from line 6."], 'another one is a new line');
	$job = begun('a:2,b:2', 4, newest => sub { undef }, image => { patience => 1, waits => 1 });
	$job->tell(qw(exited 2 0 9));
	is_deeply([ ($job->told)[0] ], ["say rank 2 on b $by9; restart 1 of 3 from the beginning."], 'there is none');
}

# Old news.
$job = begun('a:2,b:2', 4);
$job->{mute}{1} = 1;
$job->tell(qw(exited 2 0 9));
$job->told;
$job->tell(@$_) for [qw(exited 3 0 11)], [ 'aborted', 3, 7, '' ], [ 'exited', 0, 3, 0 ], [ 'lost', 0, 2, 'x' ],
	[ 'broken', 3, 'x' ], [ 'suspect', 0, 2, 1000 ], [ 'stopped', 2, 1000 ], [ 'inited', 3 ], [ 'finalized', 0 ], [ 'explain', 0 ],
	[ 'judge', 0 ], [ 'fenced', 0, 2 ], [ 'restarting_all', 0, 0 ], [ 'restarting_all', 1, 0 ];
is_deeply([ $job->told ], [], 'what ranks of the old epoch did is no news');
$job->tell('restarting_all', 1, 1);
is_deeply([ $job->told ], ['run 1'], '... the new one begins when all have answered');
$job->tell(@$_) for [ 'explain', 0 ], [ 'judge', 0 ], [ 'fenced', 0, 2 ], [ 'undecided', 0 ], [ 'tell', 0 ], [ 'answer', 1 ];
is_deeply([ $job->told ], [], 'timers of the old epoch are none of the new');

# How often.
$job = begun('a:2', 2, max => 2);
$job->tell(qw(exited 1 0 9)), $job->born for 1, 2;
$job->told;
$job->tell(qw(exited 1 0 9), 'help');
is_deeply([ $job->told ], [
	"say rank 1 on a $by9; its last words: \"help\"; 2 restarts in a row (-max-restarts) brought no new"
		. ' recovery line, so the job is ended.', 'kill 0', 'timer leave 5' ],
	'restarts that bring nothing are given up');
$job->tell(qw(exited 0 0 15));
is_deeply([ $job->told ], ['over 137'], '... with the status of the failure');
$job = begun('a:2', 2, max => 1);
$job->tell(qw(exited 1 0 9)), $job->born, $job->tell('line', $_) for 1 .. 5;
is($job->{job}->epoch, 5, 'each line counts anew');
$job->tell(qw(exited 1 0 9));
is(($job->told)[-1], 'run 6', '... once more');
$job = begun('a:2', 2, max => 2);
$job->tell(qw(exited 1 0 9))->born;
$job->{mute}{0} = 1;
$job->tell(qw(exited 1 0 9))->tell('line', 1)->tell('restarting_all', 0, 2)->born->tell(qw(exited 1 0 9));
is(($job->told)[-1], 'timer answer 30 3', '... also one that was committed just before the failure');
$job = begun('a:2', 2, max => 1);
$job->{mute}{0} = 1;
$job->tell(qw(exited 1 0 9))->tell('line', 1)->tell('restarting_all', 0, 1)->born->tell(qw(exited 1 0 9));
is(($job->told)[-1], 'timer leave 5', '... after which this was the first restart');

# Who may be started again.
my $none = 'the program makes no checkpoints (FTMPI_Perform_Checkpoint), so the job cannot go on;'
	. ' -restart-from-start would begin again; with -image its processes would have been saved.';
$job = Story->new('a:2', 2)->begun(0);
$job->told;
$job->tell(qw(exited 1 0 9));
is_deeply([ $job->told ], [ "say rank 1 on a $by9; $none", 'kill 0', 'timer leave 5' ],
	'a program without checkpoints is not');
$job = Story->new('a:2', 2, from_start => 1)->begun(0);
$job->told;
$job->tell(qw(exited 1 0 9));
is_deeply([ ($job->told)[0] ], ["say rank 1 on a $by9; restart 1 of 3 from the beginning."],
	'... but with -restart-from-start');
$job = Story->new('a:2', 2)->begun(0);
$job->tell('program', 0, 1);
$job->told;
$job->tell(qw(exited 1 0 9));
like(($job->told)[0], qr/restart 1 of 3/, 'one that turns out to make them is');
for my $case ([ 1, qr/restart 1 of 3/ ], [ 0, qr/\Q$none\E/ ]) {
	my ($uses, $what) = @$case;
	$job = Story->new('a:2', 2)->tell('begin');
	$job->told;
	$job->tell(qw(exited 1 0 9));
	is_deeply([ $job->told ], ['timer undecided 5 0'], 'before any rank came to MPI_Init that is waited for');
	$job->tell('program', 0, $uses);
	like(($job->told)[0], $what, "... and then known: $uses");
}
for my $line (0, 1) {
	$job = Story->new('a:3', 3)->tell('begin')->tell(qw(exited 0 0 0))->tell(qw(exited 1 0 9));
	$job->tell('line', 1) if $line;
	$job->told;
	$job->tell('inited', 2);
	is_deeply([ grep { !/^(?:restart_all|timer|run)/ } $job->told ],
		[ $line ? "say rank 1 on a $by9; restart 1 of 3 from line 1." : ("say rank 1 on a $by9; $none", 'kill 0') ],
		'... and a rank that ended before MPI_Init is no second failure');
}
$job = Story->new('a:2', 2)->tell('begin')->tell(qw(exited 1 0 9));
$job->told;
$job->tell('undecided', 0);
is(($job->told)[0], "say rank 1 on a $by9; the other ranks are ended.", '... but not for ever');
$job = Story->new('a:2,b', 3)->tell('begin')->tell(qw(exited 1 0 9));
$job->told;
$job->tell(qw(host_lost 1), 'lost b', 1)->tell(qw(exited 0 0 9));
is_deeply([ $job->told ], [ 'drop 1', "say rank 1 on a $by9.", 'over 137' ], '... nor when nobody is left to tell');
$job = begun('a:2', 2);
$job->{job}->recovery->input_lost(1);
$job->tell(qw(exited 1 0 9));
like(($job->told)[0], qr/^say rank 1 on a \Q$by9\E; rank 0 was given more standard input/,
	'nor one whose input is not kept');

# What is mended: the rows of the table, by -restart-on.
my %WAYS = (
	error  => [ [ 'exited', 1, 3, 0 ] ],
	abort  => [ [ 'aborted', 1, 3, '' ] ],
	final  => [ [ 'aborted', 1, 3, 'FTMPI_Restore' ] ],
	no_line => [ [ 'aborted', 1, 1, 'the search of all ranks for a recovery line' ] ],
	crash  => [ [ 'exited', 1, 0, 11 ] ],
	crash_in_shell  => [ [ 'exited', 1, 139, 0 ] ],
	killed_in_shell => [ [ 'exited', 1, 137, 0 ] ],
	odd_status      => [ [ 'exited', 1, 200, 0 ] ],
	killed => [ [ 'exited', 1, 0, 9 ] ],
	term   => [ [ 'exited', 1, 0, 15 ] ],
	lost   => [ [ 'lost', 0, 1, 'x' ], [ 'explain', 0 ] ],
	host   => [ [ 'host_lost', 1, 'lost b', 1 ] ],
	hung   => [ [ 'suspect', 0, 1, 1000 ], [ 'judge', 0 ] ],
	stopped => [ [ 'stopped', 1, 1000 ] ],
	left   => [ [ 'exited', 1, 0, 0 ] ],
	rubbish => [ [ 'broken', 1, 'x' ] ],
);
my %MENDED = (
	none    => '',
	failure => 'host hung killed killed_in_shell lost stopped term',
	crash   => 'crash crash_in_shell host hung killed killed_in_shell lost stopped term',
	any     => 'abort crash crash_in_shell error host hung killed killed_in_shell lost odd_status stopped term',
);
for my $on (sort keys %MENDED) {
	my @mended;
	for my $way (sort keys %WAYS) {
		my $story = begun('a,b', 2, on => $on);
		$story->tell(@$_) for @{ $WAYS{$way} };
		push @mended, $way if grep { /^(?:restart_all|fence)/ } $story->told;
	}
	is("@mended", $MENDED{$on}, "-restart-on $on");
}

# Ranks that are through.
$job = begun('a:2,b:2', 4);
$job->tell('finalized', $_) for 0 .. 3;
$job->tell(qw(exited 0 0 0))->tell(qw(exited 3 0 9));
like(($job->told)[0], qr/^say rank 3 on b .* restart 1/, 'one that is killed after MPI_Finalize begins again with all');
$job = begun('a:2,b:2', 4);
$job->tell('finalized', $_) for 0 .. 3;
$job->tell(qw(exited 3 4 0))->tell('exited', $_, 0, 0) for 0 .. 2;
is(($job->told)[-1], 'over 4', 'one that fails by itself does not');
$job = begun('a:2,b:2', 4);
$job->tell('finalized', $_)->tell('exited', $_, 0, 0) for 2, 3;
$job->tell(qw(host_lost 1), 'lost b', 1);
is_deeply([ $job->told ], ['drop 1'], 'a host whose ranks are through is not missed');
$job->tell(qw(exited 0 0 9));
is_deeply([ $job->told ], [ "say rank 0 on a $by9; ranks 2-3 go to a; restart 1 of 3 from the beginning.",
	'restart_all 0 1', 'timer answer 30 1', 'bind 0: 2 3', 'run 1' ], '... until its ranks begin again');

# Hosts.
$job = begun('a:2,b:2,c,d:4', 4);
$job->tell(qw(host_lost 1), 'lost b', 1);
is_deeply([ $job->told ], [ 'drop 1', 'say lost b; rank 2 goes to c; rank 3 goes to d; restart 1 of 3 from the beginning.',
	'restart_all 0 1', 'start 2', 'start 3', 'timer answer 30 1', 'bind 2: 2 3: 3', 'run 1' ],
	'a host is lost: its ranks go to spares');
$job = begun('a:2,b:2,c,d:4', 4);
$job->{mute} = { 2 => 1 };
$job->tell(qw(host_lost 1), 'lost b', 1);
$job->told;
$job->tell('host_lost', 2, 'host c: cannot start: x', 0);
is_deeply([ $job->told ], [ 'say host c: cannot start: x; rank 2 goes to d.', 'drop 2', 'bind 3: 3 2', 'run 1' ],
	'... a spare that does not start is passed over');
$job->tell('unfit', 3, 'host d: cannot enter /x');
is_deeply([ $job->told ], [ 'drop 3', 'say host d: cannot enter /x; ranks 2-3 go to a; restart 1 of 3 from the beginning.',
	'restart_all 0 2', 'timer answer 30 2', 'bind 0: 2 3', 'run 2' ], '... one that cannot run the program, too, uncounted');
$job = begun('a,b', 2);
$job->tell(qw(host_lost 1), 'lost b', 1);
$job->tell('unfit', 0, 'host a: cannot run x')->tell('unfit', 1, 'host b: cannot run x');
ok(!grep({ /restart 2 of 3/ } $job->told), '... on each host once');
$job->tell('unfit', $_ % 2, 'again') for 0 .. 2;
is(($job->told)[-1], 'over 1', '... but not for ever, when none is left that can');
$job = begun('a,b', 2);
$job->tell(qw(host_lost 1), 'lost b', 1);
is_deeply([ $job->told ], [ 'drop 1', 'say lost b; rank 1 goes to a; restart 1 of 3 from the beginning.',
	'restart_all 0 1', 'timer answer 30 1', 'bind 0: 1', 'run 1' ], 'without spares they are packed');
$job->{now} = 29;
$job->tell(qw(exited 0 0 9));
ok(!grep({ /^start/ } $job->told), 'a host that failed is left alone for a while');
$job->{now} = 30;
$job->tell(qw(exited 0 0 9));
is_deeply([ grep { /^(?:start|bind|run)/ } $job->told ], [ 'start 1', 'run 3' ], '... then tried again, and not waited for');
$job = begun('a,b', 2);
$job->{mute}{1} = 1;
$job->tell(qw(host_lost 1), 'lost b', 1);
$job->{now} = 40;
$job->tell(qw(exited 0 0 9));
$job->told;
$job->tell('here', 1);
$job->{mute} = {};
$job->tell(qw(host_lost 0), 'lost a', 1);
is_deeply([ $job->told ], [ 'drop 0', 'say lost a; ranks 0-1 go to b; restart 3 of 3 from the beginning.',
	'timer answer 30 3', 'bind 1: 0 1', 'run 3' ], '... and it serves as a spare');
$job = begun('a,b', 2);
$job->{mute}{1} = 1;
$job->tell(qw(host_lost 1), 'lost b', 1);
$job->{now} = 40;
$job->tell(qw(exited 0 0 9));
$job->told;
$job->tell('host_lost', 1, 'host b: cannot start: x', 0);
is_deeply([ $job->told ], ['drop 1'], '... or is still not there, quietly');

# All hosts are lost: those that failed before are tried.
$job = begun('a:2', 2);
$job->{mute}{0} = 1;
$job->tell(qw(host_lost 0), 'lost a', 1);
is_deeply([ $job->told ], [ 'drop 0', 'say lost a; ranks 0-1 go to a; restart 1 of 3 from the beginning.',
	'start 0', 'timer answer 30 1' ], 'the last host is tried once more');
$job->tell('host_lost', 0, 'host a: cannot start: x', 0);
is_deeply([ $job->told ], [ 'drop 0', 'say host a: cannot start: x; no host is left, so the job is ended.', 'over 1' ],
	'... but once');

$job = begun('a:2', 2);
$job->{mute}{0} = 1;
$job->tell(qw(exited 1 0 9));
$job->told;
$job->tell(qw(host_lost 0), 'lost a', 1);
is_deeply([ $job->told ], [ 'say lost a; ranks 0-1 go to a.', 'drop 0', 'start 0' ],
	'... also when it is lost while it begins again');

# Agents that do not answer the order to begin again.
$job = begun('a:2,b:2', 4);
$job->{mute}{1} = 1;
$job->tell(qw(exited 0 0 9));
$job->told;
$job->tell('answer', 0)->tell('answer', 1);
is_deeply([ $job->told ], [ 'say host b did not answer the order to begin again within 30 s; ranks 2-3 go to a.',
	'drop 1', 'bind 0: 2 3', 'timer answer 30 1', 'run 1' ], 'an agent that does not answer is done without');
$job = begun('a:2,b:2', 4);
$job->{mute}{1} = 1;
$job->tell(qw(exited 0 0 9));
$job->told;
$job->tell(qw(host_lost 1), 'lost b', 1);
is_deeply([ $job->told ], [ 'say lost b; ranks 2-3 go to a.', 'drop 1', 'bind 0: 2 3', 'run 1' ],
	'a host that is lost meanwhile');

# What else may come while a failure is mended.
for my $case ([ 130, 'signal', 'INT' ], [ 124, 'timeout', 3 ], [ 141, 'output_gone', '' ],
	[ 1, 'output_gone', 'No space' ], [ 1, 'cannot', 'no address' ]) {
	my ($status, @event) = @$case;
	my $story = begun('a:2,b:2', 4);
	$story->{mute}{1} = 1;
	$story->tell(qw(exited 0 0 9));
	$story->told;
	$story->tell(@event);
	is(($story->told)[-1], "over $status", "while it is mended: @event");
	$story = begun('a:2,b:2', 4);
	$story->tell(qw(exited 0 0 9));
	$story->told;
	$story->tell(@event);
	my @told = $story->told;
	is_deeply([ @told[ -2, -1 ] ], [ 'kill 0', 'timer leave 5' ], '... and when all have been told to run');
	$story->tell(qw(host_lost 0), 'lost a', 1)->tell('exited', $_, 0, 15) for 0 .. 3;
	is(($story->told)[-1], "over $status", '... its deaths are counted');
}

# Ranks that show no life.
$job = begun('a:2,b:2', 4);
$job->tell(qw(suspect 0 2 1000))->tell(qw(suspect 1 2 1020));
is_deeply([ $job->told ], ['timer judge 0.05 0'], 'suspicions are gathered');
$job->tell('judge', 0);
is_deeply([ $job->told ], [ 'fence 2', 'timer fenced 3 0 2' ], 'a rank that shows no life is killed');
$job->{now} = 0.5;
$job->tell(qw(exited 2 0 9));
is(($job->told)[0], 'say rank 2 on b showed no life for 1020 ms (stopped or hung) and was killed;'
	. ' restart 1 of 3 from the beginning.', '... and all begin again');
$job = begun('a:2,b:2', 4);
$job->tell(qw(suspect 0 2 1000))->tell(qw(heard 0 2))->tell(qw(suspect 0 2 1000));
is_deeply([ $job->told ], ['timer judge 0.05 0'], 'one that is heard in between is not judged twice as often');
$job = begun('a:2,b:2', 4);
$job->tell(qw(suspect 3 2 1000));
is_deeply([ $job->told ], [ 'fence 2', 'timer fenced 3 0 2' ], 'the word of one beside it is enough, at once');
$job = begun('a:2,b:2', 4);
$job->tell(qw(suspect 0 2 1000))->tell(qw(suspect 3 2 1020));
is_deeply([ $job->told ], [ 'timer judge 0.05 0', 'fence 2', 'timer fenced 3 0 2' ], '... also while others are gathered');
$job->tell('judge', 0);
is_deeply([ $job->told ], [], '... which is over then');
$job->tell('fenced', 0, 2);
is(($job->told)[0], 'say rank 2 on b showed no life for 1020 ms (stopped or hung) and cannot be killed;'
	. ' restart 1 of 3 from the beginning.', '... even when that does not help');
$job = begun('a:2,b:2', 4);
$job->{silent}{1} = 0.9;
$job->tell(qw(suspect 0 2 1000))->tell('judge', 0);
is(($job->told)[2], 'say host b shows no life for 1000 ms; ranks 2-3 go to a; restart 1 of 3 from the beginning.',
	'a host that shows no life is done without');
$job = begun('a:2,b:2,c:2', 4);
$job->tell(qw(suspect 0 2 1000))->tell(qw(suspect 3 1 1000))->tell('judge', 0);
is_deeply([ ($job->told)[ 1, 2 ] ], [ 'dismiss 1',
	'say hosts a and b do not reach each other for 1000 ms; ranks 2-3 go to c; restart 1 of 3 from the beginning.' ],
	'a link that is cut: one of two hosts is done without');
$job = begun('a:2,b:2', 4);
$job->tell(qw(exited 0 0 9))->born->tell(qw(suspect 0 2 1000))->tell(qw(suspect 1 2 1000));
$job->told;
$job->tell('judge', 0);
is_deeply([ $job->told ], [], 'who is suspected is not judged by an old timer');
$job = begun('a:2,b:2', 4, debug => 1);
$job->tell(qw(suspect 0 2 1000))->tell('judge', 0);
is_deeply([ $job->told ], [], '-debug: nothing is done');
$job = Story->new('a:2,b:2', 4)->begun(0);
$job->told;
$job->tell(qw(suspect 0 2 1000))->tell(qw(suspect 3 2 1000))->tell('judge', 0);
$job->tell(qw(suspect 0 2 1000))->tell(qw(suspect 3 2 1100))->tell('judge', 0);
is_deeply([ grep { !/^timer/ } $job->told ],
	['say rank 2 on b shows no life for 1000 ms (stopped or hung); the job is not ended for that.'],
	'a job that cannot begin again is left alone, and told of once');
$job = begun('a:2,b:2', 4);
$job->tell('finalized', 2)->tell(qw(suspect 0 2 1000));
is_deeply([ $job->told ], [], 'a rank that is through with MPI need not beat');

# Their agents are asked.
$job = begun('a:2,b:2', 4, limit => 60);
$job->tell(qw(suspect 3 2 1000));
is_deeply([ $job->told ], [ 'examine 2 0.15', 'examine 3 0.15', 'timer judge 0.05 0' ], 'the agent is asked what it sees');
$job->tell('judge', 0);
is_deeply([ $job->told ], ['timer judge 0.05 0'], '... once, and waited for');
$job->tell(qw(condition 2 stopped));
is_deeply([ $job->told ], [ 'fence 2', 'timer fenced 3 0 2' ], '... and believed at once');
my $short = 'rank 2 on b gets too little of a processor (load 84.00 on 2 cores): ranks of this host, and its agent,'
	. ' may be silent for up to 60 s (-starved-limit).';
$job = begun('a:2,b:2', 4, limit => 60);
$job->tell(qw(suspect 3 2 1000))->told;
$job->{now} = 0.2;
$job->tell(qw(condition 2 starved), 'load 80.00 on 2 cores')->tell(qw(condition 3 runs))->tell('judge', 0);
is_deeply([ $job->told ], ['timer judge 0.25 0'], 'one that gets no processor is excused');
$job->{now} = 1;
$job->tell('judge', 0)->tell(qw(condition 2 starved), 'load 84.00 on 2 cores')->tell(qw(condition 3 runs));
is_deeply([ $job->told ], [ 'examine 2 0.15', 'examine 3 0.15', 'timer judge 0.25 0', "say $short" ],
	'... and looked at again, and told of when that lasts');
$job->{now} = 2;
$job->tell('judge', 0)->tell(qw(condition 2 starved), 'load 90.00 on 2 cores');
is_deeply([ $job->told ], [ 'examine 2 0.15', 'examine 3 0.15', 'timer judge 0.25 0' ], '... once');
$job->tell(qw(heard 3 2))->tell('judge', 0);
is_deeply([ $job->told ], [], '... until it is heard');
$job->{now} = 2;
$job->tell(qw(suspect 3 2 1000))->tell(qw(condition 2 starved), 'x')->told;
$job->{now} = 62;
$job->tell(qw(condition 2 starved), 'x');
is_deeply([ $job->told ], [], '... (each such word is no judgement)');
$job->tell('judge', 0);
is_deeply([ $job->told ], [ 'fence 2', 'timer fenced 3 0 2' ], '... or for too long');
$job->{starved}{1} = 1;
$job->tell('fenced', 0, 2);
is_deeply([ $job->told ], ['timer fenced 3 0 2'], '... and to be killed takes a starved one longer');
$job->tell(qw(exited 2 0 9));
is(($job->told)[0], 'say rank 2 on b showed no life for 61000 ms (it gets no processor; -starved-limit) and was killed;'
	. ' restart 1 of 3 from the beginning.', '... and says why');
my $held = '(held by a debugger: gdb, process 7; with -debug ranks may be)';
$job = begun('a:2,b:2', 4, limit => 60);
$job->tell(qw(suspect 3 2 1000))->tell('traced', 2, 'gdb, process 7')->tell(qw(condition 2 stopped))
	->tell('lost', 0, 2, 'it closed the connection')->told;
$job->tell('explain', 0);
is_deeply([ $job->told ], [], 'a broken connection to one that is killed for its silence is no news');
$job->tell('fenced', 0, 2);
is(($job->told)[0], "say rank 2 on b showed no life for 1000 ms $held and was killed; restart 1 of 3 from the beginning.",
	'... nor does the debugger that holds what is left of it hide why it was killed');
$job = Story->new('a:2,b:2', 4, limit => 60)->begun(0);
$job->told;
for my $debugger (1, 0) {
	$job->tell(qw(suspect 3 2 1000));
	$job->tell('traced', 2, 'gdb, process 7') if $debugger;
	$job->tell(qw(condition 2 stopped));
	my $cause = $debugger ? $held : '(stopped or hung)';
	is_deeply([ grep { /^say/ } $job->told ], ["say rank 2 on b shows no life for 1000 ms $cause; the job is not ended for that."],
		$debugger ? 'a debugger is named also where nothing is done' : '... while it is there');
}
$job = begun('a:2,b:2', 4, limit => 60);
$job->tell(qw(strained 1 700), 'load 84.00 on 2 cores');
is_deeply([ $job->told ], [], 'an agent that is late itself is nobody\'s concern');
$job->tell('bears', 1, 'load 84.00 on 2 cores')->tell('bears', 1, 'x');
is_deeply([ $job->told ], [ 'say ' . $short =~ s/^rank 2/the agent/r ], '... until it would be given up for its silence: that is told, once');
$job->{starved}{1} = 1;
$job->{silent}{1} = 40;
$job->tell(qw(suspect 0 2 1000))->tell('judge', 0);
is_deeply([ grep { !/^(?:timer|examine)/ } $job->told ], [], '... and is not given up for being silent');
$job->{silent}{1} = 60;
$job->tell('judge', 0);
like(($job->told)[1], qr/^say host b shows no life for 1000 ms; ranks 2-3 go to a/, '... but not for ever');
$job = begun('a:2,b:2', 4, limit => 60);
$job->tell(qw(suspect 3 2 1000))->told;
$job->tell('finalized', 3)->tell(qw(condition 2 runs));
$job->{now} = 9;
$job->tell('judge', 0);
is_deeply([ $job->told ], [], 'the word of one that is through is forgotten: it would not take it back');
$job->tell(qw(suspect 0 2 1000))->tell('exited', 0, 0, 0);
$job->told;
$job->tell('judge', 0);
ok(!grep({ !/^(?:timer|examine)/ } $job->told), '... also when it is through and gone');

# Ranks whose agent sees that they are stopped.
my $hung = 'rank 2 on b showed no life for 1000 ms (stopped or hung) and was killed; restart 1 of 3 from the beginning.';
for my $case ([ 'none has come to MPI_Init', 'begin', 'program 0 1' ], [ 'it is in MPI_Finalize', 'begun' ],
	[ 'it is through with MPI', 'begun', 'finalized 2' ],
	[ 'the others have ended', 'begun', map { ("finalized $_", "exited $_ 0 0") } 0, 1, 3 ]) {
	my ($when, @events) = @$case;
	$job = Story->new('a:2,b:2', 4);
	$_ eq 'begun' ? $job->begun : $job->tell(split ' ') for @events;
	$job->told;
	$job->tell(qw(stopped 2 1000));
	is_deeply([ $job->told ], [ 'fence 2', 'timer fenced 3 0 2' ], "a rank that is stopped when $when is killed");
	$job->tell(qw(exited 2 0 9));
	is(($job->told)[0], "say $hung", '... and all begin again');
}
$job = begun('a:2,b:2', 4);
$job->{mute}{1} = 1;
$job->tell('stopped', $_, 1000) for 0 .. 3;
is_deeply([ grep { /^fence/ } $job->told ], [ map { "fence $_" } 0 .. 3 ], 'all are stopped');
$job->tell('exited', $_, 0, 9) for 0 .. 3;
is_deeply([ grep { /^(?:say|run)/ } $job->told ], [ 'say ' . $hung =~ s/2 on b/0 on a/r ], '... and begin again once');
for my $case ([ [qw(stopped 2 1000)], [qw(suspect 3 2 1000)] ], [ [qw(suspect 3 2 1000)], [qw(stopped 2 1000)] ],
	[ [qw(stopped 2 1000)], [qw(stopped 2 2000)] ]) {
	my ($first, $second) = @$case;
	$job = begun('a:2,b:2', 4);
	$job->{mute}{1} = 1;
	$job->tell(@$first);
	$job->told;
	$job->tell(@$second)->tell('judge', 0);
	is_deeply([ $job->told ], [], "@$second after @$first is no news");
	$job->tell(qw(exited 2 0 9))->tell(@$second);
	is_deeply([ grep { !/^(?:restart_all|timer|run)/ } $job->told ], ["say $hung"], '... nor when it has gone');
}
$job = begun('a:2,b:2', 4, debug => 1);
$job->tell(qw(stopped 2 1000));
is_deeply([ $job->told ], [], '-debug: nothing is done');
$job = Story->new('a:2,b:2', 4)->begun(0);
$job->told;
$job->tell(qw(stopped 2 1000))->tell(qw(suspect 3 2 1020))->tell(qw(stopped 2 2000));
is_deeply([ grep { !/^timer/ } $job->told ],
	['say rank 2 on b shows no life for 1000 ms (stopped or hung); the job is not ended for that.'],
	'a program without checkpoints is left alone, and told of once');
$job = Story->new('a:2,b:2', 4)->tell('begin');
$job->told;
$job->tell('stopped', 2, 1000 * $_) for 1 .. 4;
is_deeply([ $job->told ], [], 'before it is known whether the program makes them that is waited for');
$job->tell('program', 0, 1)->tell(qw(stopped 2 5000));
is(($job->told)[0], 'fence 2', '... if it does, it is settled when it is told the next time');
$job = Story->new('a:2,b:2', 4)->tell('begin')->tell(qw(stopped 2 5000));
like(($job->told)[-1], qr/^say rank 2 on b shows .* not ended for that/, '... but not for ever');
$job->tell('program', 0, 1)->tell(qw(stopped 2 6000));
is(($job->told)[0], 'fence 2', '... and it may turn out later');
$job = Story->new('a:2,b:2', 4)->tell('begin')->tell('traced', 2, 'gdb, process 7')->tell(qw(stopped 2 5000));
like(($job->told)[-1], qr/^say rank 2 on b shows \D*5000 ms \(held by a debugger: gdb, process 7;/, '... that a debugger holds');
$job = Story->new('a:2,b:2', 4)->tell('begin')->tell(qw(exited 1 0 9))->tell(qw(stopped 2 5000));
is(($job->told)[-1], 'timer undecided 5 0', 'one that is stopped beside another failure is not told of');
for my $event ([qw(stopped 2 1000)], [qw(suspect 3 2 1000)]) {
	$job = begun('a:2,b:2', 4);
	$job->tell('finalized', 2)->tell(qw(exited 2 0 0))->tell(@$event);
	is_deeply([ $job->told ], [], "$event->[0] of one that has ended");
}

done_testing;
