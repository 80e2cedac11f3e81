#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What an agent tells of ranks that are asked about, and of how it fares itself.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use Test::More;

use AgentTest;
use FTMPI::Condition ();
use LauncherTest;

my @rank  = ($^X, $RANK);
my @beats = qw(heartbeat=100 heartbeat-timeout=300);

# The word for this rank.
sub asked
{
	my ($agent, $rank) = @_;
	$agent->pass;
	$agent->order('EXAMINE', $rank, 20);
	my ($number, $load) = $agent->await(qr/^CONDITION $rank (\d+) (\d+)$/) or return 'nothing';
	return FTMPI::Condition::word($number);
}

sub begun
{
	my ($ranks, @words) = @_;
	my $agent = AgentTest->new;
	$agent->bind(0 .. $ranks - 1);
	$agent->run(ranks => [ 0 .. $ranks - 1 ], settings => \@beats, command => [ @rank, @words ]);
	return ($agent, split ' ', $agent->all('pid', 0 .. $ranks - 1));
}

subtest 'ranks' => sub {
	my ($agent, @pids) = begun(4, qw(join facts 1:stop 2:exit:0 hang));
	$agent->await(qr/^EXITED 2 0 0$/);
	isnt(asked($agent, 0), $_, "a rank that lives is not $_") for qw(stopped gone);
	$agent->await(qr/^STOPPED 1 300$/);
	is(asked($agent, 1), 'stopped', 'one that is stopped');
	is(asked($agent, 2), 'gone', 'one that has ended');
	is(asked($agent, 7), 'gone', 'one that was never here');
	$agent->order('SUSPEND', 1);
	is(asked($agent, 3), 'runs', 'one that is stopped on purpose');
	$agent->order('SUSPEND', 0);
	$agent->order('EXAMINE', 0, 60000);
	$agent->again(1);
	$agent->all('pid', 0);
	is_deeply([ $agent->said(qr/CONDITION/) ], [], 'what was asked in an older epoch is not answered');
	$agent->end_well('asked');
};

# The process whose number a rank tells may be any; that is not looked at if it is none of the agent's.
subtest 'another process' => sub {
	my ($agent, @pids) = begun(1, qw(start facts claim:1 stop hang));
	$agent->await(qr/^STOPPED 0 300$/);
	is(asked($agent, 0), 'stopped', 'a rank that says that it is init');
	$agent->end_well('another process');
};

# When another agent has told that a rank was stopped for as long, this one has been.
sub time_goes_by
{
	my ($clock) = begun(1, qw(join facts stop hang));
	ok($clock->await(qr/^STOPPED 0 600$/), 'time goes by');
	$clock->order('END');
	is(($clock->finish)[0], 0, '... for another agent');
	return;
}

subtest 'it is late itself' => sub {
	my $agent = AgentTest->new(silence => 2400, strain => 1);
	$agent->order('PATIENCE', 3600000);
	$agent->bind(0);
	$agent->run(ranks => [0], settings => \@beats, command => [ @rank, qw(join facts hang) ]);
	$agent->all('pid', 0);
	$agent->pass;
	kill 'STOP', $agent->pid;
	time_goes_by();
	kill 'CONT', $agent->pid;
	ok($agent->await(qr/^STRAINED \d{2,} \d+$/), 'an agent that got no processor says so');
	$agent->end_well('late');
};

subtest 'it bears with a silent launcher' => sub {
	my $patient = AgentTest->new(silence => 3000);
	$patient->order('PATIENCE', 3600000);
	my $clock = AgentTest->new(silence => 3000);
	is(($clock->finish)[0], 1, 'one leaves');
	$patient->order('PING');
	ok($patient->await(qr/^PONG/), '... and one that was asked to does not');
	$patient->order('PATIENCE', 0);
	is(($patient->finish)[0], 1, '... until that is taken back');
	nobody_left('... and nobody is left');
};

done_testing;
