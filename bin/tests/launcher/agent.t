#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# An agent and its ranks through restarts: who begins again in place, who is started anew, and what
# is told of it.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use POSIX ();
use Test::More;

use AgentTest;
use LauncherTest;

my @rank = ($^X, $RANK);

# What the ranks said about themselves: "epoch pid local/size name".
sub facts
{
	my ($agent, $rank) = @_;
	my ($epoch, $pid, $local, $name) =
		$agent->await_text($rank, qr/^epoch=(\d+) pid=(\d+) local=(\S+) name=(\d+) .*\n/m);
	return { epoch => $epoch, pid => $pid, local => $local, name => $name };
}

sub all_facts { my ($agent, @ranks) = @_; return map { facts($agent, $_) } @ranks }

# Start so many ranks and wait for their facts.
sub begun
{
	my ($ranks, @words) = @_;
	my $agent = AgentTest->new;
	$agent->start($ranks, @words);
	return ($agent, all_facts($agent, 0 .. $ranks - 1));
}

sub alive { return scalar grep { my $pid = $_; grep { /^$pid:/ } left_over() } @_ }

# These processes end.
sub gone
{
	my ($name, @pids) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return ok(eventually(sub { !alive(@pids) }, sub { join "\n", left_over() }), $name);
}

# One whole restart. Returns the facts of the ranks in the new epoch.
sub restarted
{
	my ($agent, $epoch, @ranks) = @_;
	$agent->restart($epoch);
	$agent->pass;
	$agent->run(epoch => $epoch);
	my @facts = all_facts($agent, @ranks);
	$agent->await(qr/^NEWS $_ INITED /) for @ranks;
	return @facts;
}

subtest 'in place' => sub {
	my ($agent, @before) = begun(3, @rank, qw(join table facts obey));
	my @after = restarted($agent, 1, 0 .. 2);
	is(join(' ', map { $_->{epoch} } @after), '1 1 1', 'all ranks are in the new epoch');
	is(join(' ', map { $_->{pid} } @after), join(' ', map { $_->{pid} } @before),
		'... as the same processes');
	is(join(' ', map { $_->{local} } @after), '0/3 1/3 2/3', '... with the same places');
	is_deeply([ $agent->said(qr/STARTED|EXITED|RESTARTING|BROKEN/) ], [],
		'... and nothing of this is told') or diag join "\n", $agent->lines;
	$agent->end_well('in place');
};

subtest 'started anew' => sub {
	my @in_place = (@rank, qw(join facts));
	my @shell    = ('sh', '-c', '"$@"; exit', 'sh');
	for my $case (
		[ 'a wrapper',                      @shell, @in_place, 'obey' ],
		[ 'a script',                       $RANK, qw(join facts obey) ],
		[ 'a rank that has finalized',      @in_place, qw(finalize obey) ],
		[ 'a rank that said no PROGRAM',    @rank, qw(init facts obey) ],
		[ 'a rank that did not come to MPI_Init', @rank, qw(start program:1 facts obey) ],
		)
	{
		my ($who, @command) = @$case;
		my ($agent, @before) = begun(2, @command);
		$agent->restart(1);
		$agent->pass;
		$agent->run(epoch => 1);
		my @after = all_facts($agent, 0, 1);
		my @told  = map { ($agent->await(qr/^STARTED $_ (\d+)$/))[0] } 0, 1;
		is(join(' ', map { $_->{epoch} } @after), '1 1', "$who begins again");
		is(scalar(grep { $after[$_]{pid} != $before[$_]{pid} && kill 0, $told[$_] } 0, 1), 2,
			'... as another process, which is told');
		is_deeply([ $agent->said(qr/EXITED|BROKEN/) ], [], '... the end of the old one is not');
		gone('... and it is gone', map { $_->{pid} } @before);
		$agent->end_well($who);
	}
};

subtest 'ranks that have ended begin again' => sub {
	my $agent = AgentTest->new;
	$agent->start(2, @rank, qw(join 1:@0:child facts 0:obey 1:@0:exit:0 hang));
	my ($child) = $agent->await_text(1, qr/child=(\d+)\n/);
	all_facts($agent, 0, 1);
	$agent->await(qr/^EXITED 1 0 0$/);
	$agent->restart(1);
	$agent->pass;
	gone('what such a one left in its process group is killed', $child);
	$agent->run(epoch => 1);
	is(facts($agent, 1)->{epoch}, 1, 'it is started anew');
	is(facts($agent, 0)->{epoch}, 1, '... beside one in place');
	$agent->end_well('ended ranks');
};

done_testing;
