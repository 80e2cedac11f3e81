# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks that die between any two instructions, most of them in the library: while they write a message into
# the memory that they share with others, read one from there, wake a peer, or save their part of a line.
# Nobody waits for them for ever, and no other message comes than was sent. bin/tests/long/stepped_kills.t
# has more of it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(sanitized);
use FTMPI::Test::Kills ();

FTMPI::Test::Fault::alone();
if (defined(my $reason = FTMPI::Test::Kills::cannot_trace())) {
	plan skip_all => $reason;
}

my $kills = sanitized('mail') ? 3 : 12;
my $seed  = 1;

# Short messages alone, one behind the other; and some that are read where they lie.
for my $bytes (64, 200000) {
	for my $coord (qw(blocking eventlog)) {
		FTMPI::Test::Kills::killed(program => 'mail', coord => $coord, seed => $seed++, kills => $kills,
			args  => ['-bytes', $bytes, qw(-steps 3000 -ckpt 200 -hold 2900)],
			run   => [qw(-transport shm)],
			apart => 500, kill => FTMPI::Test::Kills::stepped(3000));
	}
}

done_testing();
