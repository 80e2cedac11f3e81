# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/job/ending/ends_many.t with 100 jobs in a row.
use strict;
use warnings;

use FindBin ();

$ENV{FTMPI_TEST_EVERY} = 1;
exec $^X, "$FindBin::Bin/../job/ending/ends_many.t" or die "$^X: $!\n";
