# SPDX-License-Identifier: BSD-3-Clause
#
# 30 and more random kills in one run, seeds 1 to 20, the three programs, 1 to 4 hosts.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Cluster ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::Job     qw(data_file);

use constant KILLS => 30;

if (defined(my $reason = FTMPI::Test::Cluster->why_not)) {
	plan skip_all => $reason;
}

my $cluster = FTMPI::Test::Cluster->new(hosts => 4);

my %jobs = (
	pi   => [qw(400000 -every 10000 -ckpt 4 -hold 39)],
	cgs  => [data_file('494_bus.mtx'), qw(-ckpt 30 -hold 400)],
	mail => [qw(-ckpt 15 -hold 200)],
);

for my $seed (1 .. 20) {
	for my $program (sort keys %jobs) {
		my $hosts = 1 + $seed % 4;
		my $slots = 5 - $hosts;
		my $fault = FTMPI::Test::Fault->start(program => $program,
			args => [@{$jobs{$program}}, '-trace', '-holds', KILLS],
			run  => [qw(-max-restarts 1000), '-ssh', $cluster->ssh, '-machinefile',
				$cluster->machine_file(map { "node$_ slots=$slots" } 1 .. $hosts)],
			inside => sub { $cluster->host(4)->inside(@_) });
		my $kills = $fault->kill_at_random($seed);
		my $name = "$program, seed $seed, $hosts hosts, $kills kills";
		cmp_ok($kills, '>=', KILLS, $name) or diag($fault->job->saw);
		$fault->survived($name, restarts => [KILLS, $kills]);
	}
}

done_testing();
