# SPDX-License-Identifier: BSD-3-Clause
#
# Lines are made by time, and ranks are killed at random moments: as they run, as a line is committed, on their way back and
# as soon as they are back. random_kills.t has kills after so many steps.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault      ();
use FTMPI::Test::Job        qw(sanitized);
use FTMPI::Test::TimedKills ();

FTMPI::Test::Fault::alone();

my $seed = 1;
for my $case ([ pi => 'blocking', 4 ], [ cgs => 'blocking', 2 ], [ mail => 'eventlog', 3 ], [ mixed => 'eventlog', 4 ]) {
	my ($program, $coord, $ranks) = @$case;
	my $slow = sanitized($program);
	FTMPI::Test::TimedKills::killed(program => $program, coord => $coord, ranks => $ranks, seed => $seed++, kills => $slow ? 2 : 5,
		times => $slow ? 0.2 : 1);
}

done_testing();
