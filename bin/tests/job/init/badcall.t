# SPDX-License-Identifier: BSD-3-Clause
#
# Wrong arguments and calls at the wrong time: the standard's error class or a sentence, never a
# crash or a hang.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

sub badcall
{
	my ($ranks, @args) = @_;
	return FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('badcall'), @args],
		deadline => 60);
}

# Ended with a status that is not 0, by a sentence, and not by a signal.
sub ended_with_sentence
{
	my ($job, $pattern, $name) = @_;
	ok($job->status > 0 && $job->status < 128, "$name: an error status") or diag($job->saw);
	$job->err_like($pattern, $name);
	$job->none_left($name);
	return;
}

for my $ranks (1, 3) {
	my $job = badcall($ranks, 'arguments');
	$job->well(qr/^badcall: right, \d+ wrong arguments on $ranks ranks$/m,
		"wrong arguments on $ranks ranks");
}

ended_with_sentence(badcall(2, 'fatal'),
	qr/^rank 1 on \S+: MPI_Send: MPI_ERR_RANK: .*rank 2/m,
	'a wrong argument under MPI_ERRORS_ARE_FATAL');
ended_with_sentence(badcall(2, 'fatal-begun'), qr/^rank 1 on \S+: MPI_Send: MPI_ERR_RANK: .*rank 2/m,
	'the same of a communicator that began with it, beside MPI_ERRORS_RETURN of the world');
ended_with_sentence(badcall(2, 'fatal-set'), qr/^rank 1 on \S+: MPI_Comm_size: MPI_ERR_ARG: size is a null pointer/m,
	'a null result where it was set');
ended_with_sentence(badcall(2, 'before-init'), qr/MPI_Comm_rank.*MPI_Init/,
	'a call before MPI_Init');
ended_with_sentence(badcall(2, 'after-finalize'), qr/MPI_Comm_rank.*MPI_Finalize/,
	'a call after MPI_Finalize');
ended_with_sentence(badcall(2, 'init-twice'), qr/rank 1 on \S+: MPI_Init: .*MPI was initialized before/,
	'MPI_Init twice');
ended_with_sentence(badcall(2, 'finalize-twice'), qr/MPI_Finalize/, 'MPI_Finalize twice');

for my $ranks (1, 2, 4) {
	# the program never frees its requests, which is not the library's leak
	local $ENV{ASAN_OPTIONS} = 'detect_leaks=0';
	my $job = badcall($ranks, 'unmatched');
	$job->is_status(0, "MPI_Finalize with unmatched messages on $ranks ranks");
	$job->out_like(qr/^badcall: finalized with unmatched messages$/m, "$ranks ranks");
	$job->none_left("$ranks ranks");
}

done_testing();
