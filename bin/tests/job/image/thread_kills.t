# SPDX-License-Identifier: BSD-3-Clause
#
# All threads of a program are in MPI when its images are taken, and when its ranks come back: nothing that one of them
# sends or receives is lost, doubled or overtaken while another builds everything anew.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Process    qw(run_quiet);
use FTMPI::Test::TimedKills ();

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

my $seed = 1;
for my $coord (qw(blocking eventlog)) {
	FTMPI::Test::TimedKills::killed(program => 'plain_threads', image => 1, coord => $coord, ranks => 4, seed => $seed++, kills => 5);
}

done_testing();
