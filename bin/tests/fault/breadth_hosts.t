# SPDX-License-Identifier: BSD-3-Clause
#
# What is open across lines, as in breadth.t, on several hosts; and a line that was made where the ranks
# were not crowded, restored where they are, as other algorithms would be chosen there.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::Kills   qw(breadth);

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
	FTMPI::Test::Kills::killed(breadth($coord, $parts, 20), ranks => $ranks, seed => 40 + $hosts, kills => 4,
		where => " on $hosts hosts", on_hosts(2, 1 .. $hosts));
}

# ---- from two hosts to one ----

# Seed 9 has requests that stand whose datatypes were freed.
my @args  = (qw(-stopped -steps 120 -ckpt 10 -trace -seed 9 -only), 'sides,around');
my $fault = FTMPI::Test::Fault->start(program => 'mixed', coord => 'blocking', ranks => 4,
	args => [ @args, qw(-hold 70) ], on_hosts(2, 1, 2));
$fault->all_held;
$fault->job->signal('KILL');
$fault->job->finish;
$fault->lines_whole('two hosts');
$fault->clear('two hosts', keep => 1);
my %one  = on_hosts(4, 3);
my $next = FTMPI::Test::Fault->start(program => 'mixed', coord => 'blocking', ranks => 4, workdir => $fault->workdir,
	args => \@args, %one, run => [ @{ $one{run} }, '-restore' ]);
$next->survived('from two hosts to one', restarts => 0);
$next->job->out_like(qr/^restored after round (?:6\d|70)$/m, 'from two hosts to one');

done_testing();
