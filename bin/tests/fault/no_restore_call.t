# SPDX-License-Identifier: BSD-3-Clause
#
# A program that makes lines and never calls FTMPI_Restore. Under a protocol that does not wait it is told so at
# its first line; after a failure the job ends with a sentence, and not with ranks that wait for each other; its
# lines can be restored under the protocol that stops all ranks.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();

FTMPI::Test::Fault::alone();

my @args = qw(-open nothing -without -trace -steps 8 -ckpt);

sub no_restore_call
{
	my ($coord) = @_;
	my $fault = FTMPI::Test::Fault->start(program => 'open_at_restore', coord => $coord, run => ['-vv'],
		args => [@args, qw(2 -late -hold 7)]);
	$fault->all_held;
	$fault->wait_for(err => qr/line 1 is committed/);
	my @told = $fault->job->err =~ /^(rank \d+) on \S+: FTMPI_Perform_Checkpoint: FTMPI_Restore was not called:/mg;
	is("@told", 'rank 0', "$coord: the first run is told once");
	$fault->kill_ranks(2);
	$fault->gave_up($coord, 16,
		qr/^rank \d on \S+: FTMPI_Perform_Checkpoint: .*to go on from a line, but FTMPI_Restore was not called: .*`-coord blocking/m,
		keep => 1);
	my $next = FTMPI::Test::Fault->start(program => 'open_at_restore', coord => 'blocking', run => ['-restore'],
		workdir => $fault->workdir, args => [@args, 8]);
	$next->survived("$coord: its line, restored by the first checkpoint of all", restarts => 0);
	$next->job->out_like(qr/^restored after round [2-6]$/m, $coord);
	return;
}

no_restore_call($_) for qw(eventlog tagging);

# and where all come to the first checkpoint together it restores
my $fault = FTMPI::Test::Fault->start(program => 'open_at_restore', coord => 'blocking', args => [@args, qw(4 -hold 5)]);
$fault->all_held and $fault->kill_ranks(1);
$fault->survived('blocking', restarts => 1);
$fault->job->out_like(qr/^restored after round 4$/m, 'blocking');
unlike($fault->job->err, qr/FTMPI_Restore/, '... and is not told to');

done_testing();
