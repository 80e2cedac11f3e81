# SPDX-License-Identifier: BSD-3-Clause
#
# ftmpirun -dump: on SIGUSR1 ranks print what they wait for, whatever they do, and go on.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

sub start
{
	my ($ranks, $case, @options) = @_;
	my $job = FTMPI::Test::Job->start([ftmpirun(), '-n', $ranks, @options, program('stuck'), $case],
		deadline => 90);
	$job->wait_for(out => qr/^rank $_ /m) for 0 .. $ranks - 1;
	return $job;
}

sub ask
{
	my ($job, $ranks, $times) = @_;
	$job->signal('USR1');
	$job->wait_for(err => qr/(?:^rank $_ on \S+: queues: .*){$times}/ms) for 0 .. $ranks - 1;
	return;
}

sub end
{
	my ($job, $name) = @_;
	$job->signal('TERM');
	$job->finish;
	$job->is_status(128 + 15, "$name: ended by SIGTERM");
	$job->none_left($name);
	return;
}

sub lines_of
{
	my ($job, $rank) = @_;
	return sort map { /^rank $rank on \S+: (.*)/ ? $1 : () } split /\n/, $job->err;
}

my $for = qr/, for \d+\.\d{3} s/;

subtest 'every kind of waiting' => sub {
	my $job = start(4, 'p2p', '-dump');
	ask($job, 4, 1);
	my @zero = lines_of($job, 0);
	my @want = (
		qr/^message without a receive from rank 0 \(1 of the world\), tag 6, the pair, 100 bytes$for$/,
		qr/^message without a receive from rank 1, tag 5, MPI_COMM_WORLD, 4 bytes$for$/,
		qr/^queues: 4 operations not done, \d+ messages without a receive$/,
		qr/^receive from any rank, any tag, MPI_COMM_SELF, 1048576 bytes$for$/,
		qr/^receive from rank 0 \(1 of the world\), tag 7, the pair, 20 bytes$for$/,
		qr/^receive from rank 2, tag 8, MPI_COMM_WORLD, 32 bytes$for$/,
		qr/^send to rank 0 \(1 of the world\), tag 11, the pair, 1048576 bytes$for$/,
	);
	for my $pattern (@want) {
		my @found = grep { /$pattern/ } @zero;
		is(scalar @found, 1, "rank 0 says: $pattern") or diag($job->saw);
	}
	# in a barrier messages of other ranks may have come, too
	is(scalar(grep { !/collective operation/ } @zero), scalar @want, 'and nothing else of its own');
	$job->err_like(qr/^rank 1 on \S+: queues: 0 operations not done/m, 'a rank that computes answers');
	$job->err_like(qr/^rank $_ on \S+: receive from rank \d, collective operation \d+, MPI_COMM_WORLD, 0 bytes$for$/m,
		"rank $_ shows what its barrier waits for") for 2, 3;
	ask($job, 4, 2);
	end($job, 'every kind of waiting');
};

subtest 'all wait in the kernel' => sub {
	my $job = start(3, 'wait', '-dump');
	ask($job, 3, 1);
	for my $rank (0 .. 2) {
		$job->err_like(qr/^rank $rank on \S+: receive from any rank, tag 99, MPI_COMM_WORLD, 0 bytes$for$/m,
			"rank $rank says what it waits for");
	}
	end($job, 'all wait in the kernel');
};

subtest 'without -dump' => sub {
	my $job = start(2, 'wait');
	$job->signal('USR1');
	$job->wait_for(err => qr/^ftmpirun: SIGUSR1 has no effect: .*-dump\.$/m);
	end($job, 'without -dump');
	unlike($job->err, qr/queues:/, 'no rank prints anything');
};

done_testing();
