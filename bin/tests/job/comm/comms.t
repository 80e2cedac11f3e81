# SPDX-License-Identifier: BSD-3-Clause
#
# Ways to make and end communicators: MPI_Comm_idup, communicators made from groups alone, MPI_Comm_disconnect,
# hints of copies.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $ranks (1, 2, 5, 8) {
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('comms')], deadline => 120);
	$job->well(qr/^comms: right, $ranks ranks$/m, "$ranks ranks");
}

done_testing();
