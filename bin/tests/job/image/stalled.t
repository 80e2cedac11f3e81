# SPDX-License-Identifier: BSD-3-Clause
#
# A process that writes the image of a rank stands still: it is given up with its line, a sentence says so, later lines
# are made, and the job ends.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;
use Time::HiRes qw(time);

use FTMPI::Test::File qw(write_file);
use FTMPI::Test::Job qw(ftmpirun program);
use FTMPI::Test::Process qw(patience run_quiet wait_gone wait_until);

# six times the patience
use constant { RANKS => 2, PATIENCE => 0.2, LIMIT => '1.2', GONE => 10 };

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

my $said = qr/^rank 1 on \S+: line \d+ is not made: the process that writes its image wrote nothing for \Q@{[LIMIT]}\E s and was ended: it was stopped, or the disk does not answer$/m;

sub slurp { return FTMPI::Test::Process::slurp($_[0]) }

# The process that writes the image of rank 1, if there is one.
sub writer
{
	my ($job) = @_;
	my ($rank) = $job->err =~ /^ftmpirun: rank 1 on \S+ is process (\d+)$/m or return;
	my ($child) = join(' ', map { slurp($_) } glob "/proc/$rank/task/*/children") =~ /(\d+)/;
	return $child;
}

sub is_stopped { return slurp("/proc/$_[0]/stat") =~ /.*\) T /s }

# Stops one, which may just be ending. Returns its number.
sub stop_one
{
	my ($job) = @_;
	my $stopped;
	wait_until(30, sub {
		$job->take(time + 0.001);
		my $writer = writer($job) // return 0;
		kill 'STOP', $writer;
		$stopped = $writer if wait_until(1, sub { is_stopped($writer) || !-e "/proc/$writer" }) && is_stopped($writer);
		return $stopped;
	});
	return $stopped;
}

sub start
{
	my ($dir, $coord, $fault) = @_;
	my $job = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', RANKS, '-image', '-coord', $coord, '-ckpt-interval', 0.1, '-image-patience', PATIENCE,
		'-workdir', "$dir/work", program('places'), 'compute', "$dir/over" ], env => { FTMPI_FAULT => $fault });
	ok($job->wait_for(err => qr/^ftmpirun: rank 1 on \S+ is process/m), 'the ranks are there');
	return $job;
}

sub ends
{
	my ($job, $dir, $writer) = @_;
	write_file("$dir/over", '');
	$job->finish;
	$job->is_status(0, 'the end');
	$job->out_like(qr/^places: right, compute$/m, '... is right');
	$job->err_like($said, '... a sentence says what was given up');
	unlike($job->err, qr/restart \d+ of/, '... and no rank began again');
	is(join(' ', wait_gone(time + patience(GONE), $writer)), '', 'who stood still is gone');
	is(join(' ', glob "$dir/work/*/*/*.tmp*"), '', '... and its file');
	return $job->none_left('the job');
}

for my $coord (qw(blocking eventlog)) {
	# what is written slowly can be stopped
	subtest "$coord, lines are made again" => sub {
		my $dir    = File::Temp->newdir('ftmpi-stalled-XXXXXX', TMPDIR => 1);
		my $job    = start($dir, $coord, 'ckpt-write:1:0:*:20ms');
		my $writer = stop_one($job);
		ok($writer, 'one is stopped') or diag $job->saw;
		ok($job->wait_for(err => $said), 'it is given up');
		my $seen = length $job->err;
		ok($job->wait_for(err => qr/\A.{$seen}.*^ftmpirun: line \d+ is committed$/ms), 'another line is made');
		ends($job, $dir, $writer // 0);
	};

	subtest "$coord, at the end" => sub {
		my $dir = File::Temp->newdir('ftmpi-stalled-XXXXXX', TMPDIR => 1);
		my $job = start($dir, $coord, 'ckpt-write:1:0:1:stop');
		my $writer;
		ok(wait_until(30, sub { $job->take(time + 0.001); $writer = writer($job); $writer && is_stopped($writer) }), 'one stands still') or diag $job->saw;
		ends($job, $dir, $writer // 0);
	};
}

done_testing();
