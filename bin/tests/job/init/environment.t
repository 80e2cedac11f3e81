# SPDX-License-Identifier: BSD-3-Clause
#
# Memory of the library, error classes and codes, inquiries.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $ranks (1, 3) {
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('environment')],
		env => { ASAN_OPTIONS => 'allocator_may_return_null=1' });
	$job->well(qr/^environment: right, $ranks ranks$/m, "$ranks ranks");
}

done_testing();
