# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/fault/open_operations.t with all its cases.
use strict;
use warnings;

use FindBin ();

$ENV{FTMPI_TEST_EVERY} = 1;
exec $^X, "$FindBin::Bin/../fault/open_operations.t" or die "$^X: $!\n";
