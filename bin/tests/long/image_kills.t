# SPDX-License-Identifier: BSD-3-Clause
#
# bin/tests/job/image/kills.t with every program that has an answer when nothing disturbs it, 20 kills each, on 2 to 8 ranks;
# of every second one no two processes have the same environment. Those that call MPI alone are run under tagging, too, and
# come back when ftmpirun itself was killed.
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
		# init_calls prints its argument zero
		my $is_disguised = $seed / 2 % 2 && $program ne 'init_calls';
		my %job = (image => 1, program => $program, coord => $coord, ranks => 2 + $seed % 7, times => 2, disguised => $is_disguised, seed => $seed++);
		FTMPI::Test::TimedKills::killed(%job, kills => FTMPI::Test::PlainPrograms::is_brief($program) ? 3 : KILLS);
		next if !FTMPI::Test::PlainPrograms::is_plain($program);
		FTMPI::Test::TimedKills::writers_killed(%job, kills => 2);
		FTMPI::Test::TimedKills::relaunched(%job, kills => 3);
		FTMPI::Test::TimedKills::killed(%job, coord => 'tagging', kills => 5) if $coord eq 'eventlog';
	}
}

done_testing();
