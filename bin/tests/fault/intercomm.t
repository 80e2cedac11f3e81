# SPDX-License-Identifier: BSD-3-Clause
#
# Intercommunicators across lines: messages, collectives, and a collective that stays open; ranks are killed at
# random moments under each kind of protocol. intercomm_hosts.t has several hosts.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Kills ();

FTMPI::Test::Fault::alone();

use constant KILLS => 4;

my $seed = 1;

sub killed
{
	my ($coord, $ranks, @args) = @_;
	FTMPI::Test::Kills::killed(coord => $coord, program => 'mixed', ranks => $ranks, seed => $seed++,
		kills => KILLS, args => ['-only', 'intercomm', @args]);
	return;
}

killed('blocking', $_) for 2, 5;
killed('eventlog', $_, qw(-skew 20)) for 2 .. 5;
killed('tagging', 3, qw(-skew 20));
killed('compare', 4, qw(-skew 20));

done_testing();
