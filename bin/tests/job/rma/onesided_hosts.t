# SPDX-License-Identifier: BSD-3-Clause
#
# One-sided communication across the hosts of the cluster of namespaces; memory is shared by the
# ranks of one.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Job     qw(ftmpirun program);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

my $cluster = FTMPI::Test::Cluster->new(hosts => 3);
my @run     = (ftmpirun(), '-ssh', $cluster->ssh);

for my $slots ([1, 3], [2, 4], [2, 6]) {
	my ($each, $ranks) = @$slots;
	my $machines = $cluster->machine_file(map { "node$_ slots=$each" } 1 .. 3);
	FTMPI::Test::Job->run(
		[ $cluster->host(1)->inside(@run, '-machinefile', $machines, '-n', $ranks, program('onesided')) ])
		->well(qr/^onesided: right, \d+ cases, $ranks ranks$/m, "$ranks ranks, $each on a host");
	$cluster->at_rest("$ranks ranks");
}

done_testing();
