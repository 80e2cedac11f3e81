# SPDX-License-Identifier: BSD-3-Clause
#
# A rank 0 that goes on from an image gets the standard input that the image has not read; and all of it again, which is
# told, where nobody knows what it had read.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::AskedLine qw(make_line);
use FTMPI::Test::File    qw(read_file write_file);
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(run_quiet wait_until);

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

my $unsure = qr/^ftmpirun: it is not known how much of its standard input rank 0 had read in line 1: it is given all of it again\.$/m;

# Lines are known by their numbers here: none is asked for twice as it takes long.
my @image = qw(-n 2 -image -image-patience 600 -coord);

# A job of two ranks with this standard input.
sub start
{
	my ($coord, $stdin) = @_;
	my $dir = File::Temp->newdir('ftmpi-input-XXXXXX', TMPDIR => 1);
	my $job = FTMPI::Test::Job->start([ ftmpirun(), @image, $coord, '-workdir', "$dir/work", program('input'), "$dir/gate" ],
		stdin => join '', map { "$_\n" } @$stdin);
	return ($job, $dir);
}

# When ftmpirun has noted what rank 0 had read of its input in this line; it may say before that there is the line.
sub noted
{
	my ($dir, $line, $bytes) = @_;
	my $is_there = sub {
		return grep { -s && read_file($_) =~ /^line $line $bytes$/m } glob "$dir/work/*/job.input";
	};
	return ok(wait_until(60, $is_there), "it is noted what had been read in line $line");
}

sub ends
{
	my ($job, $name, $sum) = @_;
	$job->finish;
	$job->is_status(0, $name);
	$job->out_like(qr/^input: the end, sum $sum$/m, $name);
	$job->err_like(qr/restart 1 of \d+ from line 1\b/, $name);
	$job->none_left($name);
	return;
}

for my $coord (qw(blocking eventlog)) {
	subtest "what was read is known, $coord" => sub {
		my ($job, $dir) = start($coord, [qw(1 2 gate 3 die 4)]);
		$job->wait_for(out => qr/^input: at the gate$/m);
		ok(make_line($job), 'a line, before more is read');
		noted($dir, 1, 9);
		write_file("$dir/gate", '');
		ends($job, 'all of it comes once', 20);
		unlike($job->err, $unsure, '... which needs no words');
	};

	subtest "it is not known, $coord" => sub {
		my ($job, $dir) = start($coord, [qw(1 line 2 die 3)]);
		ends($job, 'what was read before the line comes twice', 14);
		like($job->err, $unsure, '... which is told');
	};

	# The same command, with -restore.
	subtest "ftmpirun is lost, $coord" => sub {
		my ($job, $dir) = start($coord, [qw(1 2 gate 3)]);
		$job->wait_for(out => qr/^input: at the gate$/m);
		ok(make_line($job), 'a line, before more is read');
		noted($dir, 1, 9);
		$job->signal('KILL');
		$job->finish;
		$job->none_left('the job');
		my @again = (ftmpirun(), @image, $coord, '-workdir', "$dir/work");
		my @program = (program('input'), "$dir/gate");
		if ($coord eq 'blocking') {
			# without input, which is told when it has come back; its lines know what the first job has read
			my $second = FTMPI::Test::Job->start([ @again, '-restore', @program ]);
			$second->wait_for(err => qr{rank 0 had read 9 bytes});
			ok(make_line($second), 'a job that goes on from it makes a line') or diag($second->saw);
			noted($dir, 2, 9);
			$second->signal('KILL');
			$second->finish;
			$second->none_left('the second job');
		}
		my $first = $coord eq 'blocking' ? 2 : 1;
		for my $case ([ [qw(1 2 gate 3 4)], 20 ], [ [], 6, 'none came' ], [ [1], 6, 'only 2 bytes came' ]) {
			my ($stdin, $sum, $short) = @$case;
			$short = "rank 0 had read 9 bytes of its standard input in line $first, and now $short: " if defined $short;
			write_file("$dir/gate", '');
			my $again = FTMPI::Test::Job->run([ @again, qw(-restore -restart-from-start), @program ], stdin => join '', map { "$_\n" } @$stdin);
			$again->is_status(0, 'the end');
			$again->out_like(qr/^input: the end, sum $sum$/m, '... what had been read is not read again');
			is(scalar($again->err =~ /^ftmpirun: rank 0 had read/m), scalar defined $short, '... and a shorter input is told') or diag($again->saw);
			$again->err_like(qr/^ftmpirun: \Q$short\E/m, '... with its length') if defined $short;
			unlike($again->err, $unsure, '... nothing is unsure');
		}
	};
}

done_testing();
