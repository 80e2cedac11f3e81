#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Many ranks on one host.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use LauncherTest;

my $job = wait_end(begin([ 'sh', '-c', 'ulimit -S -n 256; exec "$@"', 'sh', $FTMPIRUN, '-n', 512,
	'sh', '-c',
	'echo $FTMPI_RANK' ]));
is($job->{status}, 0,
	'512 ranks, more than the soft limit of descriptors allows') or diag $job->{err};
is(join(' ', sort { $a <=> $b } split /\n/, $job->{out}), join(' ', 0 .. 511), '... all of them');
$job = wait_end(begin([ 'sh', '-c', 'ulimit -n 64; exec "$@"', 'sh', $FTMPIRUN, '-n', 512,
	'true' ]));
is($job->{status}, 1, 'a hard limit');
like($job->{err},
	qr/^ftmpirun: host \S+: cannot \N+: Too many open files: the limit there is 64 \(ulimit -n\)\n\z/,
	'... is told');
$job = ftmpirun([ '-n', 100, $RANK, qw(init 99:exit:3 hang) ]);
is($job->{status}, 3, '100 ranks that are ended');
nobody_left();
done_testing;
