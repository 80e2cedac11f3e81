#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The launcher or the agent goes, in every moment of a restart: nothing is left behind.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/../lib";
use Test::More;

use FTMPI::Test::Alone ();

# before anything makes temporary files
BEGIN { FTMPI::Test::Alone::enter() }

use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";

use AgentTest;
use LauncherTest;

FTMPI::Test::Alone::remember();

# Rank 0 begins again in place, 1 is started anew, 2 does not answer; all leave children behind,
# also in sessions of their own.
my @words = qw(join child:session child 1:finalize facts 2:@0:deaf obey);

# What the launcher does before the end.
my %moment = (
	'before a restart'      => sub { },
	'when it is ordered'    => sub { $_[0]->order('RESTART_ALL', 1) },
	'before RUN'            => sub { $_[0]->restart(1) },
	'when RUN is ordered'   => sub { $_[0]->again(1) },
	'while a rank is awaited' => sub { $_[0]->again(1); $_[0]->all('pid', 0, 1) },
	'when all run again'    => sub { $_[0]->again(1); $_[0]->all('pid', 0 .. 2) },
	'in the next restart'   => sub { $_[0]->again(1); $_[0]->restart(2); $_[0]->run(epoch => 2) },
	'while all are stopped' => sub { $_[0]->again(1); $_[0]->order('SUSPEND', 1) },
	'after FENCE'           => sub { $_[0]->again(1); $_[0]->order('FENCE', $_) for 0, 2 },
);

sub killed { my ($agent, @signals) = @_; kill $_, $agent->pid for @signals; return }

# Who goes, and how.
my %end = (
	'the launcher goes'         => sub { $_[0]->hang_up },
	'the agent is killed'       => sub { killed($_[0], 'KILL') },
	'the agent is terminated'   => sub { killed($_[0], 'TERM') },
);

sub goes
{
	my ($moment, $who, $end) = @_;
	my ($agent) = AgentTest->begun(3, $^X, $RANK, @words);
	$moment{$moment}->($agent);
	$end->($agent);
	$agent->finish;
	return FTMPI::Test::Alone::at_rest("$who $moment");
}

for my $who (sort keys %end) {
	goes($_, $who, $end{$who}) for sort keys %moment;
}
goes('when RUN is ordered', 'the launcher and the guard see a stopped agent',
	sub { killed($_[0], 'STOP'); $_[0]->hang_up });

subtest 'a launcher that is silent' => sub {
	my $agent = AgentTest->new(silence => 500);
	$agent->start(2, $^X, $RANK, qw(join child hang));
	my ($status, $err) = $agent->finish;
	is($status, 1, 'the agent leaves');
	is($err, "ftmpirun: the agent heard nothing from ftmpirun for 500 ms: its ranks are ended\n",
		'... with a sentence');
	FTMPI::Test::Alone::at_rest('a silent launcher');
};

# The time of the first runs while the second is silent.
subtest 'a launcher that is stopped' => sub {
	my $agent = AgentTest->new(silence => 3000);
	$agent->order('SUSPEND', 1);
	my $clock = AgentTest->new(silence => 3000);
	is(($clock->finish)[0], 1, 'a silence that is too long');
	$agent->order('PING');
	ok($agent->await(qr/^PONG/), '... is none when the launcher was about to be stopped');
	$agent->end_well('afterwards');
	FTMPI::Test::Alone::at_rest('a launcher that is stopped');
};

done_testing;
