# SPDX-License-Identifier: BSD-3-Clause
#
# Operations that are open across lines, as in open_operations.t, on several hosts; and a line that was made
# where the ranks were not crowded, restored where they are and other algorithms would be chosen.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Kills   qw(open_operations);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

my $cluster = FTMPI::Test::Cluster->new(hosts => 4);
my $parts   = join ',', FTMPI::Test::Kills::parts();

sub on_hosts
{
	my ($slots, @hosts) = @_;
	return (
		run => ['-ssh', $cluster->ssh, '-machinefile', $cluster->machine_file(map { "node$_ slots=$slots" } @hosts)],
		inside => sub { $cluster->host(4)->inside(@_) });
}

for ([ 'blocking', 2, 4 ], [ 'eventlog', 3, 5 ]) {
	my ($coord, $hosts, $ranks) = @$_;
	FTMPI::Test::Kills::killed(open_operations($coord, $parts, 20), ranks => $ranks, seed => 40 + $hosts, kills => 4,
		where => " on $hosts hosts", on_hosts(2, 1 .. $hosts));
}

# ---- from two hosts to one ----

# Seed 9 has requests that stand whose datatypes were freed.
FTMPI::Test::Kills::moved(args => [qw(-stopped -seed 9 -only), 'intercoll,neighbors'],
	from => {on_hosts(2, 1, 2)}, to => {on_hosts(4, 3)});

done_testing();
