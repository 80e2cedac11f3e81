# SPDX-License-Identifier: BSD-3-Clause
#
# How jobs over two hosts end: signals at many moments, hosts whose disk is full, an ssh that is
# refused. Nothing of a job is left on a host or on the way to it. With FTMPI_TEST_EVERY (make
# check-long) at more moments, and a host that falls silent.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(must_run);
use FTMPI::Test::StopAt  qw(stop_at moments of_a_job);
use FTMPI::Test::Turns   qw(in_turn);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

use constant AT_ONCE => 4;

my $cluster = FTMPI::Test::Cluster->new(hosts => 3);
my @run     = (ftmpirun(), '-ssh', $cluster->ssh, '-host', 'node1:2,node2:2', '-n', 4);
my $every   = $ENV{FTMPI_TEST_EVERY};
my $fired   = $cluster->dir . '/fired';

# The job runs on node1 and node2, ftmpirun on node3.
sub start
{
	my ($command, %option) = @_;
	return FTMPI::Test::Job->start([$cluster->host(3)->inside(@$command)], deadline => 60, %option);
}

sub all_moments
{
	my $job = start([@run, program('pi'), 1000], env => stop_at($fired, 'list'))->finish;
	$job->well(qr/^pi: right, .* 4 ranks/m, 'a job over two hosts');
	my %seen;
	my @all = moments($fired);
	my @some = grep { !$seen{$_}++ } @all;
	return $every ? @some : of_a_job(@some);
}

my @moments = all_moments();
cmp_ok(scalar @moments, '>', 15, 'there are moments') or diag("@moments");

for my $case (['INT:group', 130, 0], ['KILL:self', 137, 1]) {
	my ($shot, $status, $turn) = @$case;
	subtest "$shot at moments" => sub {
		my @left = in_turn($turn, 2, @moments);
		while (my @some = splice @left, 0, AT_ONCE) {
			my @jobs = map { [$_, start([@run, program('pi'), 1000],
					env => stop_at("$fired.$_", "$shot:$_"))] } @some;
			for my $pair (@jobs) {
				my ($moment, $job) = @$pair;
				$job->finish;
				my $good = !$job->{late} && $job->only_the_signal;
				$good &&= $job->status == $status || $job->status == 0 && $job->out =~ /^pi: right/m;
				$job->verdict($good, "$shot at $moment: status $status or its own end, and no other word");
			}
			$cluster->at_rest("$shot at @some") or last;
		}
	};
}

# A tiny file system that is full, on a directory of a host.
sub fill
{
	my ($host, $dir) = @_;
	must_run($host->inside('sh', '-c', 'mount -t tmpfs -o size=64k tmpfs "$1" && cd "$1" && '
				. '{ cat /dev/zero >fill; test -s fill; }', 'sh', $dir));
	return;
}

sub unmount
{
	my ($host, $dir) = @_;
	must_run($host->inside('umount', $dir));
	return;
}

subtest 'a full disk' => sub {
	my $work = $cluster->dir . '/work';
	mkdir $work or die "$work: $!\n";
	for my $place ('/var/tmp', '/dev/shm', $work) {
		fill($cluster->host($_), $place) for 1 .. 3;
		my $job = start([@run, '-workdir', $work, program('pi'), 1000])->finish;
		# who may want to make lines is told that there can be none
		my $told = $job->{err} =~ s/^ftmpirun: host node\d cannot write in the work directory \Q$work\E [^\n]*\n//mg;
		ok($place eq $work || !$told, "$place is full everywhere: only of the work directory is told") or diag($job->saw);
		$job->well(qr/^pi: right, .* 4 ranks/m, "$place is full everywhere: no job needs it");
		my $writer = 'cat /dev/zero >"$1/mine.$FTMPI_RANK" || exit 9';
		$job = start([@run, 'sh', '-c', $writer, 'sh', $place])->finish;
		$job->is_status(9, "$place is full: a rank that writes there");
		$job->err_like(qr/No space left on device.*^ftmpirun: rank \d on node\d exited with status 9/ms,
			'... its words arrive, and the sentence');
		$cluster->at_rest("$place is full");
		unmount($cluster->host($_), $place) for 1 .. 3;
	}
};

subtest 'a key that is refused' => sub {
	my $ssh = $cluster->ssh =~ s/user_key/host_key/r;
	my $job = start([ftmpirun(), '-ssh', $ssh, '-host', 'node1', '-n', 1, 'true'])->finish;
	$job->is_status(1, 'a key that is refused');
	$job->err_like(qr/\Aftmpirun: host node1: cannot start: \N*Permission denied \(publickey\)\N*\n\z/,
		'a key that is refused');
	$cluster->at_rest('a key that is refused');
};

# Its agent is stopped for good: after 20 s the job is ended, and the guard there sees to the rest.
subtest 'a host that falls silent' => sub {
	plan skip_all => 'it takes half a minute: make check-long' if !$every;
	my $job = start([@run, 'sh', '-c', 'echo ready; sleep 1000']);
	$job->wait_for(out => qr/(?:ready\n){4}/);
	my @agents = grep { FTMPI::Test::Process::slurp("/proc/$_/comm") eq "ftmpi-agent\n" }
		$cluster->host(2)->pids;
	is(scalar @agents, 1, 'the agent is there');
	kill 'STOP', @agents;
	$job->finish;
	$job->is_status(1, 'a host that falls silent');
	is($job->err, "ftmpirun: lost the connection to host node2 (no answer for 20 s); the job is ended.\n",
		'one sentence');
	$cluster->at_rest('a host that falls silent');
};

done_testing();
