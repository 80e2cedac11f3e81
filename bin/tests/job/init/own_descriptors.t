# SPDX-License-Identifier: BSD-3-Clause
#
# The library tells which descriptors are its own, so that an image of the process leaves out these and no others.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $ranks (1 .. 3) {
	for my $transport (qw(shm tcp)) {
		for my $beats ([qw(-heartbeat 0)], [qw(-heartbeat 100 -timeout-heartbeat 60s)]) {
			my $dir   = File::Temp->newdir('ftmpi-own-descriptors-XXXXXX', TMPDIR => 1);
			my $named = "$ranks ranks, $transport, @$beats";
			my $job   = FTMPI::Test::Job->run(
				[ftmpirun(), '-n', $ranks, '-transport', $transport, @$beats, program('own_descriptors'), "$dir"]);
			$job->is_status(0, $named);
			for my $rank (0 .. $ranks - 1) {
				$job->out =~ /^own_descriptors: rank $rank: right, (\d+)$/m or diag($job->out, $job->err);
				cmp_ok($1 // 0, '>=', 9, "$named: rank $rank had some of its own");
			}
		}
	}
}

done_testing();
