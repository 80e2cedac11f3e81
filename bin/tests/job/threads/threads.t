# SPDX-License-Identifier: BSD-3-Clause
#
# The threads of a rank: the program's own, several at once, and the one that makes progress while the
# program computes.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program sanitized);

# ---- everything at once ----

my $slow = sanitized('threads') ? 10 : 1;

sub threads
{
	my ($ranks, $rounds, $seed, %env) = @_;
	my $name = join(' ', "$ranks ranks, seed $seed", map { "$_=$env{$_}" } sort keys %env);
	my $n = int($rounds / $slow);
	FTMPI::Test::Job->run(
		[ ftmpirun(), '-n', $ranks, program('threads'), $n, '-seed', $seed ], env => \%env)
		->well(qr/^threads: right, $ranks ranks, multiple, $n rounds, seed $seed$/m, $name);
	return;
}

for my $ranks (1, 2, 3, 5) {
	threads($ranks, 1000, 1);
	threads($ranks, 600, 2, FTMPI_SPIN_US => 0);
	threads($ranks, 400, 3, FTMPI_EAGER_LIMIT => 0);
	threads($ranks, 400, 4, FTMPI_EAGER_LIMIT => 0, FTMPI_SPIN_US => 0);
}

# Where threads meet most closely: one kind of activity in all of them.
for my $only ('pool', 'parcels', 'communicators', 'error codes', 'inquiries', 'errors', 'cancelled') {
	FTMPI::Test::Job->run(
		[ ftmpirun(), '-n', 2, program('threads'), 500 / $slow, '-only', $only ])
		->well(qr/^threads: right, /m, "nothing but $only");
}

for my $level ('single', 'funneled', 'serialized') {
	FTMPI::Test::Job->run([ ftmpirun(), '-n', 2, program('threads'), 100, '-level', $level ])
		->well(qr/^threads: right, 2 ranks, $level, 100 rounds/m, "MPI_Init_thread: $level");
}

# ---- many that send at once ----

# Messages that a rank gets: a thread each, or 16, and lengths of 1, 4, 16, ... ints. So many threads that compute may
# keep a core from those that beat, on a slow machine.
sub many
{
	my ($case, $ranks, $blocks, $rounds, $longest, $spin, %env) = @_;
	my $threads = $ranks * $blocks;
	my $lengths = 1 + int(log($longest) / log(4) + 0.5);
	my $n = $threads * $rounds * $lengths * ($case eq 'window' ? 16 : 1);
	my $name = join ' ', "$case, $ranks ranks, $threads threads", $spin ? 'that spin' : (), %env;
	FTMPI::Test::Job->run(
		[
			ftmpirun(), '-n', $ranks, '-heartbeat', 0, program('threads_many'), $case,
			'-blocks', $blocks, '-rounds', $rounds, '-longest', $longest, $spin ? '-spin' : ()
		],
		env => \%env)->well(qr/^threads_many: right, $case, $threads threads, $n messages$/m, $name);
	return;
}

my $long = $slow > 1 ? 1 << 14 : 1 << 18;

for my $case ('each', 'one') {
	many($case, 1, 8, 4, $long, 0);
	many($case, 2, 8, 4, $long, 0);
	many($case, 5, 1, 4, $long, 0);
	many($case, 4, 2, 4, 1 << 16, 0, FTMPI_SPIN_US => 0);
	many($case, 3, 2, 4, 1 << 16, 0, FTMPI_EAGER_LIMIT => 0);
	many($case, 4, 1, 1, 1 << 14, 1);
}
for my $ranks (1, 2, 4, 8) {
	many('window', $ranks, 8 / $ranks, 40 / $slow, 64, 0);
	many('window', $ranks, 8 / $ranks, 40 / $slow, 64, 0, FTMPI_SPIN_US => 0);
}

# ---- the one that makes progress ----

FTMPI::Test::Job->run([ ftmpirun(), '-n', 2, program('progress') ])
	->well(qr/^progress: right, 20 rounds$/m, 'a rendezvous while both sides compute');

# ---- nobody is forgotten asleep ----

# case, ranks, how long waiting threads look before they sleep.
for my $wake (['gathered', 2, 0], ['full', 2, 3000], ['swallowed', 1, 0], ['left', 2, 0], ['untold', 1, 0],
	['probed', 1, 0])
{
	my ($case, $ranks, $spin) = @$wake;
	FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('threads_wake'), $case],
		env => {FTMPI_SPIN_US => $spin})
		->well(qr/^threads_wake: right, $case$/m, "wakeup: $case");
}

# ---- how ranks with threads end ----

sub ends
{
	my ($case) = @_;
	return FTMPI::Test::Job->run([ftmpirun(), '-n', 2, program('threads_exit'), $case],
		env => {FTMPI_SPIN_US => 0}, deadline => 60);
}

my $early = qr/MPI_Finalize was called while another thread is inside an MPI call: /;

# case, status, what the rank says
for my $end (
	['fatal',           6,  qr/MPI_Send: MPI_ERR_RANK: rank 2 is not in communicator /],
	['abort',           7,  qr/MPI_Abort was called with error code 7$/m],
	['finalize-inside', 16, $early],
	['finalize-called', 16, $early])
{
	my ($case, $status, $sentence) = @$end;
	my $job = ends($case);
	$job->is_status($status, $case);
	$job->err_like(qr/^rank 1 on \S+: $sentence/m, $case);
	$job->err_lines(2, "$case: the rank's sentence, once, and ftmpirun's");
	$job->none_left($case);
}

# MPI 5.0 section 11.2.2 would have the main thread do it, and does not insist.
ends('finalize-elsewhere')
	->well(qr/^threads_exit: finalized by another thread$/m, 'MPI_Finalize by another thread');

ends('fork')->well(qr/^threads_exit: right, with children$/m, 'children that let MPI be');

{
	my $job = ends('fork-call');
	$job->is_status(0, 'children that call MPI');
	$job->out_like(qr/^threads_exit: right, with children$/m, 'the rank goes on');
	$job->err_like(qr/^rank 1 on \S+: $_ was called in a child process .*: the child is ended$/m, $_)
		for 'MPI_Comm_rank', 'MPI_Finalize', 'MPI_Init';
	$job->none_left('children that call MPI');
}

done_testing();
