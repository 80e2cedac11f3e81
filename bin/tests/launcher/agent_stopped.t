#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# An agent tells of ranks that are stopped, whoever stopped them, but for its launcher.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use Test::More;

use AgentTest;
use LauncherTest;

my @rank  = ($^X, $RANK);
my @beats = qw(heartbeat=100 heartbeat-timeout=300);

# An agent whose ranks have told their process ids, and these.
sub begun
{
	my ($ranks, $settings, @words) = @_;
	my $agent = AgentTest->new;
	$agent->bind(0 .. $ranks - 1);
	$agent->run(ranks => [ 0 .. $ranks - 1 ], settings => $settings, command => [ @rank, @words ]);
	return ($agent, split ' ', $agent->all('pid', 0 .. $ranks - 1));
}

sub stopped
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return 0;
	return <$file> =~ /^.*\) T /;
}

sub all_stopped
{
	my ($name, @pids) = @_;
	return ok(eventually(sub { @pids == grep { stopped($_) } @pids }, sub { join "\n", left_over() }), $name);
}

# All that an agent had to say up to now has come.
sub flush { my ($agent) = @_; $agent->pass; $agent->order('PING'); return $agent->await(qr/^PONG/) }

subtest 'a rank that is stopped' => sub {
	my ($agent, @pids) = begun(2, \@beats, qw(join facts 1:stop 1:say:back hang));
	ok($agent->await(qr/^STOPPED 1 300$/), 'is told');
	ok($agent->await(qr/^STOPPED 1 600$/), '... again and again');
	kill 'CONT', $pids[1];
	$agent->await_text(1, qr/^back\n/);
	flush($agent);
	$agent->pass;
	kill 'STOP', $pids[0];
	ok($agent->await(qr/^STOPPED 0 900$/), 'another one');
	is_deeply([ grep { !/^STOPPED 0 \d+$/ } $agent->lines ], [], '... and the first no more when it goes on');
	$agent->order('FENCE', 0);
	ok($agent->await(qr/^EXITED 0 0 9$/), '... that is killed');
	$agent->end_well('stopped');
};

# When ranks are stopped as long elsewhere, where that is told, this one had time enough to tell.
sub time_enough
{
	my ($agent, $name) = @_;
	my ($clock) = begun(1, \@beats, qw(join facts stop hang));
	ok($clock->await(qr/^STOPPED 0 600$/), "$name: another agent tells of its own");
	flush($agent);
	is_deeply([ grep { /STOPPED/ } @{ $agent->{lines} } ], [], '... this one has nothing to tell');
	$clock->order('END');
	is(($clock->finish)[0], 0, '... and the other one leaves');
	return;
}

subtest 'not told' => sub {
	for my $case ([ '-heartbeat 0', 'heartbeat=0', 'heartbeat-timeout=300' ], [ '-debug', @beats, 'debug=1' ]) {
		my ($name, @settings) = @$case;
		my ($agent, @pids) = begun(1, \@settings, qw(join facts stop hang));
		all_stopped("$name: a rank is stopped", @pids);
		time_enough($agent, $name);
		$agent->end_well($name);
	}
};

subtest 'all are stopped by SUSPEND' => sub {
	my ($agent, @pids) = begun(2, \@beats, qw(join facts hang));
	$agent->order('SUSPEND', 1);
	all_stopped('the ranks are stopped', @pids);
	time_enough($agent, 'SUSPEND');
	$agent->order('SUSPEND', 0);
	time_enough($agent, 'after SUSPEND');
	$agent->pass;
	kill 'STOP', $pids[1];
	ok($agent->await(qr/^STOPPED 1 300$/), 'one that is stopped after that is told');
	$agent->end_well('SUSPEND');
};

# In the midst of a restart another process takes its place, and nobody is asked.
subtest 'stopped before it executes its program again' => sub {
	my ($agent, @before) = begun(2, \@beats, qw(join facts 1:@0:asked 1:@0:answer 1:@0:stop obey));
	$agent->again(1);
	my @after = map { $agent->facts($_) } 0, 1;
	is("$after[0]{pid} $after[0]{epoch} $after[1]{epoch}", "$before[0] 1 1", 'all begin again');
	isnt($after[1]{pid}, $before[1], '... with another process in its place');
	is_deeply([ $agent->said(qr/STOPPED|EXITED|BROKEN/) ], [], '... and nothing is told of the first');
	AgentTest::gone('... which is gone', $before[1]);
	$agent->end_well('between RESTARTING and exec');
};

done_testing;
