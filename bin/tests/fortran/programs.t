# SPDX-License-Identifier: BSD-3-Clause
#
# Programs in Fortran 77, 90 and 2008 that compute, make recovery lines, lose a rank and go on: the answer is that of
# an undisturbed run. One that makes no checkpoints is not begun again.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();

plan skip_all => 'there is no Fortran library: gfortran was not there' if !-e "$ENV{FTMPI_LIBDIR}/libftmpifort.so";
FTMPI::Test::Fault::alone();

for my $program (qw(ftn77 ftn90 ftn08)) {
	for my $coord (qw(blocking eventlog)) {
		my $fault = FTMPI::Test::Fault->start(program => $program, coord => $coord, run => ['-vv'],
			args => [qw(-ckpt 10 -hold 25)]);
		$fault->all_held;
		$fault->wait_for(err => qr/line \d+ is committed/);
		$fault->kill_ranks(2);
		$fault->survived("$program, $coord", restarts => 1);
		$fault->job->out_like(qr/^restored after round (?:10|20)$/m, "$program, $coord: goes on from a line");
	}
}
my $fault = FTMPI::Test::Fault->start(program => 'ftnplain', ranks => 2);
$fault->wait_for(out => qr/^ready$/m);
$fault->kill_ranks(1);
my $job = $fault->job->finish;
$job->is_status(137, 'a program that makes no checkpoints, and loses a rank');
$job->err_like(qr/^ftmpirun: rank 1 on \S+ was killed by signal 9 \(Killed\)/m, '... ends');
$fault->judge_restarts('... and is not begun again', 0);

done_testing();
