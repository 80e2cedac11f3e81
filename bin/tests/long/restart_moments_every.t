# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/job/ending/restart_moments.t with all its cases.
use strict;
use warnings;

use FindBin ();

$ENV{FTMPI_TEST_EVERY} = 1;
exec $^X, "$FindBin::Bin/../job/ending/restart_moments.t" or die "$^X: $!\n";
