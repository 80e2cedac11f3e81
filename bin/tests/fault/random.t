# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks are killed at random moments, many times in one job. bin/tests/long/kills.t has more of it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(data_file);

FTMPI::Test::Fault::alone();

use constant KILLS => 10;

my @jobs = (
	{program => 'mail', args => [qw(-bytes 200000 -ckpt 15 -trace -hold 200 -holds), KILLS]},
	{program => 'cgs', args => [data_file('494_bus.mtx'), qw(-ckpt 30 -trace -hold 400 -holds), KILLS]},
);

for my $seed (1, 2) {
	my $fault = FTMPI::Test::Fault->start(%{$jobs[$seed - 1]}, run => [qw(-max-restarts 1000)]);
	my $kills = $fault->kill_at_random($seed);
	cmp_ok($kills, '>=', KILLS, "seed $seed: ranks were killed") or diag($fault->job->saw);
	$fault->survived("seed $seed, $kills kills", restarts => [KILLS, $kills]);
}

done_testing();
