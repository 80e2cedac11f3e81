# SPDX-License-Identifier: BSD-3-Clause
#
# A program of sessions alone, without MPI_Init, whose ranks are killed: it goes on from its last line,
# in which messages lie in the buffer of a session, on a communicator of it. And ranks that are killed
# at the end of their part in the job, which comes when the process exits.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();

FTMPI::Test::Fault::alone();

sub start
{
	my ($coord, @more) = @_;
	return FTMPI::Test::Fault->start(program => 'sessions', coord => $coord, @more);
}

for my $coord (qw(blocking eventlog tagging)) {
	for my $ranks ([2], [0, 1, 2, 3]) {
		my $name  = "$coord: ranks @$ranks are killed";
		my $fault = start($coord, args => [qw(steps -ckpt 10 -hold 25)]);
		$fault->all_held;
		$fault->kill_ranks(@$ranks);
		$fault->survived($name, restarts => [1, 3]);
		$fault->job->out_like(qr/^restored after round 20$/m, $name);
	}
}

# From the goodbyes on; told: others may be gone already, but what it has to do is done again.
for my $point (qw(finalize-begun finalize-done finalize-told)) {
	my $fault = start('blocking', args => [qw(steps -ckpt 10)], env => {FTMPI_FAULT => "$point:1:0:1:kill"});
	$fault->survived("killed at $point", restarts => 1);
}

done_testing();
