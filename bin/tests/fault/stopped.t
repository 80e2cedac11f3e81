# SPDX-License-Identifier: BSD-3-Clause
#
# Processes that are stopped: nothing ends, so that only missing heartbeats show the failure.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault   ();
use FTMPI::Test::Process qw(wait_gone);

FTMPI::Test::Fault::alone();

sub pi
{
	my ($more, %option) = @_;
	return FTMPI::Test::Fault->start(program => 'pi',
		args => [qw(400000 -every 10000 -ckpt 10 -sure -trace -hold 25), @$more], %option);
}

for my $ranks ([2], [0]) {
	my $fault = pi([]);
	$fault->all_held;
	my %pids = $fault->pids;
	$fault->signal_ranks('STOP', @$ranks);
	$fault->wait_for(err => qr/^ftmpirun: rank $ranks->[0] on \S+ showed no life for \d+ ms \(stopped or hung\) and was killed; restart 1 of 3\b/m);
	my @left = wait_gone(time + 60, @pids{@$ranks});
	is("@left", '', "ranks @$ranks are stopped: the old processes are gone");
	$fault->survived("ranks @$ranks are stopped", restarts => [1, 3]);
	$fault->job->out_like(qr/^restored after round 20$/m, "ranks @$ranks are stopped");
}

# Two at once: whoever is suspected first is killed, the other when it does not begin again.
{
	my $fault = pi([]);
	$fault->all_held;
	my %pids = $fault->pids;
	$fault->signal_ranks('STOP', 1, 2);
	$fault->wait_for(err => qr/^ftmpirun: rank [12] on \S+ showed no life for \d+ ms .*; restart 1 of 3\b/m);
	my @left = wait_gone(time + 60, @pids{1, 2});
	is("@left", '', 'two ranks are stopped: the old processes are gone');
	$fault->survived('two ranks are stopped', restarts => [1, 2]);
}

# All of them: no observer is left, but their agent.
{
	my $fault = pi([]);
	$fault->all_held;
	$fault->signal_ranks('STOP', 0 .. 3);
	$fault->wait_for(err => qr/^ftmpirun: rank \d on \S+ showed no life for \d+ ms .*; restart 1 of 3\b/m);
	$fault->survived('all ranks are stopped', restarts => [1, 2]);
	$fault->job->out_like(qr/^restored after round 20$/m, 'all ranks are stopped');
}

# A rank alone has never any.
{
	my $fault = pi([], ranks => 1);
	$fault->all_held;
	$fault->signal_ranks('STOP', 0);
	$fault->survived('the only rank is stopped', restarts => 1);
}

# Without heartbeats nobody minds, and it goes on where it was. It has 197 rounds to go, then.
{
	my $fault = FTMPI::Test::Fault->start(program => 'pi', args => [qw(400000000 -every 2000000 -ckpt 50 -trace)],
		run => [qw(-heartbeat 0)]);
	$fault->wait_for(out => qr/^round 3$/m);
	$fault->signal_ranks('STOP', 2);
	$fault->signal_ranks('CONT', 2);
	$fault->survived('stopped and continued, without heartbeats', restarts => 0);
}

# All of them hang in their own computation: that is no failure.
{
	my $fault = pi([qw(-hold-in compute)]);
	$fault->all_held;
	is($fault->restarts, 0, 'ranks that only compute are not suspected');
	$fault->kill_ranks(0);
	$fault->survived('ranks that compute', restarts => 1);
}

done_testing();
