#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# How jobs go on under message logging, event by event: a rank that fails begins again alone, and none leaves
# MPI_Finalize before all have come there.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use FTMPI::Launcher::Job     ();
use FTMPI::Launcher::Verdict ();
use Story                    ();

sub begun
{
	my ($hosts, $n, %arg) = @_;
	my $story = Story->new($hosts, $n, alone => 1, %arg)->begun(0);
	$story->told;
	return $story;
}

my $by9    = 'was killed by signal 9 (Killed)';
my $again  = 'it begins again alone';
my @others = ('kill 0', 'timer leave 5');

# What was said and done, but for timers.
sub done { my ($job) = @_; return [ grep { !/^(?:timer|examine)/ } $job->told ] }

# The start.
my $job = Story->new('a:2,b:2', 4, alone => 1);
$job->tell('begin');
is_deeply([ $job->told ], [ 'start 0', 'start 1', 'bind 0: 0 1 1: 2 3', 'keeper', 'run 0' ], 'a start: the keeper is there before the ranks');
$job = Story->new('a:2', 2, alone => 1);
$job->{shows} = { observe_all => 1, log => 1 };
$job->tell('begin')->born;
is_deeply([ grep { /^(?:observe|log)/ } $job->told ], ['observe_all 0'], '... and nothing is said when all have called MPI_Init');
$job = FTMPI::Launcher::Job->new(hosts => [ { name => 'a', slots => 1, ranks => [0] } ], alone => 1,
	verdict => FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => 1));
$job->event(@$_) for ['begin'], [ here => 0 ];
is_deeply([ map { $_->[0] } map { $job->event(@$_) } [ ports => 0 ], [ cannot => 'no keeper' ] ], [qw(keeper say over)], 'a keeper that cannot be started');
is($job->status, 1, '... ends the job');

# A rank is killed.
$job = begun('a:2,b:2', 4);
$job->tell(qw(exited 2 0 9), 'out of cheese');
is_deeply([ $job->told ], [ qq(say rank 2 on b $by9; its last words: "out of cheese"; $again (restart 1 of 3).), 'rerun 2 1' ], 'a rank that was killed');
is("@{[ $job->{job}->incarnations ]} " . $job->{job}->phase . ' ' . $job->{job}->epoch, '0 0 1 0 running 0', '... in its next incarnation; the job runs on');
$job->{now} = 0.25;
$job->{shows} = { observe_all => 1, log => 1 };
$job->tell('inited', 2);
is_deeply([ $job->told ], [ 'observe_all 0', 'log all ranks that failed have called MPI_Init again, 250 ms after the first failure was noticed' ],
	'... when it has called MPI_Init again it observes others');
$job->{shows} = {};
$job->tell(qw(exited 2 0 15));
is_deeply([ $job->told ], [ "say rank 2 on b was killed by signal 15 (Terminated); $again (restart 2 of 3).", 'rerun 2 2' ], '... and once more');

# Any number at once.
$job = begun('a:2,b:2', 4);
$job->tell('exited', $_, 0, 9) for 0 .. 3;
is_deeply([ grep { /^rerun/ } $job->told ], [ map { "rerun $_ 1" } 0 .. 3 ], 'all ranks at once');
$job->{shows} = { observe_all => 1 };
$job->tell('inited', $_) for 0 .. 2;
is_deeply([ $job->told ], [], '... are waited for');
$job->tell('exited', 0, 0, 9)->tell('inited', 3);
is_deeply([ $job->told ], [ "say rank 0 on a $by9; $again (restart 2 of 3).", 'rerun 0 2' ], '... also one that fails again meanwhile');
$job->tell('inited', 0);
is_deeply([ $job->told ], ['observe_all 0'], '... until all have called MPI_Init');
is("@{[ $job->{job}->incarnations ]}", '2 1 1 1', '... each in its incarnation');
$job = Story->new('a:2', 2, alone => 1)->tell('begin')->tell(qw(inited 0))->tell(qw(exited 1 0 9));
$job->told;
$job->{shows}{observe_all} = 1;
$job->tell(qw(inited 1));
is_deeply([ $job->told ], ['observe_all 0'], 'one that failed before MPI_Init');

# What is mended, and how often.
my %WAYS = (
	error   => [ [ 'exited', 1, 3, 0 ] ],
	abort   => [ [ 'aborted', 1, 3, '' ] ],
	final   => [ [ 'aborted', 1, 3, 'FTMPI_Restore' ] ],
	crash   => [ [ 'exited', 1, 0, 11 ] ],
	killed  => [ [ 'exited', 1, 0, 9 ] ],
	hung    => [ [ 'suspect', 0, 1, 1000 ], [ 'judge', 0 ], [ 'exited', 1, 0, 9 ] ],
	stopped => [ [ 'stopped', 1, 1000 ], [ 'exited', 1, 0, 9 ] ],
	stuck   => [ [ 'stopped', 1, 1000 ], 'FENCED' ],
	lost    => [ [ 'lost', 0, 1, 'x' ], [ 'explain', 0 ] ],
	host    => [ [ 'host_lost', 1, 'lost b', 1 ] ],
	left    => [ [ 'exited', 1, 0, 0 ] ],
	rubbish => [ [ 'broken', 1, 'x' ] ],
);
my %MENDED = (
	none    => '',
	failure => 'hung killed stopped stuck',
	crash   => 'crash hung killed stopped stuck',
	any     => 'abort crash error hung killed stopped stuck',
);
for my $on (sort keys %MENDED) {
	my @mended;
	for my $way (sort keys %WAYS) {
		my $story = begun('a,b', 2, on => $on);
		my @told;
		for my $event (@{ $WAYS{$way} }) {
			next if !ref $event && !grep { /^fence/ } @told;
			$story->tell(ref $event ? @$event : ('fenced', 0, 1));
			push @told, $story->told;
		}
		push @mended, $way if grep { /^rerun 1 1/ } @told;
		ok(!grep({ /^(?:restart_all|run)/ } @told), "-restart-on $on, $way: none else begins again");
	}
	is("@mended", $MENDED{$on}, "-restart-on $on");
}
$job = begun('a:2', 2, max => 2);
$job->tell(qw(exited 1 0 9)), $job->tell(qw(inited 1)) for 1, 2;
$job->tell(qw(exited 0 0 9));
is_deeply([ grep { /^rerun/ } $job->told ], [ 'rerun 1 1', 'rerun 1 2', 'rerun 0 1' ], 'each rank has restarts of its own');
$job->tell(qw(exited 1 0 9), 'help');
is_deeply([ $job->told ], [ qq(say rank 1 on a $by9; its last words: "help"; after its 2 restarts (-max-restarts) the job is ended.), @others ],
	'... and no more than -max-restarts');
$job = begun('a:2', 2, max => 0);
$job->tell(qw(exited 1 0 9));
is_deeply([ $job->told ], [ "say rank 1 on a $by9; the other ranks are ended.", @others ], '-max-restarts 0: none');
$job = begun('a:2', 2);
$job->{job}->recovery->input_lost(1);
$job->tell(qw(exited 1 0 9));
is(($job->told)[-1], 'rerun 1 1', 'input that is not kept matters to nobody');
$job->tell(qw(exited 0 0 9));
like(($job->told)[0], qr/^say rank 0 on a \Q$by9\E; rank 0 was given more standard input/, '... but rank 0');

# Ends that are none of a failure, and hosts.
$job = begun('a:2', 2);
$job->tell(qw(exited 1 3 0));
is_deeply([ $job->told ], [ 'say rank 1 on a exited with status 3; the other ranks are ended.', @others ], 'a rank that ends with a status ends the job');

# A host is lost: its ranks go to others, which run on.
$job = begun('a:2,b:2,c:2', 4);
$job->tell(qw(host_lost 1), 'lost b', 1);
is_deeply(done($job), [ 'drop 1', 'say lost b; ranks 2-3 go to c, and begin again alone (restart 1 of 3).', 'start 2', 'bind 2: 2 3', 'take 2 3' ],
	'ranks of a lost host begin again on a spare one');
is("@{[ $job->{job}->incarnations ]} " . $job->{job}->phase . ' ' . $job->{job}->epoch, '0 0 1 1 running 0', '... in their next incarnation; the job runs on');
$job->{shows} = { observe_all => 1 };
$job->tell(qw(inited 2))->tell(qw(inited 3));
is_deeply(done($job), ['observe_all 0'], '... and observe when both are back');
$job->tell(qw(exited 2 0 9));
is_deeply(done($job), [ "say rank 2 on c $by9; $again (restart 2 of 3).", 'rerun 2 2' ], '... where they begin again if they are killed');
$job->tell(qw(host_lost 2), 'lost c', 1);
is_deeply(done($job), [ 'drop 2', 'say lost c; ranks 2-3 go to a, and begin again alone (restart 3 of 3).', 'bind 0: 2 3', 'take 2 3' ],
	'... and go to the last host, when that is lost, too');
$job->tell(qw(exited 3 0 9));
is_deeply(done($job), [ "say rank 3 on a $by9; $again (restart 3 of 3).", 'rerun 3 3' ], '... each with its own restarts');
$job = begun('a:2,b:2,c:2', 4);
$job->tell(qw(exited 2 0 9))->told;
$job->tell(qw(host_lost 1), 'lost b', 1);
is_deeply([ grep { /^(?:say|take)/ } $job->told ], [ 'say lost b; ranks 2-3 go to c, and begin again alone (restart 2 of 3).', 'take 2 3' ], '... also when one is away');
$job = begun('a:2,b:2,c:2', 4);
$job->{mute}{2} = 1;
$job->tell(qw(host_lost 1), 'lost b', 1);
is_deeply([ grep { /^(?:start|take)/ } $job->told ], ['start 2'], 'a host that takes ranks is waited for');
$job->tell(qw(exited 0 0 9));
is_deeply([ grep { /^(?:rerun|take)/ } $job->told ], ['rerun 0 1'], '... while others may fail');
$job->tell(qw(host_lost 2), 'host c: cannot start');
is_deeply([ grep { /^(?:say|bind|take)/ } $job->told ],
	[ 'say host c: cannot start; ranks 2-3 go to a, and begin again alone (restart 1 of 3).', 'bind 0: 2 3', 'take 2 3' ], '... and another is found where it cannot be had');
$job = begun('a:2,b:2,c:2', 4);
$job->{mute}{2} = 1;
$job->tell(qw(host_lost 1), 'lost b', 1)->tell('here', 2);
is((grep { /^bind/ } $job->told)[0], 'bind 2: 2 3', 'sockets are bound there');
$job->tell('answer', 0, 0);
is_deeply([ $job->told ], [], '... as long as others');
$job->tell('answer', 0, 1);
like(join("\n", $job->told), qr/^say host c did not bind sockets for its new ranks within 30 s; ranks 2-3 go to a, .*^take 2 3$/ms, '... and when they are not, others are asked');
$job = begun('a:2,b:2,c:2', 4);
$job->{mute}{2} = 1;
$job->tell(qw(host_lost 1), 'lost b', 1)->tell('signal', 'INT')->told;
$job->tell(qw(exited 0 0 15))->tell(qw(exited 1 0 15));
is(($job->told)[-1], 'over 130', 'ranks that are on their way are not waited for at the end');
$job = begun('a:2,b:2,c:2', 4);
$job->tell(qw(host_lost 1), 'lost b', 1)->told;
$job->tell('unfit', 1, 'host b: another build');
is_deeply(done($job), ['drop 1'], 'a host without ranks that is unfit is no failure');
$job = begun('a:2,b:2,c:2', 4, term_ranks => 20);
$job->{mute}{2} = 1;
$job->tell(qw(host_lost 1), 'lost b', 1)->tell('signal', 'TERM')->told;
$job->tell(qw(exited 0 0 15))->tell(qw(exited 1 0 15));
is(($job->told)[-1], 'over 143', '... nor are ranks on their way waited for with -term-ranks');
$job = begun('a:2,b:2,c:2,d:2', 4, max => 1);
$job->{mute}{$_} = 1 for 2, 3;
$job->tell(qw(host_lost 1), 'lost b', 1)->tell(qw(host_lost 2), 'no c')->tell(qw(host_lost 3), 'no d');
is_deeply([ grep { /^(?:say|take)/ } $job->told ], [
		'say lost b; ranks 2-3 go to c, and begin again alone (restart 1 of 1).',
		'say no c; ranks 2-3 go to d, and begin again alone (restart 1 of 1).',
		'say no d; ranks 2-3 go to a, and begin again alone (restart 1 of 1).', 'take 2 3' ], 'a host that cannot be had is no restart');
$job = begun('a:2,b:2,c:2', 5);
$job->{mute}{$_} = 1 for 0, 2;
$job->tell(qw(host_lost 1), 'lost b', 1)->told;
$job->tell('unfit', 2, 'host c: no ports');
is_deeply(done($job), [ 'say host c: no ports; rank 2 goes to a.', 'bind 0: 2' ], 'one that has ranks and cannot take more keeps those');
$job->tell('unfit', 0, 'host a: no ports');
is_deeply(done($job), [ 'say host a: no ports; ranks 2-3 go to b.', 'start 1', 'bind 1: 2 3', 'take 2 3' ], '... and when nobody can, the lost one is tried again');
$job = begun('a:2,b:2', 4);
$job->{mute}{$_} = 1 for 0, 1;
$job->tell(qw(host_lost 1), 'lost b', 1)->tell('unfit', 0, 'host a: no ports')->told;
$job->tell(qw(host_lost 1), 'no b');
is((grep { /^say/ } $job->told)[0], 'say no b; no host is left, so the job is ended.', '... once');
$job = begun('a:2,b:2', 4, max => 1);
$job->tell(qw(host_lost 1), 'lost b', 1)->tell(qw(host_lost 0), 'lost a', 1);
like(join("\n", $job->told), qr/^say lost a; after its restart \(-max-restarts\) the job is ended\.$/m, 'no more than -max-restarts');
$job = begun('a:2,b:2', 4);
$job->{job}->recovery->input_lost(1);
$job->tell(qw(host_lost 0), 'lost a', 1);
like(join("\n", $job->told), qr/^say lost a; rank 0 was given more standard input/m, '... and rank 0 needs its input');
$job = begun('a:2,b:2', 4, on => 'none');
$job->tell(qw(host_lost 1), 'lost b', 1);
is_deeply([ $job->told ], [ 'drop 1', 'say lost b; the job is ended.', @others ], '-restart-on none: the job ends');

# Until the new process is there.
$job = begun('a:2', 2);
$job->{slow} = 1;
$job->tell(qw(exited 1 0 9));
is($job->{job}->is_away(1), 1, 'a rank is away');
is($job->{job}->is_away(0), 0, '... and another is not');
$job->{shows}{gone} = 1;
$job->told;
$job->tell(qw(started 0))->tell(qw(started 1))->tell(qw(started 1));
is_deeply([ $job->told ], ['gone 1 1'], '... until its process is there: the one before has written its last');
is($job->{job}->is_away(1), 0, '... and is not away any more');
$job->tell(qw(exited 1 0 9))->told;
$job->tell('signal', 'INT');
ok(!$job->{job}->is_away(1), 'when the job ends its end counts');
$job->told;
$job->tell(qw(exited 1 0 15))->tell(qw(exited 0 0 15));
is(($job->told)[-1], 'over 130', '... like that of any other');

# Connections to a rank that is away.
for my $case ([ [qw(lost 0 2 x)], [qw(exited 2 0 9)] ], [ [qw(exited 2 0 9)], [qw(lost 0 2 x)] ], [ [qw(exited 2 0 9)], [qw(lost 2 0 x)] ],
	[ [qw(exited 2 0 9)], [qw(inited 2)], [qw(lost 0 2 x)] ]) {
	$job = begun('a:2,b:2', 4);
	$job->tell(@$_) for @$case;
	$job->told;
	$job->tell('explain', 0);
	is_deeply([ $job->told ], [], 'a lost connection is explained: ' . join ', ', map { "@$_" } @$case);
}
$job = begun('a:2,b:2', 4);
$job->tell(qw(exited 1 0 9))->tell(qw(lost 0 2 reset))->told;
$job->tell('explain', 0);
is_deeply([ $job->told ], [ 'say connection between rank 0 on a and rank 2 on b broke: reset; the job is ended.', @others ], '... one between two others is not');

# Suspicions.
$job = begun('a:2,b:2', 4);
$job->tell(qw(exited 2 0 9))->told;
$job->tell('suspect', $_, 2, 1000)->tell('judge', 0) for 0, 3;
is_deeply(done($job), [], 'a rank that is coming back is suspected of nothing');
$job->tell(qw(inited 2))->tell('suspect', $_, 2, 1000) for 0, 3;
$job->tell('judge', 0);
is_deeply(done($job), ['fence 2'], '... but when it has called MPI_Init');
$job->tell(qw(exited 2 0 9));
is_deeply([ $job->told ], [ "say rank 2 on b showed no life for 1000 ms (stopped or hung) and was killed; $again (restart 2 of 3).", 'rerun 2 2' ], '... and begins again');
$job->tell(qw(fenced 0 2 1));
is_deeply([ $job->told ], [], '... the fence of its process before is forgotten');
$job->tell(qw(stopped 2 1000));
is_deeply([ $job->told ], [ 'fence 2', 'timer fenced 3 0 2 2' ], 'one that its agent sees stopped is killed before MPI_Init, too');
$job->tell(qw(fenced 0 2 1));
is_deeply([ $job->told ], [], '... an older timer says nothing of that');
$job->tell(qw(fenced 0 2 2));
is_deeply([ $job->told ], [ "say rank 2 on b showed no life for 1000 ms (stopped or hung) and cannot be killed; $again (restart 3 of 3).", 'rerun 2 3' ],
	'... and where it cannot be killed another takes its place');
$job = begun('a:2,b:2', 4);
$job->tell(qw(suspect 1 2 1000))->tell(qw(exited 1 0 9))->told;
$job->tell('judge', 0);
is_deeply(done($job), [], 'an observer that died is forgotten');
$job = begun('a:2,b:2', 4);
$job->{silent}{1} = 0.6;
$job->tell(qw(suspect 0 2 1000))->tell(qw(suspect 1 3 1000))->tell('judge', 0)->tell('judge', 0);
is_deeply(done($job), [ 'drop 1', 'say host b shows no life for 1000 ms; ranks 2-3 go to a, and begin again alone (restart 1 of 3).', 'bind 0: 2 3', 'take 2 3' ],
	'a host that is silent is done without');
$job = begun('a:2,b:2', 4, limit => 60);
$job->tell(qw(suspect 0 2 1000))->tell('condition', 2, 'runs')->tell('condition', 0, 'runs');
$job->{now} = 3;
$job->tell('judge', 0);
is_deeply(done($job), ['say rank 2 on b is not heard by rank 0 on a for 1000 ms; the job is not ended for that.'], 'so is a way between two ranks that run');

$job = begun('a:2,b:2', 4);
$job->tell(qw(suspect 0 2 1000))->tell(qw(suspect 2 0 1000))->tell(qw(suspect 1 3 1000))->tell(qw(suspect 2 3 1000))->tell('judge', 0)->tell('judge', 0);
is_deeply([ grep { /^fence/ } $job->told ], ['fence 3'], 'a rank that hangs is not hidden by that');
$job = begun('a:2,b:2', 4);
$job->{slow} = 1;
$job->tell(qw(exited 3 0 9))->tell(qw(started 3))->tell(qw(suspect 2 3 1000))->tell(qw(suspect 1 3 1000))->told;
$job->tell(qw(heard 1 3))->tell(qw(inited 3));
is_deeply([ grep { /missed/ } $job->told ], ['timer missed 1 0 3 1'], 'whoever missed a rank before it was back');
$job->{now} = 2;
$job->tell('missed', 0, 3, 1)->tell('judge', 0);
is_deeply(done($job), ['fence 3'], '... and has not heard it since, is believed then');
$job = begun('a:2,b:2', 4);
$job->tell(qw(finalized 3))->tell(qw(suspect 3 2 1000))->tell('judge', 0);
is_deeply(done($job), [], 'who is through with MPI is not believed');

# MPI_Finalize.
$job = begun('a:2,b:2', 4);
$job->tell('ending', $_) for 0 .. 2;
is_deeply([ $job->told ], [], 'ranks wait in MPI_Finalize');
$job->tell('ending', 3);
is_deeply([ $job->told ], ['leave_all 0'], '... until all have come');
$job->tell('finalized', $_)->tell('exited', $_, 0, 0) for 0 .. 3;
is_deeply([ $job->told ], ['over 0'], '... and the job ends well');

$job = begun('a:2,b:2', 4);
$job->tell('ending', $_) for 0 .. 2;
$job->tell(qw(exited 1 0 9));
is_deeply([ $job->told ], [ "say rank 1 on a $by9; $again (restart 1 of 3).", 'rerun 1 1' ], 'one that dies there begins again');
$job->tell('ending', 3);
is_deeply([ $job->told ], [], '... and is waited for');
$job->tell('inited', 1);
is_deeply([ $job->told ], [], '... to the end');
$job->tell('ending', 1);
is_deeply([ $job->told ], ['leave_all 0'], '... to which it comes once more');
$job->tell('exited', 2, 0, 9);
is_deeply([ $job->told ], [], 'after that none begins again');
$job->tell('finalized', 0)->tell(qw(exited 0 0 0))->tell('exited', 1, 0, 0)->tell('finalized', 3)->tell(qw(exited 3 5 0));
is_deeply([ $job->told ], [ "say rank 2 on b $by9 after MPI_Finalize.", 'over 137' ], '... it has failed late');

$job = begun('a:2', 2);
$job->tell('ending', 1)->tell('stopped', 1, 1000)->tell('ending', 0);
is_deeply(done($job), ['fence 1'], 'one that is stopped there is killed, and nobody leaves before that is told');
$job->tell(qw(exited 1 0 9))->tell('inited', 1)->told;
$job->tell('ending', 1);
is_deeply([ $job->told ], ['leave_all 0'], '... and it has come again');
$job = begun('a:2', 2);
$job->tell('ending', $_) for 0, 1;
$job->told;
$job->tell('stopped', 1, 1000)->tell('stopped', 1, 2000);
is_deeply([ $job->told ], ['say rank 1 on a shows no life for 1000 ms (stopped or hung); the job is not ended for that.'],
	'one that stops then is left alone, and told of');
$job->tell('host_lost', 0, 'lost a', 1);
is(($job->told)[1], 'say lost a; the job is ended.', '... a host that is lost then ends the job as ever');

$job = begun('a:2', 2);
$job->tell('ending', 1)->tell(qw(exited 1 0 0));
is_deeply([ $job->told ], [ 'say rank 1 on a exited in MPI_Finalize; the job is ended.', @others ], 'one that ends before the others have come');
$job = Story->new('a:2', 2, alone => 1)->tell('begin')->tell(qw(inited 0))->tell(qw(ending 0));
$job->told;
$job->tell(qw(exited 1 0 0));
like(($job->told)[0], qr/^say rank 1 on a exited with status 0 without calling MPI_Init, while others wait for it;/, 'one that never comes to MPI_Init');
$job = begun('a:2', 2);
$job->tell('ending', 1)->tell('finalized', 0);
is_deeply([ $job->told ], ['leave_all 0'], 'one that is through without a word is not waited for');
$job = Story->new('a:2', 2)->begun;
$job->told;
$job->tell('ending', $_) for 0, 1;
is_deeply([ $job->told ], [], 'without message logging nobody waits');
$job = Story->new('a:2', 2, alone => 1)->tell('begin');
$job->told;
$job->tell('exited', $_, 0, 0) for 0, 1;
is_deeply([ $job->told ], ['over 0'], 'programs without MPI');

done_testing;
