# SPDX-License-Identifier: BSD-3-Clause
#
# A million messages between ranks that die between any two instructions, a hundred times.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Kills ();

FTMPI::Test::Fault::alone();
if (defined(my $reason = FTMPI::Test::Kills::cannot_trace())) {
	plan skip_all => $reason;
}

for my $coord (qw(blocking eventlog)) {
	FTMPI::Test::Kills::killed(program => 'mail', coord => $coord, seed => 1, kills => 100,
		args  => [qw(-bytes 1000 -steps 125000 -ckpt 1000 -hold 124500)],
		run   => [qw(-transport shm)],
		apart => 3000, kill => FTMPI::Test::Kills::stepped(3000));
}

done_testing();
