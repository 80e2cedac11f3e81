# SPDX-License-Identifier: BSD-3-Clause
#
# mail is restored by -restore from lines all along its way, each with other messages under way, made and
# restored under either kind of protocol.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();

FTMPI::Test::Fault::alone();

for my $seed (1 .. 5) {
	for (my $step = $seed; $step <= 206; $step += 6) {
		my @args  = ('-seed', $seed, '-ckpt', 1, '-sure', '-trace');
		my ($makes, $takes) = map { $_ % 2 ? 'eventlog' : 'blocking' } $step, int($step / 2);
		my $first = FTMPI::Test::Fault->start(program => 'mail', coord => $makes,
			args => [@args, '-hold', $step]);
		$first->all_held;
		$first->job->signal('KILL');
		$first->job->finish;
		$first->job->none_left("seed $seed, step $step, $makes, $takes");
		my $second = FTMPI::Test::Fault->start(program => 'mail', coord => $takes, args => [@args, '-ckpt', 50],
			workdir => $first->workdir, run => ['-restore']);
		$second->survived("seed $seed, step $step, $makes, $takes", restarts => 0);
		$second->job->out_like(qr/^restored after round $step$/m, "seed $seed, step $step, $makes, $takes");
	}
}

done_testing();
