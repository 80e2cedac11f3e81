# SPDX-License-Identifier: BSD-3-Clause
#
# A file that several ranks write to gets the length that it had at the line, once for all of them: before any rank
# that woke up writes to it again; and where one of them cannot come back no rank cuts it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Fcntl qw(LOCK_EX LOCK_NB);
use File::Temp ();
use Test::More;

use FTMPI::Test::AskedLine qw(make_line);
use FTMPI::Test::File qw(read_file write_file);
use FTMPI::Test::Job qw(ftmpirun program);
use FTMPI::Test::Process qw(run_quiet);

use constant { RANKS => 2, LATE => '2000ms' };

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

my $dir = File::Temp->newdir('ftmpi-shared-files-XXXXXX', TMPDIR => 1);
my $log = "$dir/log";

# A job whose rank 0 is killed behind a line, with rank 1 cutting its files late; $between: before it is killed.
sub interrupted
{
	my ($between, @options) = @_;
	unlink $log;
	my $job = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', RANKS, qw(-image -coord blocking -workdir), "$dir/work", @options,
		program('shared_log'), $log ], env => { FTMPI_FAULT => 'image-cut:1:*:1:' . LATE });
	ok($job->wait_for(out => qr/^shared_log: all have begun$/m), 'all have begun');
	ok(make_line($job), 'a line is made');
	$between->();
	my ($pid) = $job->{err} =~ /^ftmpirun: rank 0 on \S+ is process (\d+)$/m;
	kill 'KILL', $pid;
	$job->finish;
	$job->none_left('the end');
	return $job;
}

my @LINES = map { "rank $_\n" } '0 begins', '0 ends', '0 goes on', '1 begins', '1 ends';
my $later = sub { write_file($log, read_file($log) . "later\n") };

sub is_in_log
{
	my (@lines) = @_;
	open my $file, '<', $log or die "$log: $!\n";
	is(join('', sort <$file>), join('', sort @lines), '... what each has written');
	close $file;
	return;
}

mkdir "$dir/work" or die "$dir/work: $!\n";

subtest 'cut' => sub {
	my $job = interrupted($later);
	$job->is_status(0, 'it ends');
	is_in_log(@LINES);
};

subtest 'kept' => sub {
	my $job = interrupted($later, qw(-image-files keep));
	$job->is_status(0, 'it ends');
	is_in_log(@LINES, "later\n");
};

subtest 'lost' => sub {
	my $job = interrupted(sub { unlink $log or die "$log: $!\n" });
	$job->is_status(1, 'it ends');
	$job->err_like(qr{line 1 of session \S+ cannot be restored: \S+: \Q$log\E, descriptor \d+ of the image, cannot be opened: No such file}, '... with a sentence');
	$job->err_like(qr/^rank 0 on \S+: the only recovery line cannot be restored: the job cannot go on$/m, '... which was the only line');
	$job->err_like(qr/^ftmpirun: the ranks have found no recovery line that they can go on from, so the job is ended\.$/m, '... and no rank is blamed');
};

# Somebody else has the lock of rank 1; rank 0 has none.
subtest 'locked' => sub {
	unlink $log;
	my $job = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', RANKS, qw(-image -coord blocking -workdir), "$dir/work", program('shared_log'), $log ]);
	ok($job->wait_for(out => qr/^shared_log: all have begun$/m), 'all have begun');
	ok(make_line($job), 'a line is made');
	$job->signal('TERM');
	$job->finish;
	$job->none_left('the end');
	$later->();
	my $before = read_file($log);
	open my $file, '+<', "$log.lock" or die "$log.lock: $!\n";
	flock $file, LOCK_EX | LOCK_NB or die "$log.lock: $!\n";
	my @again = (ftmpirun(), '-n', RANKS, qw(-image -restore -workdir), "$dir/work", program('shared_log'), $log);
	$job = FTMPI::Test::Job->run(\@again);
	isnt($job->{status}, 0, 'it does not go on') or diag($job->saw);
	$job->err_like(qr{line 1 of \S+ cannot be loaded: \Q$log\E\.lock, descriptor \d+ of the image, was locked \(flock\), and the lock cannot be had: somebody else has it}, '... with a sentence');
	is(read_file($log), $before, '... and the file is as it was');
	close $file;
	$job = FTMPI::Test::Job->run(\@again);
	$job->is_status(0, 'when the lock is free it does');
	is_in_log(@LINES);
};

done_testing();
