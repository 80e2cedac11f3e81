# SPDX-License-Identifier: BSD-3-Clause
#
# The wall clock may jump: nothing depends on it. Launcher, agent and ranks run with a library under
# them that moves it by hours with every look at it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use POSIX ();
use Test::More;

use FTMPI::Test::Job     qw(ftmpirun program sanitized);
use FTMPI::Test::Process qw(must_run);

plan skip_all => 'a sanitizer must be the first library, and so must this test\'s'
	if sanitized('load');

my $scratch = File::Temp->newdir;
my $shim    = "$scratch/jump.so";
open(my $source, '>', "$scratch/jump.c") or die "$scratch/jump.c: $!\n";
print $source <<'EOC';
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* now one hour behind, now one, two or three ahead */
static time_t jump(void)
{
	static unsigned looks;
	return (time_t)(__atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED) * 7 % 5) * 3600 - 3600;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	long rc = syscall(SYS_clock_gettime, id, t);
	if (rc == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		t->tv_sec += jump();
	return (int)rc;
}

int gettimeofday(struct timeval *restrict v, void *restrict zone)
{
	struct timespec t;
	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	v->tv_sec = t.tv_sec;
	v->tv_usec = t.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *out)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	if (out != NULL)
		*out = t.tv_sec;
	return t.tv_sec;
}
EOC
close($source);
must_run($ENV{CC} // 'cc', '-O1', '-fPIC', '-shared', '-o', $shim, "$scratch/jump.c");

my $look = 'use Time::HiRes; $a = Time::HiRes::time() - Time::HiRes::time(); $b = time - time;'
	. ' print abs($a) > 1000 && abs($b) > 1000 ? "jumps" : "steady: $a $b"';
is(must_run('env', "LD_PRELOAD=$shim", 'perl', '-e', $look), 'jumps', 'the clock of perl jumps');

sub run
{
	my ($command, %option) = @_;
	return FTMPI::Test::Job->run($command, env => { LD_PRELOAD => $shim }, %option);
}

run([ ftmpirun(), '-n', 2, 'perl', '-e', $look ])
	->well(qr/\A(?:jumps){2}\z/, 'the clock of ranks jumps');
run([ ftmpirun(), '-n', 12, program('load'), 'everyone' ])
	->well(qr/^load: right, everyone, 12 ranks$/m, 'every rank connects to every other');
run([ ftmpirun(), '-timeout', 100, '-n', 4, program('load'), 'alltoall', '-rounds', 200 ])
	->well(qr/^load: right, alltoall, 4 ranks$/m, '-timeout 100');
run([ ftmpirun(), '-n', 5, program('randtest'), '-cases', 100, '-max-bytes', 200000 ])
	->well(qr/^randtest: 100 cases right/m, 'randtest');

# a time that is over is over
my $job = run([ ftmpirun(), '-timeout', 0.2, '-n', 2, program('badcall'), 'hang' ], deadline => 60);
$job->is_status(124, '-timeout 0.2');
$job->none_left('-timeout 0.2');

# ranks that do not listen to SIGTERM get a second, not an hour
$job = FTMPI::Test::Job->start([ ftmpirun(), '-n', 2, program('badcall'), 'stubborn' ],
	env => { LD_PRELOAD => $shim }, deadline => 60);
$job->wait_for(out => qr/^rank $_ /m) for 0, 1;
$job->signal('TERM');
$job->finish;
$job->is_status(143, 'ranks that stay');
$job->none_left('ranks that stay');

# retries: a rank is connected to while it is not in MPI yet
my $fifo = "$scratch/fifo";
POSIX::mkfifo($fifo, 0600) or die "$fifo: $!\n";
run([ ftmpirun(), '-n', 3, program('load'), 'late', '-file', $fifo ])
	->well(qr/^load: right, late, 3 ranks$/m, 'a rank that is late');

done_testing();
