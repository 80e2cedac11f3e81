# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/job/image/unmatched.t with all its cases.
use strict;
use warnings;

use FindBin ();

$ENV{FTMPI_TEST_EVERY} = 1;
exec $^X, "$FindBin::Bin/../job/image/unmatched.t" or die "$^X: $!\n";
