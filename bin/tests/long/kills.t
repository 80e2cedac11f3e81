# SPDX-License-Identifier: BSD-3-Clause
#
# 30 and more random kills in one run, seeds 1 to 20, all programs, 1 to 4 hosts.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Kills   ();

use constant KILLS => 30;

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

my $cluster = FTMPI::Test::Cluster->new(hosts => 4);

for my $seed (1 .. 20) {
	my $hosts = 1 + $seed % 4;
	my $slots = 5 - $hosts;
	for my $program (FTMPI::Test::Kills::programs()) {
		FTMPI::Test::Kills::killed(program => $program, seed => $seed, kills => KILLS, coord => 'blocking',
			args => [ $program eq 'mixed' ? ('-max', 1048576) : () ],
			where => " on $hosts hosts",
			run => ['-ssh', $cluster->ssh, '-machinefile',
				$cluster->machine_file(map { "node$_ slots=$slots" } 1 .. $hosts)],
			inside => sub { $cluster->host(4)->inside(@_) });
	}
}

done_testing();
