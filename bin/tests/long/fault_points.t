# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/fault/fault_points.t with every rank at every point, in later passes, and stopped.
use strict;
use warnings;

use FindBin ();

$ENV{FTMPI_TEST_EVERY} = 1;
exec $^X, "$FindBin::Bin/../fault/fault_points.t" or die "$^X: $!\n";
