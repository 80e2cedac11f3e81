#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Restarts that do not go as they should: ranks that are silent, die or lie meanwhile, the next
# restart before the first is done, and orders to end or stop all in the midst of it.
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
my ($serial, $marker) = (0);

# A file that is not there yet.
sub fresh_marker { return $marker = scratch() . '/marker' . $serial++ }

# Rank 0 begins again in place. Rank 1 does these words in the midst of it, and another process has
# to take its place, silently. `act` happens between RUN and the end of rank 1.
sub replaced
{
	my ($name, $act, @words) = @_;
	my ($agent, @before) = AgentTest->begun(2, @rank, qw(join facts 0:obey), @words, 'obey');
	$agent->again(1);
	$act->() if $act;
	my @after = map { $agent->facts($_) } 0, 1;
	is("$after[0]{pid} $after[0]{epoch} $after[1]{epoch}", "$before[0] 1 1", "$name: all begin again");
	isnt($after[1]{pid}, $before[1], '... in its place is another process');
	is_deeply([ map { /^(STARTED \d)/ } $agent->said(qr/STARTED/) ],
		['STARTED 1'], '... which is told');
	is_deeply([ $agent->said(qr/EXITED|BROKEN|LOST|RESTARTING/) ], [], '... and nothing else')
		or diag join "\n", $agent->lines;
	AgentTest::gone('... the first one is gone', $before[1]);
	return $agent->end_well($name);
}

my $release = sub { text_file($marker =~ s{.*/}{}r, '') };

replaced('a rank that does not answer', undef, '1:@0:deaf');
replaced('a rank that is stopped', undef, '1:@0:stop');
replaced('a rank that is killed before it answers', undef, qw(1:@0:asked 1:@0:kill:KILL));
replaced('a rank that fails after it answered', undef, qw(1:@0:asked 1:@0:answer 1:@0:exit:1));
fresh_marker();
replaced('a rank that is killed after RUN, before it answers',
	$release, '1:@0:asked', "1:\@0:await:$marker", '1:@0:kill:KILL');
fresh_marker();
replaced('a rank that fails after RUN, before it begins',
	$release, qw(1:@0:asked 1:@0:answer), "1:\@0:await:$marker", '1:@0:exit:1');
replaced('a rank that talks rubbish before it answers',
	undef, qw(1:@0:asked 1:@0:rubbish 1:@0:hang));
replaced('a rank that answers, and closes its control connection',
	undef, qw(1:@0:asked 1:@0:answer 1:@0:deafen 1:@0:deaf));
replaced('a rank that answers for another epoch', undef, qw(1:@0:asked 1:@0:answers:7 1:@0:deaf));

subtest 'a process in place that dies before it speaks' => sub {
	fresh_marker();
	my ($agent, @before) = AgentTest->begun(1, @rank, 'start', "\@1:dieonce:$marker",
		qw(program:1 inited facts obey));
	$agent->again(1);
	my $after = $agent->facts(0);
	is($after->{epoch}, 1, 'the rank begins again');
	isnt($after->{pid}, $before[0], '... in another process');
	is_deeply([ $agent->said(qr/EXITED/) ], [], '... and nothing is told of the first');
	$agent->end_well('dies before it speaks');
};

subtest 'an end in the new epoch is told' => sub {
	my ($agent, @before) = AgentTest->begun(2, @rank, qw(join facts 1:@1:kill:KILL obey));
	$agent->again(1);
	ok($agent->await(qr/^EXITED 1 0 9$/), 'that of a rank in place');
	is($agent->all('epoch', 0, 1), '1 1', '... which had begun again');
	$agent->again(2);
	my @after = map { $agent->facts($_) } 0, 1;
	is($after[0]{pid}, $before[0], 'the next restart: one in place');
	is($agent->await(qr/^STARTED 1 $after[1]{pid}$/), 1, '... and one anew');
	$agent->end_well('the new epoch');
};

subtest 'news of the old epoch' => sub {
	my ($agent, @pids) = AgentTest->begun(2, @rank,
		qw(join facts asked lost:0 suspect:0 line:7 answer again));
	$agent->again(1);
	is($agent->all('pid', 0, 1), "@pids", 'ranks that still talk begin again in place');
	$agent->await(qr/^NEWS $_ INITED /) for 0, 1;
	is_deeply([ $agent->said(qr/LOST|SUSPECT|LINE/) ], [], '... what they said is not told');
	$agent->end_well('old news');
};

subtest 'RESTARTING that nobody asked for' => sub {
	my ($agent) = AgentTest->begun(1, @rank, qw(join facts answers:1 deaf));
	ok($agent->await(qr/^BROKEN 0 an unexpected RESTARTING message$/), 'is against the rules');
	ok($agent->await(qr/^EXITED 0 0 9$/), '... the rank is killed');
	$agent->end_well('unasked');
};

sub stopped
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return 0;
	return <$file> =~ /^.*\) T /;
}

subtest 'FENCE' => sub {
	my ($agent, @pids) = AgentTest->begun(2, @rank, qw(join facts 1:@0:child 1:@0:stop obey));
	my ($child) = $agent->await_text(1, qr/child=(\d+)\n/);
	ok(eventually(sub { stopped($pids[1]) }, sub { join "\n", left_over() }), 'a rank stops');
	$agent->order('FENCE', 1);
	ok($agent->await(qr/^EXITED 1 0 9$/), '... and is killed');
	AgentTest::gone('... with its children', $pids[1], $child);
	$agent->order('FENCE', $_) for 1, 5;
	$agent->order('PING');
	ok($agent->await(qr/^PONG/), 'one that is not here is none');
	$agent->again(1);
	is($agent->facts(0)->{pid}, $pids[0], 'the others go on');
	is($agent->facts(1)->{epoch}, 1, '... with another in its place');
	$agent->end_well('FENCE');
};

subtest 'a restart before the first one has begun' => sub {
	my ($agent, @pids) = AgentTest->begun(2, @rank, qw(join facts obey));
	$agent->restart(1);
	$agent->restart(2);
	$agent->pass;
	$agent->run(epoch => 2);
	my @facts = map { $agent->facts($_) } 0, 1;
	is(join(' ', map { $_->{pid} } @facts), "@pids", 'the same processes');
	is(join(' ', map { $_->{epoch} } @facts), '2 2', '... in the epoch of the second');
	is_deeply([ $agent->said(qr/STARTED|EXITED|BROKEN/) ], [], '... without a word');
	$agent->end_well('a second restart');
};

subtest 'a restart before a rank has answered the first one' => sub {
	fresh_marker();
	my ($agent, @pids) = AgentTest->begun(1, @rank, qw(join facts asked), "await:$marker",
		qw(answer again));
	$agent->restart(1);
	$agent->restart(2);
	$release->();
	$agent->run(epoch => 2);
	my $facts = $agent->facts(0);
	is("$facts->{pid} $facts->{epoch}", "$pids[0] 2", 'the answer to the first counts');
	$agent->end_well('an older answer');
};

subtest 'a restart while ranks come to MPI_Init' => sub {
	fresh_marker();
	my ($agent, @pids) = AgentTest->begun(1, @rank, 'start', "\@1:await:$marker",
		qw(program:1 inited facts obey));
	$agent->again(1);
	$agent->again(2);
	my $facts = $agent->facts(0);
	is($facts->{epoch}, 2, 'they are in the epoch of the second');
	isnt($facts->{pid}, $pids[0], '... as other processes');
	$agent->end_well('a restart in MPI_Init');
};

subtest 'ranks that are not started yet' => sub {
	my $agent = AgentTest->new;
	$agent->bind(0 .. 7);
	$agent->order('SUSPEND', 1);
	$agent->run(ranks => [ 0 .. 7 ], command => [ @rank, qw(join facts obey) ]);
	$agent->order('PING');
	$agent->await(qr/^PONG/);
	is(scalar $agent->said(qr/^STARTED /), 0, 'ranks that are stopped');
	$agent->again(1);
	$agent->order('SUSPEND', 0);
	is($agent->all('epoch', 0 .. 7), '1 1 1 1 1 1 1 1', '... start in the next epoch');
	is(scalar $agent->said(qr/^STARTED /), 8, '... once each');
	$agent->end_well('not started');
};

subtest 'SUSPEND' => sub {
	my ($agent, @pids) = AgentTest->begun(2, @rank, qw(join facts obey));
	$agent->order('SUSPEND', 1);
	$agent->again(1);
	$agent->order('SUSPEND', 0);
	is($agent->all('pid', 0, 1), "@pids", 'ranks that were stopped begin again in place');
	$agent->restart(2);
	$agent->order('SUSPEND', 1);
	$agent->order('SUSPEND', 0);
	$agent->run(epoch => 2);
	is($agent->all('epoch', 0, 1), '2 2', '... and those that are stopped in the midst');
	$agent->end_well('SUSPEND');
};

# KILL when ranks wait for RUN, are doomed, were started: each end is told once.
subtest 'KILL in a restart' => sub {
	for my $hard (0, 1) {
		for my $ran (0, 1) {
			my ($agent) = AgentTest->begun(3, @rank, qw(join 2:finalize facts),
				qw(0:obey 1:@0:deaf hang));
			$agent->restart(1);
			$agent->pass;
			$agent->run(epoch => 1) if $ran;
			$agent->order('KILL', $hard);
			$agent->await(qr/^EXITED $_ /) for 0 .. 2;
			my $how = ($ran ? 'after' : 'before') . ' RUN, ' . ($hard ? 'at once' : 'with grace');
			is(join(' ', sort map { /EXITED (\d)/ } $agent->said(qr/EXITED/)), '0 1 2',
				"$how: the end of every rank is told once");
			is(scalar $agent->said(qr/^STARTED 1/), 0, '... and nobody takes its place');
			$agent->end_well($how);
		}
	}
};

subtest 'a program that is gone' => sub {
	my $program = text_file('program', "#!/bin/sh\nexec $^X $RANK \"\$@\"\n");
	chmod 0755, $program;
	my ($agent, @pids) = AgentTest->begun(1, $program, qw(join facts obey));
	unlink $program;
	$agent->again(1);
	is($agent->all('epoch', 0), '1', 'was kept, and is run again');
	$agent->end_well('a program that is gone');
};

# Orders that make no sense: the agent says so, and takes its ranks along.
for my $case (
	[ 'a second RUN', qr/a second RUN in epoch 0/, sub { $_[0]->run } ],
	[ 'a RUN of an old epoch', qr/a RUN of epoch 0, which is past/,
		sub { $_[0]->restart(1); $_[0]->run } ],
	[ 'a restart in the same epoch', qr/a restart in epoch 0, which is past/,
		sub { $_[0]->order('RESTART_ALL', 0) } ],
	[ 'a restart after KILL', qr/a restart of a job that is ended/,
		sub { $_[0]->order('KILL', 1); $_[0]->order('RESTART_ALL', 1) } ],
	[ 'a rank without sockets', qr/rank 1 has a port that was not bound: 127\.0\.0\.1 1/,
		sub { $_[0]->again(1, ranks => [ 0, 1 ]) } ],
	)
{
	my ($name, $why, $act) = @$case;
	my ($agent) = AgentTest->begun(1, @rank, qw(join facts obey));
	$act->($agent);
	my ($status, $err) = $agent->finish;
	is($status, 1, "$name ends the agent");
	like($err, qr/^ftmpirun: the agent got $why\n\z/, '... with a sentence');
	nobody_left('... and nobody is left');
}

done_testing;
