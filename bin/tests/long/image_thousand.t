# SPDX-License-Identifier: BSD-3-Clause
#
# A thousand times in a row a program is killed and comes back from its image: an image of a process that was one itself
# holds as much as the first.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

BEGIN { $ENV{FTMPI_TEST_DEADLINE} //= 1800 }

use Test::More;

use FTMPI::Test::Fault      ();
use FTMPI::Test::TimedKills ();

use constant KILLS => $ENV{FTMPI_TEST_KILLS} // 1000;

FTMPI::Test::Fault::alone();
FTMPI::Test::TimedKills::killed(image => 1, program => 'plain_laplace', coord => $_, ranks => 2, times => 60, seed => 1, interval => 0.05, kills => KILLS / 2)
	for qw(blocking eventlog);

done_testing();
