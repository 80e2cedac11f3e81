#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# One rank alone begins again on its host, under message logging: in a new process, with what its process before
# had, and with nothing left of that. The others go on.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use Test::More;

use AgentTest;
use LauncherTest;

my @rank = ($^X, $RANK);

# The settings of which the rank tells with `told`.
sub settings { my ($agent, $rank) = @_; return ($agent->await_text($rank, qr/^epoch=0 .* settings=(.*)\n/m))[0] }

subtest 'a rank that was killed' => sub {
	my $agent = AgentTest->new;
	$agent->start(3, @rank, qw(join 1:+0:child told 1:+0:kill:KILL hang));
	my ($child) = $agent->await_text(1, qr/^child=(\d+)\n/m);
	my @before = map { $agent->facts($_) } 0 .. 2;
	$agent->await(qr/^EXITED 1 0 9$/);
	is(AgentTest::alive($child), 1, 'its child lives on');
	$agent->pass;
	$agent->order('RERUN', 1, 1, '0,1,0');
	my ($pid) = $agent->await(qr/^STARTED 1 (\d+)$/);
	AgentTest::gone('... and is killed before the rank begins again', $child);
	my $after = $agent->facts(1);
	is("$after->{epoch} $after->{local} $after->{name}", "0 $before[1]{local} $before[1]{name}", 'it has its place, and its sockets, in the same epoch');
	is($after->{pid}, $pid, '... in a new process');
	is(AgentTest::alive($before[0]{pid}, $before[2]{pid}), 2, 'the others go on');
	is_deeply([ $agent->said(qr/EXITED|BROKEN|RESTARTING/) ], [], '... and nothing is told of them');
	$agent->await(qr/^NEWS 1 INITED $pid$/);
	$agent->end_well('a rank that was killed');
};

subtest 'incarnations' => sub {
	my $agent = AgentTest->new;
	$agent->start(2, @rank, qw(join told 1:+0:kill:KILL 1:+1:kill:KILL 0:+0:kill:SEGV hang));
	is(settings($agent, $_), 'restarts=0', "rank $_ begins without any") for 0, 1;
	$agent->await(qr/^EXITED 1 0 9$/);
	$agent->await(qr/^EXITED 0 0 11$/);
	$agent->pass;
	$agent->order('RERUN', 1, 1, '0,1');
	is(settings($agent, 1), 'restarts=0 incarnations=0,1', 'one is told of its own');
	$agent->await(qr/^EXITED 1 0 9$/);
	$agent->order('RERUN', 0, 1, '1,1');
	is(settings($agent, 0), 'restarts=0 incarnations=1,1', 'another one of both');
	$agent->order('RERUN', 1, 2, '1,2');
	is(settings($agent, 1), 'restarts=0 incarnations=1,2', '... which is the newest list');
	$agent->end_well('incarnations');
};

subtest 'one whose process is still there' => sub {
	my $agent = AgentTest->new;
	$agent->start(2, @rank, qw(join told 1:+0:stop hang));
	my @before = map { $agent->facts($_)->{pid} } 0, 1;
	$agent->pass;
	$agent->order('RERUN', 1, 1, '0,1');
	my ($pid) = $agent->await(qr/^STARTED 1 (\d+)$/);
	is($agent->facts(1)->{pid}, $pid, 'it is replaced');
	AgentTest::gone('... and gone', $before[1]);
	is_deeply([ $agent->said(qr/EXITED/) ], [], '... its end is not told');
	$agent->end_well('one that is there');
};

subtest 'one that cannot be forked at once' => sub {
	my $agent = AgentTest->new;
	$agent->start(2, @rank, qw(join 1:+0:kill:KILL told hang));
	$agent->await(qr/^EXITED 1 0 9$/);
	$agent->pass;
	my $limit = sub { system('prlimit', '--pid', $agent->pid, "--nofile=$_[0]:") == 0 or die "prlimit: $?\n" };
	$limit->(4);
	$agent->order('RERUN', 1, 1, '0,1');
	$agent->order('PING');
	$agent->await(qr/^PONG$/);
	is_deeply([ $agent->said(qr/UNFIT|STARTED 1/) ], [], 'it is not given up');
	$limit->(1024);
	my ($pid) = $agent->await(qr/^STARTED 1 (\d+)$/);
	is($agent->facts(1)->{pid}, $pid, '... and forked later');
	$agent->end_well('one that cannot be forked at once');
};

subtest 'standard input' => sub {
	my $agent = AgentTest->new;
	$agent->start(2, @rank, qw(join told 0:take:4 0:+0:kill:KILL 0:input hang));
	$agent->order('STDIN', 'some words');
	$agent->await_text(0, qr/^took=some;\n/m);
	$agent->await(qr/^EXITED 0 0 9$/);
	$agent->order('STDIN', ', which come too late');
	$agent->pass;
	$agent->order('RERUN', 0, 1, '1,0');
	$agent->order('STDIN', $_) for 'some words', ', and more';
	$agent->order('STDIN_END');
	is(($agent->await_text(0, qr/^input=(.*);\n/m))[0], ' words, and more', 'rank 0 gets what the launcher sends from then on');
	is_deeply([ $agent->said(qr/CLOSED/) ], [], '... and nothing is told of its process before');
	$agent->end_well('standard input');
};

subtest 'what is written, and the last word' => sub {
	my $agent = AgentTest->new;
	$agent->start(2, @rank, qw(join told), '1:+0:raw:the end', qw(1:+0:kill:KILL 0:end 1:+1:end say:left));
	$agent->await(qr/^EXITED 1 0 9$/);
	like($agent->text(1), qr/the end/, 'what a rank wrote last is told before its end');
	$agent->await(qr/^NEWS 0 ENDING$/);
	$agent->order('RERUN', 1, 1, '0,1');
	$agent->await(qr/^NEWS 1 ENDING$/);
	$agent->order('LEAVE_ALL', 1);
	$agent->order('PING');
	$agent->await(qr/^PONG$/);
	is_deeply([ $agent->said(qr/FINALIZED/) ], [], 'LEAVE of another epoch is passed to nobody');
	$agent->order('LEAVE_ALL', 0);
	$agent->await(qr/^EXITED $_ 0 0$/) for 0, 1;
	is(scalar(() = $agent->said(qr/FINALIZED/)), 2, 'LEAVE lets all go');
	$agent->end_well('the last word');
};

subtest 'output' => sub {
	my $agent = AgentTest->new;
	$agent->start(2, @rank, qw(join say:first 1:+1:say:second 1:+0:kill:KILL hang));
	$agent->await(qr/^EXITED 1 0 9$/);
	$agent->order('RERUN', 1, 1, '0,1');
	my ($all) = $agent->await_text(1, qr/\A(.*second\n)/s);
	is($all, "first\nsecond\n", 'what was printed before is printed once');
	$agent->end_well('output');
};

subtest 'many times' => sub {
	my $agent = AgentTest->new;
	$agent->start(2, qw(sh -c), 'echo here >&2; test $FTMPI_RANK = 0 || kill -9 $$; exec sleep 100');
	my $before;
	for my $n (1 .. 100) {
		$agent->await_text(1, qr/here\n/)  or return;
		$agent->await(qr/^EXITED 1 0 9$/) or return;
		$before = $agent->descriptors if $n == 10;
		$agent->pass;
		$agent->order('RERUN', 1, $n, "0,$n");
	}
	$agent->await(qr/^EXITED 1 0 9$/);
	cmp_ok($agent->descriptors, '<=', $before, 'an agent has no descriptor of processes that have ended');
	$agent->end_well('many times');
};

subtest 'while the ranks are stopped, and ended' => sub {
	my $agent = AgentTest->new;
	$agent->start(2, @rank, qw(join told 1:+0:kill:KILL hang));
	$agent->await(qr/^EXITED 1 0 9$/);
	$agent->pass;
	$agent->order('SUSPEND', 1);
	$agent->order('RERUN', 1, 1, '0,1');
	$agent->order('PING');
	$agent->await(qr/^PONG$/);
	is_deeply([ $agent->said(qr/STARTED/) ], [], 'a rank begins again when all go on');
	$agent->order('KILL', 1);
	$agent->await(qr/^EXITED 1 0 15$/);
	ok(1, '... and its end is told, where it does not come to that');
	$agent->end_well('stopped');
};

for my $case (
	[ 'a rank of another host', [ 'RERUN', 7, 1, '0,1' ], qr/the order to run rank 7 again, which is not here/ ],
	[ 'a list without it', [ 'RERUN', 1, 1, '0,0' ], qr/a wrong list of incarnations: 0,0/ ],
	[ 'a list that is too short', [ 'RERUN', 1, 1, '1' ], qr/a wrong list of incarnations: 1/ ],
	)
{
	my ($name, $order, $why) = @$case;
	my $agent = AgentTest->new;
	$agent->start(2, @rank, qw(join told hang));
	$agent->facts($_) for 0, 1;
	$agent->order(@$order);
	my ($status, $err) = $agent->finish;
	is($status, 1, "$name: as if the launcher were gone");
	like($err, $why, '... and it is said why');
	nobody_left();
}

done_testing;
