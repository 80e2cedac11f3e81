# SPDX-License-Identifier: BSD-3-Clause
#
# Message logging on two and three hosts: ranks that are killed begin again alone on their own host, connections between
# ranks that live are cut meanwhile, and the keeper is killed.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::Job     qw(sanitized);

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

my $cluster = FTMPI::Test::Cluster->new(hosts => 4);
my $rounds  = sanitized('choices') ? 60 : 300;
my $late    = int $rounds / 2;

sub start
{
	my ($hosts) = @_;
	return FTMPI::Test::Fault->start(program => 'choices', coord => 'msglog', ranks => 2 * $hosts,
		args => [ $rounds, '-trace' ],
		run  => [ qw(-max-restarts 1000), '-ssh', $cluster->ssh, '-machinefile',
			$cluster->machine_file(map { "node$_ slots=2" } 1 .. $hosts) ],
		inside => sub { $cluster->host(4)->inside(@_) });
}

sub killed
{
	my ($hosts, $name, $kill) = @_;
	my $fault = start($hosts);
	my $early = sub { $fault->job->out !~ /^round $late$/m && $kill->($fault, $_[0]) };
	my $kills = $fault->kill_at_random($hosts, apart => 40, kill => $early);
	cmp_ok($kills, '>=', 1, "$name: $kills kills");
	$fault->survived("$name, $kills kills", restarts => [ 1, $kills ], lines => 0);
	return;
}

for my $hosts (2, 3) {
	killed($hosts, "$hosts hosts", sub { kill 'KILL', $_[1] });
}

done_testing();
