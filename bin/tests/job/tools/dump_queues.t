# SPDX-License-Identifier: BSD-3-Clause
#
# ftmpirun -dump: on SIGUSR1 each rank prints the operations that it waits for, whatever it is doing, and goes
# on.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);
use FTMPI::Test::Process qw(patience);

sub start
{
	my ($ranks, $case, @options) = @_;
	my $job = FTMPI::Test::Job->start([ftmpirun(), '-n', $ranks, @options, program('dump_queues'), $case],
		deadline => 90);
	$job->wait_for(out => qr/^rank $_ /m) for 0 .. $ranks - 1;
	return $job;
}

# A rank says that it waits before it does, and nobody sees when: ask until what each rank answers
# last is like its pattern (ranks without one may answer anything).
sub ask
{
	my ($job, $ranks, %waits) = @_;
	my $until = time + patience(60);
	my $answers = () = $job->err =~ /^rank 0 on \S+: queues: /mg;
	while (1) {
		$answers++;
		$job->signal('USR1');
		$job->wait_for(err => qr/^rank $_ on \S+: queues: /m, $answers) for 0 .. $ranks - 1;
		my @not = grep { my $rank = $_; !grep { /$waits{$rank}/ } lines_of($job, $rank) } sort keys %waits;
		@not or return;
		if (time > $until) {
			diag($job->saw);
			die "rank(s) @not: not seen to wait\n";
		}
	}
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

# the rank's last answer
sub lines_of
{
	my ($job, $rank) = @_;
	my @lines = map { /^rank $rank on \S+: (.*)/ ? $1 : () } split /\n/, $job->err;
	my @ends = grep { $lines[$_] =~ /^queues: / } 0 .. $#lines;
	return sort @lines[($#ends > 0 ? $ends[-2] + 1 : 0) .. $ends[-1]];
}

my $for = qr/, for \d+\.\d{3} s/;

# Without times, and without what others' barrier sends: that comes when it likes.
sub own
{
	return map { s/$for|, \d+ messages.*//r } grep { !/collective operation/ } @_;
}

# All that the rank says, in any order; but for how long, and numbers of collective operations.
sub says
{
	my ($job, $rank, $name, @want) = @_;
	my @said = sort map { s/$for//r =~ s/collective operation \K\d+/N/r } lines_of($job, $rank);
	is_deeply(\@said, [sort @want], $name) or diag($job->saw);
	return;
}

subtest 'every kind of waiting' => sub {
	my $job = start(4, 'p2p', '-dump');
	my $barrier = qr/^receive from rank \d, collective operation \d+, MPI_COMM_WORLD, 0 bytes$for$/;
	ask($job, 4, 0 => qr/^queues: 4 operations/, 1 => qr/^queues: 0/, 2 => $barrier, 3 => $barrier);
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
	my @own = own(@zero);
	is(scalar @own, scalar @want, 'and nothing else of its own') or diag(join "\n", @zero);
	is(scalar(grep { /^queues: 0 operations not done/ } lines_of($job, 1)), 1, 'a rank that computes answers');
	is(scalar(grep { /$barrier/ } lines_of($job, $_)), 1, "rank $_ shows what its barrier waits for") for 2, 3;
	ask($job, 4);
	is_deeply([own(lines_of($job, 0))], \@own, 'asked again, the same answer');
	end($job, 'every kind of waiting');
};

subtest 'what is no plain message, and what is not waited for' => sub {
	my $job = start(2, 'odd', '-dump');
	my $last = qr/^receive from any rank, tag 99, MPI_COMM_WORLD, 0 bytes$for$/;
	ask($job, 2, 0 => $last, 1 => $last);
	says($job, 0, 'rank 0 says what it has, and counts it',
		'an operation that is no single message, of no communicator',
		'an operation that is no single message, the barrier',
		'receive from rank 1, collective operation N, the barrier, 0 bytes',
		'receive from any rank, tag 99, MPI_COMM_WORLD, 0 bytes',
		'message without a receive from rank 1, tag 1, MPI_COMM_WORLD, 4 bytes, found by MPI_Mprobe',
		'message without a receive from rank 1, tag 2, MPI_COMM_WORLD, 4 bytes',
		'message without a receive from rank 1 of the world, tag 3, unknown communicator, 4 bytes',
		'queues: 4 operations not done, 3 messages without a receive');
	end($job, 'what is no plain message');
};

subtest 'all wait in the kernel' => sub {
	my $job = start(3, 'wait', '-dump');
	my $receive = qr/^receive from any rank, tag 99, MPI_COMM_WORLD, 0 bytes$for$/;
	ask($job, 3, map { $_ => $receive } 0 .. 2);
	says($job, $_, "rank $_ says what it waits for", 'receive from any rank, tag 99, MPI_COMM_WORLD, 0 bytes',
		'queues: 1 operation not done, 0 messages without a receive') for 0 .. 2;
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
