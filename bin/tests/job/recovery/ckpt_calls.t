# SPDX-License-Identifier: BSD-3-Clause
#
# What the calls of ftmpi.h return: in a job, in one process without ftmpirun, and with -ckpt-interval; and what
# happens when a checkpoint cannot be written.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

my $scratch = File::Temp->newdir('ftmpi-calls-XXXXXX', TMPDIR => 1);
my $right   = qr/\Ackpt_calls: all right\n\z/;

# What a program that does not look at results reads of each call that failed, once from each process; $ranks of them.
my @failed = (
	'FTMPI_Perform_Checkpoint was called before MPI_Init, and did nothing (of such calls only the first is told)',
	map { "$_ (of its failures only the first is told)" } 'FTMPI_CKPT_AddToBuffer failed: there is no data buffer',
	'FTMPI_CKPT_GetFromBuffer failed: there is no data buffer', 'FTMPI_CKPT_AllocBuffer failed: an argument is negative or NULL',
	'FTMPI_CKPT_Protect failed: the id -1 is not from 0 to 65535');

# It ended well, and told of these failures, and of what is given here.
sub right
{
	my ($ranks, $name, $job, @more) = @_;
	my %said;
	$said{$_}++ for map { s/^(?:rank \d+ on \S+|ftmpi\S*): //r } split /\n/, $job->err;
	$job->is_status(0, $name);
	$job->out_like($right, $name);
	is_deeply([ map { $said{$_} } @failed ], [ map { $ranks } @failed ], '... failures are told, once a call') or diag($job->saw);
	is(scalar(keys %said), scalar(@failed) + @more, '... and no others') or diag($job->saw);
	$job->none_left($name);
	return;
}

right(3, 'three ranks', FTMPI::Test::Job->run([ftmpirun(), '-n', 3, '-coord', 'blocking', '-workdir', "$scratch/a", program('ckpt_calls')]));
is(scalar(my @lines = glob "$scratch/a/*/line-*.manifest"), 2, 'the newest two lines are there');

right(2, 'with an interval', FTMPI::Test::Job->run(
	[ftmpirun(), '-n', 2, '-coord', 'blocking', '-workdir', "$scratch/b", '-ckpt-interval', 0.05, '-keep', 1,
		program('ckpt_calls'), '-in-time']));
is(scalar(@lines = glob "$scratch/b/*/line-*.manifest"), 1, '-keep 1 keeps one line');
is(scalar(@lines = glob "$scratch/b/*/line-*.e0000"),    1, '... and its files alone');

right(1, 'alone', FTMPI::Test::Job->run(['sh', '-c', 'cd "$0" && exec "$1"', "$scratch", program('ckpt_calls')]));
is(scalar(@lines = glob "$scratch/2*/line-*.manifest"), 2, '... in the current directory');

my $job = FTMPI::Test::Job->run(
	[ftmpirun(), '-n', 3, '-coord', 'blocking', '-workdir', "$scratch/c", program('ckpt_calls'), '-thread']);
$job->is_status(0, 'another thread is inside MPI');
$job->err_like(qr/^rank 2 on \S+: FTMPI_Perform_Checkpoint: line 4 is not made: another thread is inside/m,
	'another thread is inside MPI');
$job->out_like($right, 'every rank is told, and the next line is made');

# ---- protocols that do not wait ----

for my $coord (qw(eventlog tagging compare auto)) {
	my @own = $coord eq 'auto' ? '-auto' : ();
	right(3, "-coord $coord", FTMPI::Test::Job->run([ftmpirun(), '-n', 3, '-coord', $coord, '-workdir', "$scratch/$coord",
		program('ckpt_calls'), '-local', @own]));
	is(scalar(@lines = glob "$scratch/$coord/*/line-*.manifest"), 2, '... its lines are there');
	is(scalar(@lines = glob "$scratch/$coord/*/line-*.e0000"),    2, '... and the files of no other');
}

right(2, 'eventlog: each rank is told when it is time', FTMPI::Test::Job->run(
	[ftmpirun(), '-n', 2, '-coord', 'eventlog', '-workdir', "$scratch/d", '-ckpt-interval', 0.05, '-keep', 1,
		program('ckpt_calls'), '-local', '-in-time']));
is(scalar(@lines = glob "$scratch/d/*/line-*.manifest"), 1, '... -keep 1 keeps one line');

for my $case ([ 'copy', 'ckpt-copy', qr/no memory/ ], [ 'write', 'ckpt-write', qr/cannot write .*No space left/ ]) {
	my ($how, $point, $why) = @$case;
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 3, '-coord', 'eventlog', '-workdir', "$scratch/$how",
			program('ckpt_calls'), '-local', '-broken', $how],
		env => { FTMPI_FAULT => "$point:2:0:1:ENOSPC" });
	$job->is_status(0, "a $how that fails");
	$job->err_like(qr/^rank 2 on \S+: FTMPI_Perform_Checkpoint: line 1 is not made: [^\n]*$why[^\n]*\n/m,
		'... is said by its rank');
	is(scalar(() = $job->err =~ /is not made/g), 1, '... once');
	$job->out_like($right, '... the line is nowhere, which all are told, and the next one is made');
}

# What a thread inside MPI is good for here: who waits for the others hears at once that there is no line.
for my $case ([ 'eventlog', '-local' ], [ 'auto', '-local', '-auto' ], [ 'auto', '-local', qw(-auto -choose tagging) ],
	[ 'auto', qw(-auto -choose blocking) ], [ 'blocking', qw(-choose eventlog) ], [ 'eventlog', '-local', qw(-choose blocking) ]) {
	my ($coord, @words) = @$case;
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 3, '-coord', $coord, '-workdir', "$scratch/e",
		program('ckpt_calls'), '-thread', @words]);
	$job->is_status(0, "-coord $coord, @words: another thread is inside MPI");
	$job->err_like(qr/^rank 2 on \S+: FTMPI_Perform_Checkpoint: line 4 is not made: another thread is inside/m,
		'... which its rank says');
	$job->out_like($right, '... the others are told by the rule of the protocol, and the next line is made');
}

for my $local ([ 'blocking' ], [ 'eventlog', '-local' ]) {
	my ($coord, @own) = @$local;
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 3, '-coord', $coord, '-workdir', "$scratch/freed-$coord",
			program('ckpt_calls'), '-freed', @own]);
	right(3, "$coord: a variable whose memory is gone", $job, 'a sentence');
	$job->err_like(qr/^rank 2 on \S+: FTMPI_Perform_Checkpoint: line \d+ is not made: while saving variable 9: 1048576 bytes of it at \S+ are not/m,
		'... is named, and the next line is made without it');
}

done_testing();
