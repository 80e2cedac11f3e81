# SPDX-License-Identifier: BSD-3-Clause
#
# Nonblocking and persistent collectives: every operation in every form, many at once, progress while the
# program computes, and the rules for their requests.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $ranks (1, 2, 3, 5, 8) {
	for my $limit (65536, 0) {
		my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('nonblocking')],
			env => {FTMPI_EAGER_LIMIT => $limit}, deadline => 120);
		$job->well(qr/^nonblocking: right, 15 cases on $ranks ranks$/m, "$ranks ranks, eager up to $limit");
	}
}

done_testing();
