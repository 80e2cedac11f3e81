# SPDX-License-Identifier: BSD-3-Clause
#
# A rank 0 that goes on from an image gets the standard input that the image has not read, to the byte: whenever it reads, whatever
# makes the line, whoever is killed at which step, and when ftmpirun itself is. What cannot be given again is told.
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

# When ftmpirun has noted what rank 0 had read of its input in a line; it may say before that there is the line.
sub noted
{
	my ($dir, $bytes) = @_;
	my $is_there = sub {
		return grep { -s && read_file($_) =~ /^read $bytes [0-9a-f]{64}$/m } glob "$dir/work/*/job.input";
	};
	return ok(wait_until(60, $is_there), 'it is noted what had been read in the line');
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
		noted($dir, 9);
		write_file("$dir/gate", '');
		ends($job, 'all of it comes once', 20);
		unlike($job->err, $unsure, '... which needs no words');
	};

	subtest "a line of the program's own, $coord" => sub {
		my ($job, $dir) = start($coord, [qw(1 line 2 die 3)]);
		ends($job, 'what was read before the line comes once', 12);
	};

	# The same command, with -restore.
	subtest "ftmpirun is lost, $coord" => sub {
		my ($job, $dir) = start($coord, [qw(1 2 gate 3)]);
		$job->wait_for(out => qr/^input: at the gate$/m);
		ok(make_line($job), 'a line, before more is read');
		noted($dir, 9);
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
			noted($dir, 9);
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
		my $other = FTMPI::Test::Job->run([ @again, qw(-restore -restart-from-start), @program ], stdin => join '', map { "$_\n" } qw(1 3 gate 3));
		$other->is_status(1, 'another input');
		$other->err_like(qr/^ftmpirun: the standard input is another one than that of which rank 0 had read 9 bytes in line \d+: give the same/m, '... is refused');
		unlike($other->out, qr/the end/, '... before rank 0 gets any of it');
	};
}

# ---- one that reads all the time ----

use constant LAST => 400;

my $numbers = join '', map { "$_\n" } 1 .. LAST;

sub order_command
{
	my ($coord, $dir, $option, @args) = @_;
	return (ftmpirun(), qw(-n 2 -image -max-restarts 20 -coord), $coord, '-workdir', "$dir/work", @$option, program('input_order'), @args);
}

sub all_came_once
{
	my ($job, $what) = @_;
	$job->is_status(0, $what);
	$job->out_like(qr/^input_order: last @{[LAST]}, sum @{[ LAST * (LAST + 1) ]}$/m, $what);
	unlike($job->err, $unsure, '... without a word');
	$job->none_left($what);
	return;
}

my @by_time = ('-ckpt-interval', '0.02');

# Runs a job (a sub that gets a folder and words for the program), and lets it read more slowly until what is to happen while it reads has happened:
# on a busy machine lines take long.
sub with_time_for
{
	my ($pattern, $what, $run) = @_;
	my $job;
	for my $pause (500, 3000, 15000, 75000) {
		my $dir = File::Temp->newdir('ftmpi-input-XXXXXX', TMPDIR => 1);
		$job = $run->($dir, '-pause-us', $pause);
		last if $job->err =~ $pattern;
	}
	$job->err_like($pattern, $what);
	return;
}

# The steps at which rank 0 or 1 is killed, in lists for each coordination.
my %steps = (
	blocking => [ 'image-agreed:0:0:3:kill', 'manifest-folder:0:0:1:kill',
		'line-written:1:0:2:kill,image-cut:1:1:1:kill,image-load:0:2:1:kill,image-woken:0:3:1:kill' ],
	eventlog => [ 'line-captured:0:0:3:kill', 'line-captured:1:0:2:kill,line-written:0:1:2:kill,image-woken:0:2:1:kill', 'manifest-folder:0:0:4:kill' ],
	msglog   => [ 'alone-taken:0:0:3:kill', 'alone-written:0:0:2:kill,image-woken:0:0:1:kill' ],
);

for my $coord (qw(blocking eventlog msglog)) {
	subtest "it reads all the time, $coord" => sub {
		for my $steps (@{ $steps{$coord} }) {
			for my $way (qw(stdio read)) {
				with_time_for(qr/^ftmpirun: rank [01] on \S+ was killed by signal 9\b/m, '... and it was killed', sub {
					my ($dir, @pause) = @_;
					my $job = FTMPI::Test::Job->run([ order_command($coord, $dir, \@by_time, $way, @pause) ], stdin => $numbers, env => { FTMPI_FAULT => $steps });
					all_came_once($job, "$way, killed at $steps");
					return $job;
				});
			}
		}
	};
}

subtest 'lines of its own' => sub {
	my $dir = File::Temp->newdir('ftmpi-input-XXXXXX', TMPDIR => 1);
	my $job = FTMPI::Test::Job->run([ order_command('blocking', $dir, [], qw(stdio -line-each 7 -die-at 100)) ], stdin => $numbers);
	all_came_once($job, 'the program makes lines while it reads');
	$job->err_like(qr/restart 1 of \d+ from line 14\b/, '... from one of which it goes on');
};

subtest 'ftmpirun is lost while it reads' => sub {
	my $dir = File::Temp->newdir('ftmpi-input-XXXXXX', TMPDIR => 1);
	my $job = FTMPI::Test::Job->start([ order_command('blocking', $dir, [ @by_time, '-v' ], qw(read -pause-us 3000)) ], stdin => $numbers);
	$job->wait_for(err => qr/line 3 is committed/);
	$job->signal('KILL');
	$job->finish;
	$job->none_left('the job');
	my $again = FTMPI::Test::Job->run([ order_command('blocking', $dir, [ @by_time, '-restore' ], 'read') ], stdin => $numbers);
	all_came_once($again, 'it goes on');
};

# ---- what ftmpirun cannot give again ----

subtest 'input from elsewhere' => sub {
	my $dir  = File::Temp->newdir('ftmpi-input-XXXXXX', TMPDIR => 1);
	my $shell = sub {
		my ($script, @args) = @_;
		return (ftmpirun(), qw(-n 2 -image -coord blocking -workdir), "$dir/work", @by_time, 'sh', '-c', $script, program('input_order'), "$dir/numbers", @args);
	};
	write_file("$dir/numbers", $numbers);
	with_time_for(qr/restart 1 of \d+ from line [2-9]/, '... of which a part was read', sub {
		my (undef, @pause) = @_;
		my $its = FTMPI::Test::Job->run([ $shell->("exec \"\$0\" stdio -die-at 300 @pause < \"\$1\"") ]);
		all_came_once($its, 'from a file that a shell has opened');
		return $its;
	});
	my $job = FTMPI::Test::Job->run([ $shell->('cat "$1" | "$0" stdio') ]);
	all_came_once($job, 'from another process');
	$job->err_like(qr/its standard input comes from another process, not from ftmpirun, and could not be given again/, '... there is no line');
};

done_testing();
