# SPDX-License-Identifier: BSD-3-Clause
#
# A program that is not position independent and takes the addresses of malloc and sigaction, as Debian's python3 does:
# an entry of the program stands for each, and the program has no allocator of its own for all that. It computes, and sleeps, without
# a call of MPI, and there are lines all the same.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File qw(write_file);
use FTMPI::Test::Job  qw(ftmpirun root);

my $dir = File::Temp->newdir('ftmpi-fixed-XXXXXX', TMPDIR => 1);

write_file("$dir/fixed.c", <<'C');
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	/* in code, which is not relocated: the linker has to know both addresses */
	void *(*volatile allocate)(size_t) = malloc;
	int (*volatile action)(int, const struct sigaction *, struct sigaction *) = sigaction;
	struct sigaction is;
	double x = 1;

	MPI_Init(&argc, &argv);
	free(allocate(action(SIGUSR1, NULL, &is) + 100));
	puts("computes");
	fflush(stdout);
	while (access(argv[1], F_OK)) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec++;
		if (strcmp(argv[2], "sleeps") == 0)
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		for (int i = 0; i < 10000000; i++)
			x = x * 0.999 + 1;
	}
	printf("%.3f\n", x);
	return MPI_Finalize();
}
C

FTMPI::Test::Job->run([ root() . '/bin/ftmpicc', '-O1', '-fno-pie', '-no-pie', '-o', 'fixed', 'fixed.c' ], dir => "$dir")->is_status(0, 'it compiles');
my $symbols = `readelf -W --dyn-syms $dir/fixed`;
like($symbols, qr/: 0*[1-9a-f][0-9a-f]* +0 FUNC +GLOBAL DEFAULT +UND $_\@/, "an entry of the program stands for $_") for qw(malloc sigaction);

for my $how (qw(computes sleeps)) {
	my $job = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', 2, '-image', '-ckpt-interval', 0.1, '-workdir', $how, './fixed', "go-$how", $how ],
		dir => "$dir", deadline => 60);
	ok($job->wait_for(out => qr/^computes$/m, 2), "$how: all ranks are in the loop");
	my $lines = () = $job->err =~ /line \d+ is committed/g;
	ok($job->wait_for(err => qr/line \d+ is committed/, $lines + 2), "$how: there are lines without a call of MPI");
	my ($pid) = $job->err =~ /rank 1 on \S+ is process (\d+)$/m;
	kill KILL => $pid;
	ok($job->wait_for(err => qr/all 2 ranks run again/), "$how: a rank that was killed comes back");
	write_file("$dir/go-$how", '');
	$job->finish;
	$job->is_status(0, $how);
	$job->out_like(qr/^1000\.000\n1000\.000$/m, $how);
	$job->none_left($how);
}

done_testing();
