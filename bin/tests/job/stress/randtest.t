# SPDX-License-Identifier: BSD-3-Clause
#
# The randomised test on this machine: every call that moves data against a brute-force reference.
# FTMPI_RANDTEST_SEED chooses another seed, FTMPI_RANDTEST_CASES another number of cases.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

my $seed  = $ENV{FTMPI_RANDTEST_SEED}  // 1;
my $cases = $ENV{FTMPI_RANDTEST_CASES} // 1500;

sub randtest
{
	my ($ranks, $number, $most, $this_seed, %env) = @_;
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('randtest'), '-seed',
			$this_seed, '-cases', $number, '-max-bytes', $most], deadline => 600, env => \%env);
	return $job->well(qr/^randtest: $number cases right, seed $this_seed, $ranks ranks$/m,
		join(' ', "$number cases of up to $most bytes on $ranks ranks, seed $this_seed", %env));
}

# many small ones with every number of ranks, each with a seed of its own
randtest($_, $cases, 20000, $seed + $_) for 1 .. 9;

# few large ones, which use the other protocols and algorithms
randtest($_, int($cases / 15), 4 << 20, $seed + 100 + $_) for 1 .. 5, 8;

# every message waits for its receive, none does, and a rank that waits sleeps at once
for my $ranks (2, 5) {
	randtest($ranks, int($cases / 2), 20000, $seed + 200 + $ranks, FTMPI_EAGER_LIMIT => 0);
	randtest($ranks, int($cases / 2), 90000, $seed + 300 + $ranks,
		FTMPI_EAGER_LIMIT => 1 << 20);
	randtest($ranks, int($cases / 2), 20000, $seed + 400 + $ranks, FTMPI_SPIN_US => 0);
}

# what it reports when something is wrong is enough to run the case again
my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 3, program('randtest'), '-first', 17, '-cases', 1,
		'-v', '-only', 'allreduce']);
$job->well(qr/^case 17: \d ranks: allreduce: .*\nrandtest: 1 cases right/m, 'one case alone');

done_testing();
