# SPDX-License-Identifier: BSD-3-Clause
#
# Intercommunicators across lines, as in intercomm.t, on two and three hosts.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Kills   ();

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

my $cluster = FTMPI::Test::Cluster->new(hosts => 4);

for my $hosts (2, 3) {
	FTMPI::Test::Kills::killed(
		coord => 'eventlog', program => 'mixed', ranks => 2 * $hosts, seed => $hosts, kills => 4,
		args  => [qw(-only intercomm -skew 20)],
		where => " on $hosts hosts",
		run   => ['-ssh', $cluster->ssh, '-machinefile',
			$cluster->machine_file(map { "node$_ slots=2" } 1 .. $hosts)],
		inside => sub { $cluster->host(4)->inside(@_) });
}

done_testing();
