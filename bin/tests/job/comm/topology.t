# SPDX-License-Identifier: BSD-3-Clause
#
# Graphs and distributed graphs as topologies, and the collectives among neighbours.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $program (qw(graphs neighbors)) {
	for my $ranks (1, 2, 3, 4, 6, 8) {
		my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program($program)]);
		$job->well(qr/^$program: right, $ranks ranks$/m, "$program on $ranks ranks");
	}
}

done_testing();
