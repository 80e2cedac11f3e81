# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/fault/eventlog.t with all its cases.
use strict;
use warnings;

use FindBin ();

$ENV{FTMPI_TEST_EVERY} = 1;
exec $^X, "$FindBin::Bin/../fault/eventlog.t" or die "$^X: $!\n";
