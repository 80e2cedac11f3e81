# SPDX-License-Identifier: BSD-3-Clause
#
# How jobs end: when a rank exits, aborts or is killed, the others are ended and a sentence names rank, host and
# status; a signal to ftmpirun ends the whole job; no process is left in any case.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use POSIX ();
use Test::More;

use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(marked_pids);

my @run = (ftmpirun(), '-n', 4, program('badcall'));

# status, sentence of ftmpirun, arguments
my @ends = (
	[3, qr/rank 3 on \S+ exited with status 3\b/, 'exit'],
	[1, qr/rank 3 on \S+ exited without calling MPI_Finalize\b/, 'exit', '-code', 0],
	[5, qr/rank 0 on \S+ exited with status 5\b/, 'exit', '-rank', 0, '-code', 5],
	[7, qr/rank 1 on \S+ called MPI_Abort with code 7\b/, 'abort', '-rank', 1, '-code', 7],
	[137, qr/rank 3 on \S+ was killed by signal 9 \(Killed\)/, 'signal'],
	[139, qr/rank 2 on \S+ was killed by signal 11\b/, 'signal', '-signal', 11, '-rank', 2],
	[143, qr/rank 2 on \S+ was killed by signal 15\b/, 'signal', '-signal', 15, '-rank', 2],
	[4, qr/rank 1 on \S+ exited with status 4\b/, 'exit-before-init', 4],
	[1, qr/rank 1 on \S+ exited with status 0 without calling MPI_Init\b/, 'exit-before-init', 0],
	[9, qr/rank 3 on \S+ exited with status 9\b/, 'exit-late', '-code', 9],
);

for my $end (@ends) {
	my ($status, $sentence, @args) = @$end;
	my $name = "badcall @args";
	my $job = FTMPI::Test::Job->run([@run, @args], deadline => 30);
	$job->is_status($status, $name);
	$job->err_like(qr/^ftmpirun: $sentence/m, $name);
	my $own = () = $job->err =~ /^ftmpirun: /mg;
	is($own, 1, "$name: one sentence of ftmpirun") or diag($job->saw);
	$job->none_left($name);
}

# A job whose ranks are in the middle of something.
sub running
{
	my ($case, @option) = @_;
	my $job = FTMPI::Test::Job->start([ftmpirun(), '-n', 4, @option, program('badcall'), $case],
		deadline => 60);
	$job->wait_for(out => qr/^rank $_ (?:waits|computes)$/m) or return for 0 .. 3;
	return $job;
}

for my $case ('hang', 'spin', 'stubborn') {
	for my $signal (['INT', 130], ['TERM', 143], ['HUP', 129]) {
		my $job = running($case) or BAIL_OUT('a job does not start');
		$job->signal($signal->[0]);
		$job->finish;
		$job->is_status($signal->[1], "$case, SIG$signal->[0] to ftmpirun");
		$job->none_left("$case, SIG$signal->[0] to ftmpirun");
	}
	my $job = running($case);
	$job->signal('KILL');
	$job->finish;
	$job->none_left("$case, SIGKILL to ftmpirun");
}

# Pids of the job's processes whose command line matches.
sub those
{
	my ($job, $pattern) = @_;
	return grep { FTMPI::Test::Process::process_name($_) =~ $pattern } $job->pids;
}

{
	my $job = running('hang');
	my ($victim) = those($job, qr/^\d+ \(\S+badcall hang/);
	kill 'KILL', $victim;
	$job->finish;
	$job->is_status(137, 'a rank is killed from outside');
	$job->err_like(qr/^ftmpirun: rank \d on \S+ was killed by signal 9/m, 'a rank is killed');
	$job->none_left('a rank is killed from outside');
}

{
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 2, '-timeout', 1, program('badcall'), 'hang'],
		deadline => 30);
	$job->is_status(124, '-timeout 1');
	$job->err_like(qr/^ftmpirun: the job did not end within 1 s \(-timeout\)/m, '-timeout 1');
	$job->none_left('-timeout 1');
}

done_testing();
