# SPDX-License-Identifier: BSD-3-Clause
#
# Communicators that are never freed: at some point no more can be made, and the call fails on all ranks alike.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $ranks (1, 2, 4) {
	FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('comms_exhausted')], deadline => 120)
		->well(qr/^comms_exhausted: right, \d+ cases, $ranks ranks$/m, "$ranks ranks");
}

my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 2, program('comms_exhausted'), '-fatal', 1], deadline => 120);
ok($job->status > 0 && $job->status < 128, 'an error that is fatal') or diag($job->saw);
$job->err_like(qr/^rank \d on \S+: MPI_Comm_dup: MPI_ERR_OTHER: world rank \d .*16384 can be alive.*free/m,
	'the sentence');

done_testing();
