# SPDX-License-Identifier: BSD-3-Clause
#
# Operations that begin before FTMPI_Restore and end after it: collectives, messages, operations on a window. A
# rank is killed, and killed again when a line was made after the restore. The open operations give what they
# give in an undisturbed run, and the later line holds nothing of them. What cannot end is refused.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();

FTMPI::Test::Fault::alone();

sub start
{
	my ($coord, $open, @args) = @_;
	return FTMPI::Test::Fault->start(program => 'open_at_restore', coord => $coord,
		args => ['-open', $open, qw(-ckpt 2 -sure -hold 4 -holds), @args]);
}

# Every rank waits after this step, and one is killed.
sub strike
{
	my ($fault, $step) = @_;
	for my $rank (0 .. $fault->{ranks} - 1) {
		$fault->wait_for(out => qr/^rank $rank waits after round $step$/m) or return 0;
	}
	return $fault->kill_ranks(2);
}

sub survives
{
	my ($coord, $open, $kills) = @_;
	my $fault = start($coord, $open, $kills);
	for my $step (map { 2 + 2 * $_ } 1 .. $kills) {
		strike($fault, $step) or last;
	}
	$fault->survived("$coord: $open", restarts => $kills);
	return;
}

sub ends
{
	my ($open, $sentence) = @_;
	my $fault = start('blocking', $open, 1);
	strike($fault, 4);
	$fault->gave_up($open, 16, $sentence);
	return;
}

survives($_, 'reductions', 2) for qw(blocking eventlog tagging);
survives($_, 'receive',    2) for qw(blocking eventlog tagging);
survives('blocking', $_, 2) for qw(persistent copy);
survives('blocking', $_, 1) for qw(send epoch);

ends('half', qr/^rank 0 on \S+: FTMPI_Restore: MPI_Iallreduce of communicator MPI_COMM_WORLD does not end:/m);
ends('thread', qr/^rank 1 on \S+: FTMPI_Restore: another thread is inside an MPI call;/m);

done_testing();
