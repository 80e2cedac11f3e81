# SPDX-License-Identifier: BSD-3-Clause
#
# A rank is killed when part of a long message with holes has arrived: its sender, or its receiver. The job goes
# on from a line that was made before the message, or while it arrived. The blocks of the message are short, so
# that it is packed, or long. Under the protocol that stops all ranks the line needs more ranks than these two:
# between two ranks alone no control message overtakes the message.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();

FTMPI::Test::Fault::alone();

sub partial_message
{
	my ($coord, $ranks, $victim, $block, @through) = @_;
	my $name = "$coord: rank $victim of $ranks, blocks of $block @through";
	my $fault = FTMPI::Test::Fault->start(program => 'partial_message', ranks => $ranks, coord => $coord,
		args => [ '-victim', $victim, '-block', $block, @through ]);
	$fault->survived($name, restarts => 1);
	$fault->job->out_like(qr/^restored\n\Qhalfway: right, every byte\E$/m, $name);
	return;
}

for my $block (12, 5001) {
	for my $victim (0, 1) {
		partial_message('eventlog', 2, $victim, $block);
		partial_message('eventlog', 2, $victim, $block, '-through');
	}
	partial_message('blocking', 4, $_, $block, '-through') for 1, 3;
}

done_testing();
