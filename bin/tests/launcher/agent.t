#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# An agent and its ranks through restarts: who begins again in place, who is started anew, and where.
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

subtest 'in place' => sub {
	my ($agent, @pids) = AgentTest->begun(3, @rank, qw(join table facts obey));
	for my $epoch (1 .. 3) {
		$agent->again($epoch);
		my @facts = map { $agent->facts($_) } 0 .. 2;
		is(join(' ', map { $_->{epoch} } @facts), "$epoch $epoch $epoch", "epoch $epoch");
		is(join(' ', map { $_->{pid} } @facts),   "@pids", '... in the same processes');
		is(join(' ', map { $_->{local} } @facts), '0/3 1/3 2/3', '... with the same places');
		$agent->await(qr/^NEWS $_ INITED /) for 0 .. 2;
		is_deeply([ $agent->said(qr/STARTED|EXITED|RESTARTING|BROKEN/) ], [],
			'... and nothing of this is told') or diag join "\n", $agent->lines;
	}
	$agent->end_well('in place');
};

subtest 'started anew' => sub {
	my @shell    = ('sh', '-c', '"$@"; exit', 'sh');
	for my $case (
		[ 'a wrapper',                      @shell, @rank, qw(join facts obey) ],
		[ 'a script',                       $RANK, qw(join facts obey) ],
		[ 'a rank that has finalized',      @rank, qw(join finalize facts obey) ],
		[ 'a rank that said no PROGRAM',    @rank, qw(init facts obey) ],
		[ 'a rank that did not come to the end of MPI_Init', @rank,
			qw(start program:1 facts obey) ],
		)
	{
		my ($who, @command) = @$case;
		my ($agent, @before) = AgentTest->begun(2, @command);
		$agent->again(1);
		my @after = map { $agent->facts($_) } 0, 1;
		my @told  = map { ($agent->await(qr/^STARTED $_ (\d+)$/))[0] } 0, 1;
		is(join(' ', map { $_->{epoch} } @after), '1 1', "$who begins again");
		is(scalar(grep { $after[$_]{pid} != $before[$_] && kill 0, $told[$_] } 0, 1), 2,
			'... as another process, which is told');
		is_deeply([ $agent->said(qr/EXITED|BROKEN/) ], [], '... the end of the old one is not');
		AgentTest::gone('... and it is gone', @before);
		$agent->end_well($who);
	}
};

subtest 'ranks that have ended' => sub {
	my $agent = AgentTest->new;
	$agent->start(2, @rank, qw(join 1:@0:child facts 0:obey 1:@0:exit:0 hang));
	my ($child) = $agent->await_text(1, qr/child=(\d+)\n/);
	$agent->all('pid', 0, 1);
	$agent->await(qr/^EXITED 1 0 0$/);
	$agent->restart(1);
	$agent->pass;
	AgentTest::gone('what such a one left in its process group is killed', $child);
	$agent->run(epoch => 1);
	is($agent->all('epoch', 1, 0), '1 1', 'it is started anew, beside one in place');
	$agent->end_well('ended ranks');
};

subtest 'children' => sub {
	for my $case ([ 'killed for a restart', 0, $RANK ], [ 'in place', 1, @rank ]) {
		my ($who, $stay, @command) = @$case;
		my $agent = AgentTest->new;
		$agent->start(1, @command, qw(join @0:child facts obey));
		my ($child) = $agent->await_text(0, qr/child=(\d+)\n/);
		$agent->facts(0);
		$agent->again(1);
		is($agent->all('epoch', 0), '1', "a rank $who begins again");
		if ($stay) {
			is(AgentTest::alive($child), 1, '... its children live on');
		} else {
			AgentTest::gone('... its children are gone', $child);
		}
		$agent->end_well($who);
	}
};

subtest 'a child with a process group of its own, which holds the pipes of its rank' => sub {
	my $agent = AgentTest->new;
	$agent->start(1, $RANK, qw(join @0:child:apart facts obey));
	my ($child) = $agent->await_text(0, qr/child=(\d+)\n/);
	$agent->facts(0);
	my $before = $agent->descriptors;
	$agent->again(1);
	is($agent->all('epoch', 0), '1', 'the rank begins again');
	is(AgentTest::alive($child), 1, '... its child lives on');
	is($agent->descriptors, $before, '... but is not heard any more');
	$agent->end_well('a child with a group');
};

subtest 'ranks come to this host' => sub {
	my $agent = AgentTest->new;
	$agent->bind(1, 3);
	$agent->run(ranks => [ 1, 3 ], size => 4, command => [ @rank, qw(join table facts obey) ]);
	my $pids = $agent->all('pid', 1, 3);
	$agent->restart(1);
	$agent->bind(0, 2);
	$agent->pass;
	$agent->run(epoch => 1, ranks => [ 0 .. 3 ]);
	my @facts = map { $agent->facts($_) } 0 .. 3;
	is(join(' ', map { $_->{epoch} } @facts), '1 1 1 1', 'all are in the new epoch');
	is("$facts[1]{pid} $facts[3]{pid}", $pids, 'those that were here are the same processes');
	is(join(' ', map { $_->{local} } @facts), '2/4 0/4 3/4 1/4', '... with the same places');
	is(join(' ', map { $_->{name} } @facts),  '2 0 3 1', '... as they were named');
	is(scalar $agent->said(qr/^STARTED [02] /), 2, 'the others are started');
	$agent->end_well('more ranks');
};

# The agent's data, in kB.
sub memory
{
	my ($agent) = @_;
	open my $file, '<', "/proc/" . $agent->pid . '/status' or die "the agent: $!\n";
	my ($kb) = map { /^VmData:\s*(\d+) kB/ } <$file>;
	return $kb;
}

subtest 'hundreds of restarts' => sub {
	my $agent = AgentTest->new;
	$agent->start(2, qw(sh -c), 'echo here; exec sleep 100');
	my $before;
	for my $epoch (1 .. 250) {
		$agent->await_text($_, qr/here\n/) or return for 0, 1;
		$before = memory($agent) if $epoch == 50;
		$agent->again($epoch);
	}
	my $more = memory($agent) - $before;
	cmp_ok($more, '<', 256, 'an agent keeps nothing of the processes that it replaced') or diag "$more kB more";
	$agent->end_well('hundreds of restarts');
};

subtest 'a rank that gets other sockets is started anew with them' => sub {
	my ($agent, @before) = AgentTest->begun(2, @rank, qw(join table facts obey));
	$agent->restart(1);
	$agent->bind(0);
	$agent->pass;
	$agent->run(epoch => 1);
	my @after = map { $agent->facts($_) } 0, 1;
	is(join(' ', map { $_->{epoch} // 'none' } @after), '1 1', 'both begin again');
	isnt($after[0]{pid}, $before[0], '... one as another process');
	is($after[1]{pid}, $before[1], '... the other as the same');
	$agent->end_well('other sockets');
};

subtest 'an agent that joins in a later epoch' => sub {
	my $agent = AgentTest->new;
	$agent->restart(1);
	$agent->bind(0);
	$agent->restart(2);
	$agent->run(epoch => 2, ranks => [0], command => [ @rank, qw(join table facts obey) ]);
	my ($first) = $agent->facts(0);
	is($first->{epoch}, 2, 'its first epoch');
	$agent->again(3);
	is($agent->all('pid', 0), $first->{pid}, '... and the next');
	$agent->end_well('a later epoch');
};

subtest 'what a rank wrote before it was killed' => sub {
	my $agent = AgentTest->new(credit => 1);
	my ($go, $done) = map { scratch() . "/$_" } qw(write written);
	$agent->{mean} = 1;
	$agent->start(1, $RANK, qw(join @0:say:ready), "await:$go", '@0:raw:' . 'y' x 50000, "touch:$done",
		qw(facts obey));
	$agent->await_text(0, qr/ready\n/);
	text_file('write', '');
	ok(eventually(sub { -e $done }, sub { join "\n", left_over() }), 'a rank writes without credit');
	$agent->restart(1);
	ok($agent->await_text(0, qr/^y{50000}/), '... what is in its pipe comes when it is killed');
	$agent->run(epoch => 1);
	$agent->order('CREDIT', 1 << 20);
	ok($agent->await_text(0, qr/epoch=1 /), '... and what the next one writes, with credit');
	$agent->end_well('output');
};

done_testing;
