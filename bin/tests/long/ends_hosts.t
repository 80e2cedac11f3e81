# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/job/ending/ends_hosts.t at more moments, and a host that falls silent.
use strict;
use warnings;

use FindBin ();

$ENV{FTMPI_TEST_EVERY} = 1;
exec $^X, "$FindBin::Bin/../job/ending/ends_hosts.t" or die "$^X: $!\n";
