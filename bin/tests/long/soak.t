# SPDX-License-Identifier: BSD-3-Clause
#
# The randomised test on eight ranks for SOAK_SECONDS (600): every way of sending, receiving and
# probing, collectives, communicators and datatypes made and freed. All sums are right, and memory
# does not grow after the first tenth of the time. SOAK_SEED chooses other cases.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

my $seconds = $ENV{SOAK_SECONDS} // 600;
my $seed    = $ENV{SOAK_SEED}    // 1;

my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', 8, program('randtest'), '-seconds', $seconds,
		'-seed', $seed, '-max-bytes', 1 << 20 ], deadline => 2 * $seconds + 300);
$job->well(qr/^randtest: \d+ cases right, seed $seed, 8 ranks$/m, "$seconds s, seed $seed");
diag($job->out);

done_testing();
