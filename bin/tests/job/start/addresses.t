# SPDX-License-Identifier: BSD-3-Clause
#
# Which addresses and ports ranks use: IPv6, -ports, -iface; and a network that is slow.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Cluster  ();
use FTMPI::Test::Job      qw(ftmpirun program);
use FTMPI::Test::Programs qw(check_program);
use FTMPI::Test::Process  qw(must_run);

# Ports that processes of the job listen on, in the network of `inside`.
sub listening
{
	my ($job, $pattern, @inside) = @_;
	my %mine = map { $_ => 1 } $job->pids;
	my @ports;
	for my $line (split /\n/, must_run(@inside, 'ss', '-H', '-l', '-t', '-n', '-p')) {
		my ($port) = $line =~ /^LISTEN\s+\d+\s+\d+\s+\S+:(\d+)\s/ or next;
		push @ports, $port if grep { $mine{$_} } $line =~ /pid=(\d+)/g;
	}
	return @ports;
}

sub waiting_job
{
	my ($ranks, @command) = @_;
	my $job = FTMPI::Test::Job->start([@command, '-n', $ranks, program('badcall'), 'hang'],
		deadline => 60);
	$job->wait_for(out => qr/^rank $_ waits$/m) or last for 0 .. $ranks - 1;
	return $job;
}

subtest '-ports on one machine' => sub {
	my $job = waiting_job(4, ftmpirun(), '-ports', '46100-46120');
	my @ports = listening($job);
	$job->signal('TERM');
	$job->finish;
	cmp_ok(scalar @ports, '>=', 8, 'all ranks listen, for data and for heartbeats');
	is_deeply([grep { $_ < 46100 || $_ > 46120 } @ports], [], 'only in the range');
	$job->none_left('-ports');
};

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	diag("skipped but for -ports: $reason");
	SKIP: { skip $reason, 1 }
	done_testing();
	exit 0;
}

my $cluster = FTMPI::Test::Cluster->new(hosts => 3);
my @run = (ftmpirun(), '-ssh', $cluster->ssh);

subtest 'IPv6' => sub {
	plan skip_all => 'this machine has no IPv6' if !defined $cluster->address6;
	my $names   = $cluster->machine_file(map { "node$_-six slots=2" } 1 .. 3);
	my $numbers = $cluster->machine_file(map { '[' . $cluster->host($_)->address6 . ']:2' } 1 .. 3);
	check_program('collective', 6, [$cluster->host(1)->inside(@run, '-machinefile', $names, '-n', 6)]);
	check_program('cgs', 6, [$cluster->host(1)->inside(@run, '-machinefile', $numbers, '-n', 6)]);
	check_program('passnum', 6, [$cluster->outside(@run, '-machinefile', $numbers, '-n', 6)]);
};

subtest 'IPv6 alone' => sub {
	plan skip_all => 'this machine has no IPv6' if !defined $cluster->address6;
	my $numbers = $cluster->machine_file(map { '[' . $cluster->host($_)->address6 . ']:2' } 1 .. 3);
	must_run('ip', '-n', $_->netns, 'addr', 'del', $_->address . '/24', 'dev', 'eth0')
		for $cluster->hosts;
	check_program('init_calls', 6, [$cluster->host(1)->inside(@run, '-machinefile', $numbers, '-n', 6)]);
	must_run('ip', '-n', $_->netns, 'addr', 'add', $_->address . '/24', 'dev', 'eth0')
		for $cluster->hosts;
};

my $machines = $cluster->machine_file(map { "node$_ slots=2" } 1 .. 3);

subtest '-iface' => sub {
	# a second address on every host, which the others cannot reach by the route to the first
	my $n = ($cluster->address =~ /^10\.213\.(\d+)\./)[0];
	my @added = map { ["172.29.$n.$_/24", $cluster->host($_)->netns] } 1 .. 3;
	must_run('ip', '-n', $_->[1], 'addr', 'add', $_->[0], 'dev', 'eth0') for @added;
	for my $iface ('eth0', "172.29.$n.0/24", $cluster->address =~ s/\.\d+$/.0\/24/r) {
		check_program('passnum', 6,
			[$cluster->host(1)->inside(@run, '-machinefile', $machines, '-iface', $iface, '-n', 6)]);
	}
	my $job = waiting_job(6, $cluster->host(1)->inside(@run, '-machinefile', $machines, '-iface',
			"172.29.$n.0/24"));
	my $sockets = must_run($cluster->host(2)->inside('ss', '-H', '-l', '-t', '-n'));
	$job->signal('TERM');
	$job->finish;
	my @there = $sockets =~ /\s172\.29\.$n\.2:(\d+)\s/g;
	is(scalar @there, 4, 'the ranks of node2 listen on the address that was chosen')
		or diag($sockets);
	$job = FTMPI::Test::Job->run([$cluster->host(1)->inside(@run, '-machinefile', $machines,
			'-iface', 'nosuch0', '-n', 6, program('pi'))], deadline => 60);
	ok($job->status == 1 || $job->status == 2, 'an interface that is not there: an error status')
		or diag($job->saw);
	$job->err_like(qr/\Aftmpirun: .*nosuch0.*\n\z/, 'an interface that is not there');
	must_run('ip', '-n', $_->[1], 'addr', 'del', $_->[0], 'dev', 'eth0') for @added;
};

subtest '-ports across hosts' => sub {
	my $job = waiting_job(6,
		$cluster->host(1)->inside(@run, '-machinefile', $machines, '-ports', '46200-46209'));
	my $sockets = must_run($cluster->host(2)->inside('ss', '-H', '-l', '-t', '-n'));
	$job->signal('TERM');
	$job->finish;
	my $address = quotemeta $cluster->host(2)->address;
	my @ports = grep { $_ != 22 } $sockets =~ /\s$address:(\d+)\s/g;
	is(scalar @ports, 4, 'the two ranks of node2 listen, for data and for heartbeats') or diag($sockets);
	is_deeply([grep { $_ < 46200 || $_ > 46209 } @ports], [], 'only in the range');
};

subtest 'a slow link is only slow' => sub {
	$cluster->host(2)->slow('20mbit');
	my $job = FTMPI::Test::Job->run([$cluster->host(1)->inside(@run, '-machinefile', $machines,
			'-n', 6, program('randtest'), '-cases', 60, '-max-bytes', 100000)]);
	$job->well(qr/^randtest: 60 cases right/m, 'random cases at 20 Mbit/s');
	$cluster->host(2)->full_speed;
};

subtest 'random cases across hosts' => sub {
	for my $p (3, 5, 6) {
		my $job = FTMPI::Test::Job->run([$cluster->host(1)->inside(@run, '-machinefile', $machines,
				'-n', $p, program('randtest'), '-cases', 400, '-max-bytes', 100000, '-seed',
				700 + $p)], deadline => 300);
		$job->well(qr/^randtest: 400 cases right/m, "$p ranks on 3 hosts");
	}
};

done_testing();
