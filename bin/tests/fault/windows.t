# SPDX-License-Identifier: BSD-3-Clause
#
# Recovery lines of a program with windows: lines are made between epochs and refused within one, and the job
# goes on from them when ranks are killed.
use strict;
use warnings;

use File::Path ();
use FindBin    ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(ftmpirun program);

FTMPI::Test::Fault::alone();

my $dir = FTMPI::Test::Fault::directory();

# ---- refused ----

my $job = FTMPI::Test::Job->run(
	[ftmpirun(), '-n', 3, '-coord', 'blocking', '-workdir', "$dir/open", program('halo'), '-refused', 1]);
$job->is_status(0, 'epochs that are open');
$job->out_like(qr/\Ahalo: right, refused, 3 ranks\n\z/, 'epochs that are open');
for my $rank (0, 1) {
	$job->err_like(qr/^rank $rank on \S+: FTMPI_Perform_Checkpoint: no line is made: an epoch of a window is open on rank 2$/m,
		"rank $rank is told whose epoch is open");
}
$job->err_like(qr/^rank 2 on \S+: FTMPI_Perform_Checkpoint: no line is made: an epoch of window \(unnamed\) is open; $_ has to end it before$/m,
	"rank 2 is told to call $_")
	for qw(MPI_Win_fence MPI_Win_unlock MPI_Win_complete MPI_Win_wait);

for my $coord (qw(eventlog tagging)) {
	$job = FTMPI::Test::Job->run(
		[ftmpirun(), '-n', 3, '-coord', $coord, '-workdir', "$dir/$coord", program('halo'), '-refused', 2]);
	$job->is_status(0, "windows under $coord");
	$job->out_like(qr/\Ahalo: right, refused, 3 ranks\n\z/, "windows under $coord");
	$job->err_like(qr/^rank 1 on \S+: FTMPI_Perform_Checkpoint: line 1 is not made: there are windows; .*`-coord blocking`/m,
		"windows under $coord");
}

File::Path::remove_tree(map { "$dir/$_" } qw(open eventlog tagging));

# ---- killed ----

for my $how (qw(sleep compute receive collective)) {
	for my $ranks ([2], [0, 1, 2, 3]) {
		my $fault = FTMPI::Test::Fault->start(program => 'halo', coord => 'blocking',
			args => [qw(40 -ckpt 10 -sure -trace -hold 25 -hold-in), $how]);
		$fault->all_held;
		$fault->kill_ranks(@$ranks);
		$fault->survived("ranks @$ranks are killed, $how", restarts => [1, 3]);
		$fault->job->out_like(qr/^restored after round 20$/m, "ranks @$ranks are killed, $how");
	}
}

for my $seed (1 .. 4) {
	my $fault = FTMPI::Test::Fault->start(program => 'halo', coord => 'blocking',
		run => ['-max-restarts', 1000], args => [qw(300 -ckpt 7 -sure -trace -hold 300 -holds 3)]);
	my $kills = $fault->kill_at_random($seed);
	cmp_ok($kills, '>=', 3, "seed $seed: ranks were killed");
	$fault->survived("killed at random, seed $seed", restarts => [3, $kills]);
}

done_testing();
