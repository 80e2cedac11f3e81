# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/job/ending/ends_syscalls.t at every system call.
use strict;
use warnings;

use FindBin ();

$ENV{FTMPI_TEST_EVERY} = 1;
exec $^X, "$FindBin::Bin/../job/ending/ends_syscalls.t" or die "$^X: $!\n";
