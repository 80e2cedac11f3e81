# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs across the hosts of the cluster of namespaces, over ssh.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Cluster  ();
use FTMPI::Test::Job      qw(ftmpirun program);
use FTMPI::Test::Programs qw(check_program all_programs);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

my $cluster = FTMPI::Test::Cluster->new(hosts => 4);
my $names   = $cluster->machine_file(map { "node$_ slots=4" } 1 .. 4);
my $numbers = $cluster->machine_file(map { $cluster->host($_)->address . ':4' } 1 .. 4);
my @run     = (ftmpirun(), '-ssh', $cluster->ssh);

for my $name (all_programs()) {
	subtest "$name from a host of the cluster" => sub {
		# one slot a host, so that 4 ranks and more are on all hosts
		my $spread = $cluster->machine_file(map { "node$_" } 1 .. 4);
		for my $p (2, 4, 7, 16) {
			my $machines = $p <= 4 ? $spread : $names;
			check_program($name, $p,
				[$cluster->host(1)->inside(@run, '-machinefile', $machines, '-n', $p)]);
		}
		$cluster->at_rest($name);
	};
}

subtest 'from outside, by address' => sub {
	check_program($_, 16, [$cluster->outside(@run, '-machinefile', $numbers, '-n', 16)])
		for 'init_calls', 'cgs';
	$cluster->at_rest('from outside');
};

subtest 'this machine and others together' => sub {
	my $mixed = $cluster->machine_file('localhost slots=2', 'node2 slots=2', 'node3 slots=2');
	check_program($_, 6, [$cluster->outside(@run, '-machinefile', $mixed, '-n', 6)])
		for 'collective', 'passnum';
	check_program('cgs', 6, [$cluster->host(1)->inside(@run, '-machinefile', $mixed, '-n', 6)]);
	$cluster->at_rest('mixed');
};

subtest 'the report\'s spelling' => sub {
	my $dir = $cluster->dir . '/work';
	check_program('pi', 8, [$cluster->host(1)->inside(@run, $names, 8, $dir)]);
	ok(-d $dir, 'the work directory was made');
};

subtest 'ranks are placed host by host, and know where they are' => sub {
	my $job = FTMPI::Test::Job->run([$cluster->host(2)->inside(@run, '-machinefile', $names, '-n', 10,
			program('badcall'), 'environment')]);
	my $want = join '', map {
		my ($host, $local) = (1 + int($_ / 4), $_ % 4);
		"rank $_ of 10 on node$host: FTMPI_RANK=$_ FTMPI_SIZE=10 FTMPI_LOCAL_RANK=$local\n"
	} 0 .. 9;
	is(join('', sort { ($a =~ /(\d+)/)[0] <=> ($b =~ /(\d+)/)[0] } $job->out =~ /(.*\n)/g),
		$want, 'all ten') or diag($job->saw);
	is($job->err, '', 'quiet');
};

subtest 'environment, working directory, output' => sub {
	my @sh = ('sh', '-c', 'echo $(hostname) $(pwd) a=$A b=$B c=$C');
	my $job = FTMPI::Test::Job->run([$cluster->host(1)->inside(@run, '-host', 'node3', '-n', 1, '-x',
			'A', '-x', 'B=two words', '-wdir', '/usr/lib', @sh)], env => {A => 'one', C => 'three'});
	$job->well(qr{\Anode3 /usr/lib a=one b=two words c=\n\z}, '-x and -wdir');
	$job = FTMPI::Test::Job->run([$cluster->host(1)->inside(@run, '-machinefile', $names, '-n', 16,
			'-tag-output', 'sh', '-c', 'i=0; while [ $i -lt 200 ]; do i=$((i+1)); '
				. 'echo "line $i of a text that is not short, by $FTMPI_RANK"; done')]);
	is($job->status, 0, 'much output') or diag($job->saw);
	my %seen;
	for my $line (split /\n/, $job->out) {
		my ($tag, $i, $rank) = $line =~ /^\[(\d+)\] line (\d+) of a text that is not short, by (\d+)$/;
		$seen{$rank}{$i}++ if defined $tag && $tag == $rank;
	}
	is(scalar(grep { keys %{$seen{$_}} == 200 } 0 .. 15), 16, 'every line whole, from every rank');
	is(scalar(my @lines = $job->out =~ /\n/g), 3200, 'and none twice');
	$job = FTMPI::Test::Job->run([$cluster->host(1)->inside(@run, '-machinefile', $names, '-n', 3,
			'cat')], stdin => "to rank 0\n");
	$job->well(qr/\Ato rank 0\n\z/, 'standard input goes to rank 0');
	$cluster->at_rest('output');
};

subtest 'ends across hosts' => sub {
	my @bad = ($cluster->host(1)->inside(@run, '-machinefile', $names, '-n', 8), program('badcall'));
	for my $end ([3, qr/rank 7 on node2 exited with status 3\b/, 'exit'],
		[7, qr/rank 5 on node2 called MPI_Abort with code 7\b/, 'abort', '-rank', 5, '-code', 7],
		[137, qr/rank 6 on node2 was killed by signal 9\b/, 'signal', '-rank', 6],
		[139, qr/rank 0 on node1 was killed by signal 11\b/, 'signal', '-rank', 0, '-signal', 11]) {
		my ($status, $sentence, @args) = @$end;
		my $job = FTMPI::Test::Job->run([@bad, @args], deadline => 60);
		$job->is_status($status, "@args");
		$job->err_like(qr/^ftmpirun: $sentence/m, "@args");
		$job->none_left("@args");
		$cluster->at_rest("@args");
	}
};

# A job that runs on all four hosts.
sub running
{
	my ($case) = @_;
	my $job = FTMPI::Test::Job->start([$cluster->host(1)->inside(@run, '-machinefile', $names, '-n',
			16, program('badcall'), $case)], deadline => 60);
	$job->wait_for(out => qr/^rank $_ (?:waits|computes)$/m) or last for 0 .. 15;
	return $job;
}

subtest 'signals to ftmpirun reach every host' => sub {
	for my $signal (['INT', 130], ['TERM', 143]) {
		my $job = running('stubborn');
		# nsenter became ftmpirun, so the signal goes to it
		$job->signal($signal->[0]);
		$job->finish;
		$job->is_status($signal->[1], "SIG$signal->[0]");
		$cluster->at_rest("SIG$signal->[0]");
	}
	my $job = running('spin');
	$job->signal('KILL');
	$job->finish;
	$cluster->at_rest('SIGKILL');
};

subtest 'a host that dies ends the job' => sub {
	my $job = running('hang');
	$cluster->host(3)->kill_all;
	$job->finish;
	$job->is_status(1, 'a killed host');
	$job->err_like(qr/^ftmpirun: .*node3/m, 'a killed host');
	$cluster->host(3)->start;
	$cluster->at_rest('a killed host');
};

subtest 'bad input' => sub {
	my @bad = (
		['an unknown host', qr/no-such-node.*resolve/i, 'no-such-node'],
		['a host without sshd', qr/\Q@{[$cluster->address]}\E.*refused/i, $cluster->address],
	);
	for my $case (@bad) {
		my ($name, $sentence, $host) = @$case;
		my $machines = $cluster->machine_file('node2', $host);
		my $job = FTMPI::Test::Job->run([$cluster->host(1)->inside(@run, '-machinefile', $machines,
				'-n', 2, program('pi'))], deadline => 60);
		$job->is_status(1, $name);
		$job->err_like(qr/\Aftmpirun: .*$sentence.*\n\z/, $name);
		$cluster->at_rest($name);
	}
	my $job = FTMPI::Test::Job->run([$cluster->host(1)->inside(@run, '-machinefile', $names, '-n', 5,
			'sh', '-c', 'test -e /run/sshd && exec /nowhere/program')], deadline => 60);
	isnt($job->status, 0, 'a program that a shell cannot find');
	$job = FTMPI::Test::Job->run([$cluster->outside(@run, '-host', 'node4', '-n', 1,
			'/nowhere/program')], deadline => 60);
	$job->is_status(1, 'a program that is missing there');
	$job->err_like(qr{\Aftmpirun: .*node4.*cannot run /nowhere/program: No such file or directory},
		'a program that is missing there');
	$cluster->at_rest('bad input');
};

done_testing();
