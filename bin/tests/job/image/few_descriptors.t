# SPDX-License-Identifier: BSD-3-Clause
#
# Image jobs where the limit of open files is low, and where a program has more of them than could be opened again.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::FixedAddresses      ();
use FTMPI::Test::Job           qw(ftmpirun program);
use FTMPI::Test::PlainPrograms ();

my $why = FTMPI::FixedAddresses::refuses(FTMPI::FixedAddresses::stack_here());
plan skip_all => $why if defined $why;

my @args = (400, '-steps', 12000);
my ($expected) = FTMPI::Test::PlainPrograms::undisturbed('plain_laplace', 2, @args);

# Runs an image job whose rank 1 is killed behind its second line, by a shell that has done this before.
sub job
{
	my ($setup) = @_;
	my $dir = File::Temp->newdir('ftmpi-few-XXXXXX', TMPDIR => 1);
	return FTMPI::Test::Job->run([ 'bash', '-c', "$setup && exec \"\$0\" \"\$@\"", ftmpirun(), '-vv', '-n', 2, '-image', '-ckpt-interval', 0.05, '-workdir', "$dir",
		program('plain_laplace'), @args ], env => { FTMPI_FAULT => 'line-written:1:0:2:kill' });
}

# A pipe that all ranks inherit lies above the limit: between it and the others there is room.
my $job = job('exec 90< <(:) && ulimit -n 80');
$job->is_status(0, 'a low limit, and an inherited descriptor above it');
is(FTMPI::Test::PlainPrograms::said($job->out), $expected, '... the answer is right');
$job->err_like(qr/^ftmpirun: rank 1 on \S+ was killed by signal 9/m, '... a rank was killed');
$job->err_like(qr/^ftmpirun: all 2 ranks run again.*\(line [1-9]/m, '... and all went on from a line');
unlike($job->err, qr/cannot be loaded/, '... which could be loaded');
$job->none_left('a low limit');

# Each of these is opened anew, beside the number that it comes to.
$job = job('ulimit -n 300 && for n in {100..290}; do eval "exec $n</etc/passwd" || exit; done');
$job->is_status(0, 'more files than can be opened twice');
is(FTMPI::Test::PlainPrograms::said($job->out), $expected, '... the answer is right');
$job->err_like(qr/line 1 is not made: its open files could not be opened again within the limit of open files \(ulimit -n\)/m, '... there is no line, and a sentence');
unlike($job->err, qr/is committed/, '... and none that could not be loaded');
$job->none_left('many files');

done_testing();
