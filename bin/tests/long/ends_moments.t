# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/job/ending/ends_moments.t at every call of any sub.
use strict;
use warnings;

use FindBin ();

$ENV{FTMPI_TEST_EVERY} = 1;
exec $^X, "$FindBin::Bin/../job/ending/ends_moments.t" or die "$^X: $!\n";
