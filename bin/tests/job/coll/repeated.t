# SPDX-License-Identifier: BSD-3-Clause
#
# The same collective call again and again, while what its arguments do not show changes.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $ranks (1, 2, 3, 5, 8) {
	FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('repeated')])
		->well(qr/^repeated: right, $ranks ranks$/m, "$ranks ranks");
}
FTMPI::Test::Job->run([ftmpirun(), '-n', 4, program('repeated')], env => {FTMPI_EAGER_LIMIT => 0})
	->well(qr/^repeated: right, 4 ranks$/m, '4 ranks, every message announced');

done_testing();
