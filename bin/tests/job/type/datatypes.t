# SPDX-License-Identifier: BSD-3-Clause
#
# Derived datatypes in messages: packing by hand, distributed arrays, types that are freed while their messages
# are in transit.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $ranks (1, 2, 3, 4, 6, 8) {
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('datatypes')],
		deadline => 120);
	$job->well(qr/^datatypes: right on $ranks ranks$/m, "on $ranks ranks");
}

# everything waits for its receive, and nothing
for my $limit (0, 1 << 20) {
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 3, program('datatypes')],
		env => {FTMPI_EAGER_LIMIT => $limit}, deadline => 120);
	$job->well(qr/^datatypes: right on 3 ranks$/m, "eager limit $limit");
}

done_testing();
