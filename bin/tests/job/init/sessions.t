# SPDX-License-Identifier: BSD-3-Clause
#
# The Sessions Model: sessions without MPI_Init, many at once, sessions around the world model; errors; and how
# a program that has sessions ends. fault/sessions.t kills ranks.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Hand ();
use FTMPI::Test::Job  qw(ftmpirun program);

sub sessions
{
	my ($ranks, $case, %option) = @_;
	return FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('sessions'), $case], %option);
}

# ---- right ----

my %words = (
	'errors-with-world' => 'errors with the world',
	'errors-in-init'    => 'errors in init',
	'errors-anytime'    => 'errors at any time',
	'at-exit'           => 'at exit',
);

for my $case (qw(alone again threads around late inside errors-with-world errors errors-in-init
	errors-anytime buffers at-exit steps))
{
	my $says = $case eq 'steps' ? '\d+ after 40 rounds' : $words{$case} // $case;
	for my $ranks (1, 2, 5) {
		sessions($ranks, $case)->well(qr/\Asessions: right, $says, $ranks ranks\n\z/, "$case, $ranks ranks");
	}
}

# Without ftmpirun: alone, and by hand, where MPI_Session_init has to find out for itself what its process
# was started with.
FTMPI::Test::Job->run([program('sessions'), $_])->well(qr/\Asessions: right, .*, 1 ranks\n\z/, "$_, without ftmpirun")
	for qw(alone around late at-exit);

my $base = FTMPI::Test::Hand::free_ports(3);
for my $case (qw(alone around arguments)) {
	my @jobs = map { FTMPI::Test::Hand::start_rank($_, 3, $base, [ program('sessions'), $case ]) } 0 .. 2;
	$_->finish for @jobs;
	$jobs[0]->well(qr/\Asessions: right, $case, 3 ranks\n\z/, "$case, by hand");
	$jobs[$_]->well(qr/\A\z/, "$case, by hand, rank $_") for 1, 2;
}

# ---- ends ----

# A child of a rank that exits takes nothing with it, and must not make a session of its own.
my $job = sessions(2, 'child');
$job->is_status(0, 'children');
$job->out_like(qr/\Asessions: right, child, 2 ranks\n\z/, 'children');
for my $call (qw(MPI_Session_init MPI_Init)) {
	$job->err_like(qr/^rank 1 on \S+: $call was called in a child process of the rank, which must not call MPI: the child is ended$/m,
		"$call in a child");
}

$job = sessions(3, 'status');
$job->is_status(3, 'an exit status, after all sessions were finalized');
$job->out_like(qr/\Asessions: right, status, 3 ranks\n\z/, '... is told at the end');
$job->err_like(qr/\Aftmpirun: rank 1 on \S+ exited with status 3 after MPI_Finalize\.\n\z/, '... and is no failure');

for my $case (qw(open open-beside-world)) {
	$job = sessions(3, $case);
	$job->is_status(1, "$case: a rank leaves with a session");
	$job->err_like(
		qr/^rank 1 on \S+: the process exits with MPI in use: MPI_Session_finalize or MPI_Finalize was not called$/m,
		"$case: it says so");
	$job->err_like(qr/^ftmpirun: rank 1 on \S+ exited without calling MPI_Finalize; the job is ended\.$/m,
		"$case: the job is ended");
}

$job = sessions(2, 'late-call');
$job->is_status(16, 'a call when all sessions were finalized');
$job->err_like(
	qr/^rank \d on \S+: MPI_Group_size was called when every session and the world were finalized: the program is ended$/m,
	'... is named');

# Their error handlers cannot be asked: the initial one ends the job.
for my $case ([ 'world-named', 'MPI_COMM_WORLD', 'without MPI_Init' ], [ 'world-gone', 'MPI_COMM_SELF', 'after MPI_Finalize' ]) {
	my ($how, $comm, $when) = @$case;
	$job = sessions(2, $how);
	$job->is_status(5, "$comm $when");
	$job->err_like(
		qr/^rank \d on \S+: MPI_Comm_size: MPI_ERR_COMM: $comm is there from MPI_Init to MPI_Finalize alone$/m,
		'... is not there');
}

done_testing();
