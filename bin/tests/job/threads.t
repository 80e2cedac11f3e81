# SPDX-License-Identifier: BSD-3-Clause
#
# The threads of a rank: the program's own, several at once, and the one that makes progress while the
# program computes.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program sanitized);

my $rounds = sanitized('threads') ? 5 : 50;

for my $ranks (1, 2, 3, 5) {
	my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', $ranks, program('threads'), $rounds ]);
	$job->well(qr/^threads: right, $ranks ranks, 4 threads each, $rounds rounds$/m,
		"MPI_THREAD_MULTIPLE on $ranks ranks");
}

FTMPI::Test::Job->run([ ftmpirun(), '-n', 2, program('progress') ])
	->well(qr/^progress: right, 20 rounds$/m, 'a rendezvous while both sides compute');

done_testing();
