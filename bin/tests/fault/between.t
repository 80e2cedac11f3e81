# SPDX-License-Identifier: BSD-3-Clause
#
# Intercommunicators across lines: messages, collective operations, one that is open; ranks are killed
# at random moments under each kind of protocol, also on several hosts.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::Kills   ();

FTMPI::Test::Fault::alone();

use constant KILLS => 4;

my $seed = 1;

sub killed
{
	my ($coord, $ranks, $more, %option) = @_;
	FTMPI::Test::Kills::killed(coord => $coord, program => 'mixed', ranks => $ranks, seed => $seed++,
		kills => KILLS, args => ['-only', 'between', @$more], %option);
	return;
}

killed('blocking', $_,                    []) for 2, 5;
killed('eventlog', $_,                    [qw(-skew 20)]) for 2 .. 5;
killed('tagging',  3,                     [qw(-skew 20)]);
killed('compare',  4,                     [qw(-skew 20)]);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	diag("not on several hosts: $reason");
} else {
	my $cluster = FTMPI::Test::Cluster->new(hosts => 4);
	killed('eventlog', 2 * $_, [qw(-skew 20)],
		where => " on $_ hosts",
		run   => ['-ssh', $cluster->ssh, '-machinefile',
			$cluster->machine_file(map { "node$_ slots=2" } 1 .. $_)],
		inside => sub { $cluster->host(4)->inside(@_) })
		for 2, 3;
}

done_testing();
