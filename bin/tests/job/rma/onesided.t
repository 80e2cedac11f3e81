# SPDX-License-Identifier: BSD-3-Clause
#
# One-sided communication: windows, epochs, puts, gets and accumulates, wrong arguments, threads; also with
# every message as a rendezvous, and with threads that sleep without spinning first.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(run_quiet);

sub onesided
{
	my ($ranks, %env) = @_;
	my $name = join(' ', "$ranks ranks", map { "$_=$env{$_}" } sort keys %env);
	FTMPI::Test::Job->run([ ftmpirun(), '-n', $ranks, program('onesided') ], env => \%env)
		->well(qr/\Aonesided: right, \d+ cases, $ranks ranks\n\z/, $name);
	return;
}

onesided($_) for 1, 2, 3, 5, 8;
onesided(2, FTMPI_SPIN_US => 0);
onesided(3, FTMPI_EAGER_LIMIT => 0);
onesided(4, FTMPI_EAGER_LIMIT => 0, FTMPI_SPIN_US => 0);

my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', 2, program('onesided'), '-only', 'nonsense' ]);
$job->is_status(1, 'a case that is not there');
$job->err_like(qr/WRONG: there is no case called nonsense/, 'a case that is not there');

# Shared memory is a file, which a limit of file lengths is meant for, too: an error and no signal.
$job = FTMPI::Test::Job->run([ 'sh', '-c', 'ulimit -f 1; exec "$@"', 'sh', ftmpirun(), '-n', 2, program('onesided') ]);
$job->err_like(qr/MPI_Win_allocate_shared: MPI_ERR_RMA_SHARED: .*: File too large$/m, 'a limit of file lengths');

# Ranks in containers of their own on one host.
for my $case (
	[ [qw(--pid --fork --mount-proc)], qr/another PID namespace, as of another container\?/ ],
	[ [qw(--user --map-root-user)],    qr/another user namespace, or not dumpable\?\): Permission denied/ ],
	)
{
	my ($namespace, $says) = @$case;
	SKIP: {
		my ($status) = run_quiet('unshare', @$namespace, 'true');
		skip "no unshare @$namespace here", 1 if $status != 0;
		$job = FTMPI::Test::Job->run([ ftmpirun(), '-n', 2, 'unshare', @$namespace, program('onesided') ]);
		$job->err_like(qr/MPI_Win_allocate_shared: MPI_ERR_RMA_SHARED: .*$says/, "ranks that unshare @$namespace");
	}
}

done_testing();
