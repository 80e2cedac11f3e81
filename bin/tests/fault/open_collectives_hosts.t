# SPDX-License-Identifier: BSD-3-Clause
#
# Collectives that are open across lines, on several hosts; and a line that was made where the ranks were not
# crowded, restored where they are and other algorithms would be chosen.
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
my $seed    = 31;

sub at_rest { my ($name) = @_; return $cluster->at_rest($name) }

sub on_hosts
{
	my ($slots, @hosts) = @_;
	return (
		run => ['-ssh', $cluster->ssh, '-machinefile', $cluster->machine_file(map { "node$_ slots=$slots" } @hosts)],
		inside => sub { $cluster->host(4)->inside(@_) },
		rest   => \&at_rest);
}

for ([ 'blocking', 3 ], [ 'eventlog', 5, qw(-skew 20) ]) {
	my ($coord, $ranks, @args) = @$_;
	FTMPI::Test::Kills::killed(coord => $coord, program => 'mixed', ranks => $ranks, seed => $seed++, kills => 4,
		where => ' on 3 hosts', args => ['-only', 'icoll', @args], on_hosts(2, 1 .. 3));
}

# ---- from two hosts to one ----

FTMPI::Test::Kills::moved(args => [qw(-only icoll -seed 33)], from => {on_hosts(2, 1, 2)}, to => {on_hosts(4, 3)});

done_testing();
