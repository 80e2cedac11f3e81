# SPDX-License-Identifier: BSD-3-Clause
#
# Point-to-point communication beyond plain sends and receives: buffered sends, matched probes, requests of
# every kind; with eager messages, and with none.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $limit (undef, 0) {
	for my $ranks (1, 2, 5) {
		my $name = "$ranks ranks, " . (defined $limit ? "eager limit $limit" : 'as it is');
		FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('p2p')],
			env => {FTMPI_EAGER_LIMIT => $limit})
			->well(qr/^p2p: right, \d+ cases, $ranks ranks$/m, $name);
	}
}

my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 2, program('p2p'), 'buffered-left']);
$job->is_status(0, 'what lies in a buffer at MPI_Finalize is received');
$job->none_left('left behind');

done_testing();
