# SPDX-License-Identifier: BSD-3-Clause
#
# The cluster of network namespaces itself: hosts are up and reach each other by ssh, a host can be
# cut off, slowed and killed, and nothing is left of it afterwards, however the run ends.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;
use Time::HiRes qw(time);

use FTMPI::Test::Cluster ();
use FTMPI::Test::Job     ();
use FTMPI::Test::Process qw(run_quiet);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

sub remote
{
	my ($cluster, $from, $to, @command) = @_;
	my @ssh = (split(/ /, $cluster->ssh), $to, @command);
	return FTMPI::Test::Job->run(
		[$from ? $cluster->host($from)->inside(@ssh) : $cluster->outside(@ssh)], deadline => 30);
}

my $cluster = FTMPI::Test::Cluster->new(hosts => 4);
is(scalar $cluster->hosts, 4, 'four hosts are up');
is(scalar(my @found = $cluster->strangers), 0, 'and at rest');

subtest 'ssh reaches every host' => sub {
	for my $n (1 .. 4) {
		my $from = $n % 4 + 1;
		my $job = remote($cluster, $from, "node$n", 'hostname');
		is($job->out, "node$n\n", "node$n from node$from by name") or diag($job->saw);
		$job = remote($cluster, 0, $cluster->host($n)->address, 'hostname');
		is($job->out, "node$n\n", "node$n from outside by address") or diag($job->saw);
	}
	SKIP: {
		skip 'this machine has no IPv6', 1 if !defined $cluster->address6;
		my $job = remote($cluster, 1, $cluster->host(2)->address6, 'hostname');
		is($job->out, "node2\n", 'node2 by its IPv6 address') or diag($job->saw);
	}
};

subtest 'a host that is cut off is not reached until it is healed' => sub {
	$cluster->host(3)->cut;
	my $job = remote($cluster, 1, 'node3', 'hostname');
	isnt($job->status, 0, 'cut off') or diag($job->saw);
	$job = remote($cluster, 1, 'node2', 'hostname');
	is($job->out, "node2\n", 'the others reach each other') or diag($job->saw);
	$cluster->host(3)->heal;
	$job = remote($cluster, 1, 'node3', 'hostname');
	is($job->out, "node3\n", 'healed') or diag($job->saw);
};

subtest 'a slow host is slow' => sub {
	my @command = ('head', '-c', '1000000', '/dev/zero');
	$cluster->host(2)->slow('8mbit');
	my $slow = remote($cluster, 1, 'node2', @command);
	$cluster->host(2)->full_speed;
	is(length($slow->out), 1000000, 'all bytes arrive') or diag($slow->saw);
	cmp_ok($slow->took, '>', 0.7, 'a megabyte at 8 Mbit/s takes its time');
};

subtest 'a host that is killed can be started again' => sub {
	my $ssh = $cluster->ssh;
	my $job = FTMPI::Test::Job->start(
		[$cluster->host(1)->inside('sh', '-c', "exec $ssh node4 'echo here; exec sleep 100'")],
		deadline => 30);
	ok($job->wait_for(out => qr/here/), 'something runs on it');
	cmp_ok(scalar(my @running = $cluster->host(4)->strangers), '>', 0, 'which is seen');
	$cluster->host(4)->kill_all;
	is(scalar(my @left = $cluster->host(4)->pids), 0, 'nothing runs any more');
	isnt($job->finish->status, 0, 'its ssh ends');
	$cluster->host(4)->start;
	$job = remote($cluster, 2, 'node4', 'hostname');
	is($job->out, "node4\n", 'up again') or diag($job->saw);
};

$cluster->remove;
is_deeply([FTMPI::Test::Cluster::remains($$)], [], 'nothing is left of a cluster that was removed');

# A child makes a cluster and ends in some way; it says when the cluster is up.
sub abandoned
{
	my ($how, @signal) = @_;
	my $script = 'use FTMPI::Test::Cluster; my $c = FTMPI::Test::Cluster->new(hosts => 2); '
		. '$| = 1; print "up\n"; ' . $how;
	my $job = FTMPI::Test::Job->start([$^X, "-I$FindBin::Bin/../lib", '-e', $script],
		deadline => 60);
	$job->wait_for(out => qr/up/);
	$job->signal($_) for @signal;
	$job->finish;
	return $job;
}

for my $end (['die "because"', 'died'], ['exit 7', 'exited'], ['select undef, undef, undef, 60',
		'was sent TERM', 'TERM'], ['select undef, undef, undef, 60', 'was sent INT', 'INT']) {
	my ($how, $name, @signal) = @$end;
	my $job = abandoned($how, @signal);
	isnt($job->status, 0, "a run that $name");
	is_deeply([FTMPI::Test::Cluster::remains($job->pid)], [], '... leaves nothing');
}

my $killed = abandoned('select undef, undef, undef, 60', 'KILL');
isnt(scalar(my @there = FTMPI::Test::Cluster::remains($killed->pid)), 0, 'a run that was killed leaves something');
FTMPI::Test::Cluster->new(hosts => 1)->remove;
is_deeply([FTMPI::Test::Cluster::remains($killed->pid)], [], '... which the next run removes');

done_testing();
