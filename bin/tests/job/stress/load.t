# SPDX-License-Identifier: BSD-3-Clause
#
# High load: many ranks, many unexpected messages, a sender far ahead of its receiver, a rank that does nothing
# for long; and scarce memory and descriptors. bin/tests/long/load.t has the large forms.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use POSIX ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun program sanitized);
use FTMPI::Test::Process qw(wait_until);

my $scratch   = File::Temp->newdir;
my $sanitized = sanitized('load');

# The command of a case.
sub load
{
	my ($ranks, @words) = @_;
	return [ ftmpirun(), '-n', $ranks, program('load'), @words ];
}

sub right
{
	my ($ranks, $case, @words) = @_;
	FTMPI::Test::Job->run(load($ranks, $case, @words))
		->well(qr/^load: right, $case, $ranks ranks$/m, join(' ', "$ranks ranks:", $case, @words));
	return;
}

my $fifos = 0;

sub fifo
{
	my $path = "$scratch/fifo" . ++$fifos;
	POSIX::mkfifo($path, 0600) or die "$path: $!\n";
	return $path;
}

# All ranks with all. A sanitizer takes memory and time of its own for each.
my ($many, $more) = $sanitized ? (16, 24) : (64, 128);
right($many, 'alltoall', '-bytes', 4, '-rounds', 10);
right($many, 'alltoall', '-bytes', 4096, '-rounds', 3);
right($more, 'alltoall', '-bytes', 4, '-rounds', 3);
right($more, 'alltoall', '-bytes', 4096, '-rounds', 1);
right($more, 'everyone');

# What they share: two rings for a pair, and a page for each. Longer messages are read where they lie, and fill no ring.
right($many, 'shared', '-bytes', 32768, '-rounds', 3, '-kib', $many == 64 ? 256 << 10 : 16 << 10);

# Messages that wait for receives, receives that wait for messages, in six orders.
my $waiting = $sanitized ? 1000 : 10000;
right(2, 'unexpected', '-messages', $waiting);
right(2, 'posted',     '-messages', $waiting);

# A sender far ahead. What a sanitizer keeps is not the library's.
if (!$sanitized) {
	right(2, 'flood', '-messages', 200000);
	right(2, 'flood-requests', '-messages', 50000);
	my $job = FTMPI::Test::Job->run(load(2, 'flood'), env => { FTMPI_UNEXPECTED_LIMIT => 2 << 20 });
	$job->is_status(1, 'fewer messages than the limit lets through');
	$job->err_like(qr/WRONG: 10000 messages nobody receives/, 'so the limit is what stops others');
}

# A rank that is held, after MPI_Init or before: the others go on without it.
right(3, $_, '-file', fifo(), '-rounds', 2000) for qw(held late);

# It may take longer than any handshake would, and longer than FTMPI_CONNECT_MS.
{
	my $fifo = fifo();
	my $job = FTMPI::Test::Job->start(
		[ ftmpirun(), '-vv', '-n', 3, program('load'), 'later', '-file', $fifo ],
		env => { FTMPI_CONNECT_MS => 10 });
	my $waited = $job->wait_for(err => qr/^rank 0 on \S+: handshake to peer 2: no answer yet$/m);
	ok($waited, 'rank 0 waits for a rank that has not called MPI_Init') or diag($job->saw);
	my $out;
	ok(wait_until(30, sub { sysopen $out, $fifo, POSIX::O_WRONLY() | POSIX::O_NONBLOCK() }), 'rank 2 comes to its file');
	$job->finish;
	$job->is_status(0, 'a rank that is later than its peers wait');
	$job->out_like(qr/^load: right, later, 3 ranks$/m, 'a rank that is late');
	$job->none_left('a rank that is late');
}

# Ranks whose limit of descriptors is this.
sub with_descriptors
{
	my ($limit, $ranks, %env) = @_;
	return FTMPI::Test::Job->run(
		[ ftmpirun(), '-n', $ranks, 'sh', '-c', "ulimit $limit; exec \"\$0\" everyone",
			program('load') ], env => \%env);
}

# 3 streams, 10 of the library's own, one for each of the others, and some while two ranks connect to
# each other at the same time, which takes so long under a sanitizer that a shortage is told
my $enough = sanitized('load') ? 60 : 40;
with_descriptors("-n $enough", 20)
	->well(qr/^load: right, everyone, 20 ranks$/m, "20 ranks, $enough descriptors");
with_descriptors('-S -n 20', 30)->well(qr/^load: right, everyone, 30 ranks$/m,
	'30 ranks, a soft limit of 20 descriptors, which the library raises');
{
	my $job = with_descriptors('-n 20', 30, FTMPI_CONNECT_MS => 2000);
	$job->is_status(1, '30 ranks, 20 descriptors');
	my $reason = qr/too many open files: this process may have 20; raise the limit \(ulimit -n\)/;
	my $turned_away = qr/rank \d+ on \S+: other ranks cannot connect: $reason/;
	my $cannot = qr/ftmpirun: connection between \N+ broke: $reason/;
	$job->err_like(qr/^(?:$turned_away|$cannot)/m, '30 ranks, 20 descriptors');
	$job->err_like(qr/^ftmpirun: connection between rank \d+ on \S+ and rank \d+ on \S+ broke: /m,
		'30 ranks, 20 descriptors');
	$job->none_left('30 ranks, 20 descriptors');

	# rank 0 alone is short of them, and only accepts
	$job = FTMPI::Test::Job->run([ ftmpirun(), '-n', 30, 'sh', '-c',
			'test $FTMPI_RANK != 0 || ulimit -n 20; exec "$0" towards', program('load') ],
		env => { FTMPI_CONNECT_MS => 3000 });
	$job->is_status(1, 'rank 0 with 20 descriptors');
	$job->err_like(qr/^$turned_away/m, 'rank 0 with 20 descriptors');
	$job->none_left('rank 0 with 20 descriptors');
	# a connection is accepted, and there is no memory to go on with it
	$job = FTMPI::Test::Job->run(load(2, 'everyone'), env => { FTMPI_FAULT => 'short-handshake:*:0:*:ENOMEM', FTMPI_CONNECT_MS => 3000 });
	$job->is_status(1, 'no memory for handshakes');
	$job->err_like(qr/^rank \d+ on \S+: other ranks cannot connect: out of memory; /m, 'no memory for handshakes');
	$job->none_left('no memory for handshakes');
	$job = with_descriptors('-n 12', 2);
	$job->is_status(1, 'too few descriptors for MPI_Init');
	$job->err_like(qr/^rank \d on \S+: MPI_Init: too many open files: this process may have 12; /m,
		'too few descriptors for MPI_Init');
}

# The launcher and its agent: enough, or a sentence.
for my $limit (12, 20, 31, 32, 40, 64, 67, 68, 100) {
	my $name = "ftmpirun with $limit descriptors";
	my $job = FTMPI::Test::Job->run([ 'sh', '-c', "ulimit -n $limit; exec \"\$\@\"", 'sh',
		@{ load(2, 'everyone') } ]);
	if ($limit >= 68) {
		$job->well(qr/^load: right, everyone, 2 ranks$/m, $name);
		next;
	}
	$job->is_status(1, $name);
	$job->err_like(qr/\Aftmpirun: (?:host \S+: )?cannot \N+limit \N*\b$limit \(ulimit -n\)\N*\n\z/, $name);
	$job->none_left($name);
}

# Little memory: all is well, or one error that says so, and nobody crashes or waits.
my @room = (0, 200, 400, 500, map({ 600 + 100 * $_ } 0 .. 9), 8192);
my $no_memory = qr/^(?:ftmpirun: (?:rank \d on \S+ called MPI_Abort with code 9|connection \N+ broke: \N*(?:no|out of|allocate) memory)|rank \d on \S+: other ranks cannot connect: out of memory)/m;
my $short = 0;
for my $kib ($sanitized ? () : @room) {
	my $name = "$kib KiB more than MPI_Init took";
	my $job = FTMPI::Test::Job->run(load(4, 'memory', '-kib', $kib), deadline => 60);
	if ($job->status == 0) {
		$job->well(qr/^load: right, memory, 4 ranks$/m, $name);
		next;
	}
	$short++;
	$job->err_like($no_memory, $name);
	$job->none_left($name);
}
cmp_ok($short, '>', 2, 'memory was short in some of them') if !$sanitized;

done_testing();
