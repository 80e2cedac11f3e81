# SPDX-License-Identifier: BSD-3-Clause
#
# Standard streams that are closed or full, or whose reader goes away: no output is lost silently, no job waits
# for a reader that is gone, and nothing is left.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use POSIX ();
use Test::More;

use FTMPI::Test::Alone   ();
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(wait_gone);

FTMPI::Test::Alone::enter();

my $dir = '/var/tmp/streams';
mkdir $dir or die "$dir: $!\n";
FTMPI::Test::Alone::remember();
my $endless = 'i=0; while :; do i=$((i+1)); echo "line $i of $FTMPI_RANK"; done';

# A line for the shell, in which "$@" is ftmpirun with these words; $? of it is printed on stderr.
sub in_shell
{
	my ($line, @words) = @_;
	my $job = FTMPI::Test::Job->run(['sh', '-c', $line, 'sh', ftmpirun(), @words], dir => $dir,
		deadline => 60);
	FTMPI::Test::Alone::at_rest($line);
	return $job;
}

subtest 'the reader goes away' => sub {
	my $line = '{ "$@"; echo "status $?" >&2; } | head -1';
	for my $words (['yes'], ['sh', '-c', $endless], ['sh', '-c', "trap '' PIPE TERM; $endless 2>&1"]) {
		my $job = in_shell($line, '-n', 4, @$words);
		$job->out_like(qr/\A[^\n]+\n\z/, "@$words | head -1");
		is($job->err, "status 141\n", '... ends quietly, with the status of SIGPIPE');
	}
	my $job = in_shell('{ "$@"; echo "status $?" >&2; } | sleep 0', '-n', 2, 'sh', '-c',
		'cat; echo at the end');
	ok($job->err =~ /\Astatus (?:0|141)\n\z/, 'a reader that reads nothing') or diag($job->saw);
	$job = in_shell('{ { "$@"; echo "status $?" >&3; } 2>&1 >&3 | sleep 0; } 3>&1', '-n', 2, 'sh',
		'-c', 'cat; i=0; while test $i -lt 2000; do i=$((i+1)); echo "a line" >&2; done; echo out');
	$job->out_like(qr/\A(?:out\n){2}status 0\n\z/, 'the reader of stderr goes away: stdout still comes');
};

subtest 'a full disk' => sub {
	my $full = qr/ftmpirun: cannot write to standard output: No space left on device/;
	for my $case ([qr/$full\n/, '-help'], [qr/$full\n/, '-man'], [qr/$full\n/, '-version'],
		[qr/$full(?:; the job is ended\.)?\n/, '-n', 2, 'echo', 'x'],
		[qr/$full; the job is ended\.\n/, '-n', 2, 'yes'],
		[qr/$full; the job is ended\.\n/, '-n', 2, 'sh', '-c', 'echo x; sleep 1000']) {
		my ($sentence, @words) = @$case;
		my $job = in_shell('"$@" >/dev/full', @words);
		$job->is_status(1, "@words >/dev/full");
		$job->err_like(qr/\A$sentence\z/, "@words >/dev/full");
	}
	in_shell('"$@" >/dev/full 2>&1', '-n', 2, 'yes')->is_status(1, 'both streams full');
	my $job = in_shell('"$@" 2>/dev/full', '-n', 2, 'sh', '-c', 'echo x >&2; echo done');
	$job->out_like(qr/\A(?:done\n){2}\z/, 'stderr full: stdout still comes');
};

# Output files may be 512 bytes long; ranks find the signal as ftmpirun did.
subtest 'a limit of file lengths' => sub {
	my $limited = qr/ftmpirun: cannot write to standard output: File too large/;
	my $line = 'ulimit -f 1; "$@" >out; status=$?; rm out; exit $status';
	my $job  = in_shell($line, '-n', 2, 'sh', '-c', 'exec yes');
	$job->is_status(1, 'yes');
	$job->err_like(qr/\A$limited; the job is ended\.\n\z/, 'yes');
	$job = in_shell($line, '-man');
	$job->is_status(1, '-man');
	$job->err_like(qr/\A$limited\n\z/, '-man');
	for my $first ('', 'trap "" XFSZ; ') {
		$job = in_shell($first . '"$@"', '-n', 1, 'grep', 'SigIgn', '/proc/self/status');
		my ($ignored) = $job->out =~ /^SigIgn:\s*(\w+)$/m;
		is(hex(substr $ignored // '0', -8) >> (POSIX::SIGXFSZ() - 1) & 1, $first ? 1 : 0, "the rank's SIGXFSZ ($first)")
			or diag($job->saw);
	}
};

# All that the job says waits while ftmpirun is stopped; its output is then the last thing it writes.
subtest 'a full disk found after the end' => sub {
	my $rank = 'echo $$ >&2; while ! test -e go; do sleep 0.05; done; echo the result';
	my $job = FTMPI::Test::Job->start(['sh', '-c', 'exec "$@" >/dev/full', 'sh', ftmpirun(), '-n', 1,
			'sh', '-c', $rank], dir => $dir, deadline => 60);
	$job->wait_for(err => qr/^(\d+)$/m) or return;
	my ($pid) = $job->err =~ /^(\d+)$/m;
	$job->signal('STOP');
	open(my $go, '>', "$dir/go") or die "$dir/go: $!\n";
	is_deeply([wait_gone(time + 30, $pid)], [], 'the rank has ended');
	$job->signal('CONT');
	$job->finish;
	unlink "$dir/go";
	$job->is_status(1, 'the last output is lost');
	$job->err_like(qr/^ftmpirun: cannot write to standard output: No space left on device(?:; the job is ended\.)?$/m,
		'the last output is lost');
	FTMPI::Test::Alone::at_rest('the last output');
};

subtest 'closed from the start' => sub {
	for my $closed ('<&-', '>&-', '2>&-', '<&- >&-', '<&- >&- 2>&-') {
		my $job = in_shell("\"\$@\" $closed", '-n', 2, program('pi'), 1000);
		$job->is_status(0, "called with $closed");
		is($job->err, '', '... quietly');
		$job = in_shell("\"\$@\" $closed", '-n', 2, 'sh', '-c', 'exit 3');
		$job->is_status(3, "a job that fails, called with $closed");
	}
};

# A file of 64 KiB at most (as a quota would have it), by a limit that its writer gets as an error.
subtest 'a file that may not grow' => sub {
	my $job = in_shell('trap "" XFSZ; ulimit -f 64; "$@" >out; status=$?; rm out; exit $status',
		'-n', 2, 'yes');
	$job->is_status(1, 'a file that may not grow');
	$job->err_like(qr/\Aftmpirun: cannot write to standard output: File too large; the job is ended\.\n\z/,
		'a file that may not grow');
};

done_testing();
