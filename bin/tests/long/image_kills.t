# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/job/image/kills.t with every program that has an answer when nothing disturbs it, 20 kills each, on 2 to 8 ranks.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault         ();
use FTMPI::Test::PlainPrograms ();
use FTMPI::Test::TimedKills    ();

use constant KILLS => 20;

FTMPI::Test::Fault::alone();

my @lacking = FTMPI::Test::PlainPrograms::lacking();
diag "left out, as they could not be built: @lacking" if @lacking;

my $seed = 1;
for my $program (FTMPI::Test::PlainPrograms::plain(), FTMPI::Test::PlainPrograms::others()) {
	for my $coord (FTMPI::Test::PlainPrograms::protocols($program)) {
		my $ranks = 2 + $seed % 7;
		FTMPI::Test::TimedKills::killed(image => 1, program => $program, coord => $coord, ranks => $ranks, times => 2, seed => $seed++,
			kills => FTMPI::Test::PlainPrograms::is_brief($program) ? 3 : KILLS);
		FTMPI::Test::TimedKills::writers_killed(image => 1, program => $program, coord => $coord, ranks => $ranks, times => 2, seed => $seed, kills => 2)
			if FTMPI::Test::PlainPrograms::is_plain($program);
	}
}

done_testing();
