# SPDX-License-Identifier: BSD-3-Clause
#
# Info objects, MPI_INFO_ENV and hints of communicators.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $ranks (1, 2, 5) {
	for my $word ('', 'word') {
		my $job = FTMPI::Test::Job->run(
			[ftmpirun(), '-n', $ranks, program('info_objects'), length $word ? $word : ()]);
		$job->well(qr/^info_objects: right, $ranks ranks$/m, "$ranks ranks, argument '$word'");
	}
}

done_testing();
