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

# Nobody is forgotten asleep: case, ranks, how long waiting threads look before they sleep.
for my $wake (['gathered', 2, 0], ['full', 2, 3000], ['swallowed', 1, 0], ['untold', 1, 0]) {
	my ($case, $ranks, $spin) = @$wake;
	FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('threads_wake'), $case],
		env => {FTMPI_SPIN_US => $spin})
		->well(qr/^threads_wake: right, $case$/m, "wakeup: $case");
}

done_testing();
