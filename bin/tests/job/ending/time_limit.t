#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs that come to the end of their time limit, and go on with -restore until they are through: with images, and with lines that
# the program makes when FTMPI_Checkpoint_due says so. The answer is that of one job.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Fault         ();
use FTMPI::Test::Job           qw(ftmpirun program);
use FTMPI::Test::PlainPrograms ();

FTMPI::Test::Fault::alone();

use constant { RANKS => 2, JOBS_MOST => 40 };

# So long that it does not fit in one job.
sub in_parts
{
	my ($name, $program, $times, @options) = @_;
	my $dir  = File::Temp->newdir('ftmpi-limit-XXXXXX', TMPDIR => 1);
	my @args = FTMPI::Test::PlainPrograms::arguments($program, $times, "$dir");
	my ($expected, $took) = FTMPI::Test::PlainPrograms::undisturbed($program, RANKS, @args);
	my ($jobs, $out, $job);
	# it may have taken so long because this machine was busy, and then be through in the first job
	for my $part (2, 4, 8) {
		($jobs, $out, $job) = jobs("$dir/work-$part", $took / $part, @options, program($program), @args);
		last if $jobs > 1;
	}
	is($job->status, 0, "$name: through in the end") or diag $job->saw;
	cmp_ok($jobs, '>', 1, '... after several jobs');
	is(FTMPI::Test::PlainPrograms::said($out), $expected, '... with the same answer');
	return;
}

# How many there were until it was through, what they printed, and the last one.
sub jobs
{
	my ($workdir, $limit, @command) = @_;
	my ($jobs, $out, $job) = (0, '');
	do {
		$job = FTMPI::Test::Job->run([ ftmpirun(), '-n', RANKS, '-restore=auto', '-time-limit', sprintf('%.2f', $limit), '-workdir', $workdir, @command ]);
		$out .= $job->out;
		$limit *= 1.5 if $job->status == 124;    # busy as this machine is there was no time for a line
	} while (++$jobs < JOBS_MOST && $job->status =~ /\A(?:75|124)\z/);
	return ($jobs, $out, $job);
}

in_parts("images under $_", 'plain_laplace', 2, '-image', '-coord', $_) for qw(blocking eventlog);
in_parts("lines of the program under $_", 'pi', 2, '-coord', $_) for qw(blocking eventlog);
in_parts('checkpoints of the program under msglog', 'mail', 3, qw(-coord msglog -ckpt-interval 0.1));

done_testing;
