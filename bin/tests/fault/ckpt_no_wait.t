# SPDX-License-Identifier: BSD-3-Clause
#
# FTMPI_Perform_Checkpoint does not wait for other ranks: one rank returns from it and then sends the message
# that another rank waits for before its own checkpoint. The line is committed although no receive is posted for
# the large messages in it, and although their receiver is outside MPI.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Fcntl qw(O_RDWR O_NONBLOCK);
use POSIX ();
use Test::More;

use FTMPI::Test::Fault ();

FTMPI::Test::Fault::alone();

my $gate = FTMPI::Test::Fault::directory() . '/gate';

# Every rank says so.
sub all_say
{
	my ($fault, $words) = @_;
	for my $rank (0 .. $fault->{ranks} - 1) {
		$fault->wait_for(out => qr/^rank $rank $words$/m) or return 0;
	}
	return 1;
}

# Rank 1 is outside MPI from its checkpoint until rank 0 knows that the line is committed.
sub let_in
{
	my ($fault) = @_;
	$fault->wait_for(out => qr/^rank 0 knows that the line is committed$/m);
	unlike($fault->job->out, qr/^rank 1 knows/m, '... and rank 1 is not told yet');
	sysopen(my $out, $gate, O_RDWR | O_NONBLOCK) or die "$gate: $!\n";
	syswrite($out, 'x') or die "$gate: $!\n";
	$fault->all_held;
	return;
}

sub is_not_awaited
{
	my ($coord, $fast, $bytes, $gated, @victims) = @_;
	my $name = "$coord: rank $fast is ahead, $bytes bytes" . ($gated ? ', outside MPI' : '')
		. (@victims ? ", @victims killed" : '');
	POSIX::mkfifo($gate, 0600) or die "$gate: $!\n" if $gated;
	my $fault = FTMPI::Test::Fault->start(program => 'ckpt_no_wait', ranks => 3, coord => $coord,
		args => [qw(-ckpt 1 -fast), $fast, '-bytes', $bytes, @victims ? qw(-hold 1) : (),
			$gated ? ('-gate', $gate) : ()]);
	all_say($fault, 'took its checkpoint');
	let_in($fault) if $gated;
	all_say($fault, 'knows that the line is committed');
	unlink $gate;
	if (@victims) {
		$fault->all_held;
		$fault->kill_ranks(@victims);
		all_say($fault, 'was restored');
	}
	$fault->survived($name, restarts => @victims ? [1, 2] : 0);
	return;
}

for my $fast (0, 1) {
	is_not_awaited('eventlog', $fast, 1 << 20, 0);
	is_not_awaited('eventlog', $fast, 1 << 20, 0, 1);
	is_not_awaited('eventlog', $fast, 1 << 24, 1, 0, 1);
	is_not_awaited('tagging', $fast, 1 << 20, 1, 0);
}
is_not_awaited('eventlog', 0, 100, 1, 0);
is_not_awaited('compare', 1, 1 << 20, 0, 1);

done_testing();
