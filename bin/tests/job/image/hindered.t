# SPDX-License-Identifier: BSD-3-Clause
#
# What cannot be brought back: as long as a rank has it there is no line, a sentence says why, and the job goes on; when
# it is gone a line is made.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::AskedLine qw(ask_for_line make_line);
use FTMPI::Test::File qw(write_file);
use FTMPI::Test::Job qw(ftmpirun program);
use FTMPI::Test::Process qw(run_quiet);

use constant RANKS => 2;

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

my $shared = 'it has memory shared with other processes';
my %why    = (
	socket      => qr{descriptor \d+ is a socket \(socket:\[\d+\]\), which cannot be brought back},
	epoll       => qr{descriptor \d+ is a set of descriptors to wait for \(epoll\) \(anon_inode:\[eventpoll\]\), which cannot be brought back},
	child       => qr{descriptor \d+ is a pipe to somebody else \(pipe:\[\d+\]\), which cannot be brought back},
	lost        => qr{descriptor \d+ is a file that no name leads to any more \(/\S+/lost  ?\(deleted\)\), which cannot be brought back},
	anonymous   => qr{$shared: /dev/zero},
	'system-v'  => qr{it has a System V shared memory segment: /SYSV\w+(?: \(deleted\))?},
	posix       => qr{$shared: /dev/shm/ftmpi-hindered-\d+},
	mapped      => qr{it has a file mapped shared and writable: /\S+/mapped},
	own         => qr{it has memory that no child gets \(MADV_DONTFORK\)},
	timer       => qr{it has a timer of timer_create, which cannot be brought back},
	signal      => qr{it uses signal SIGRTMAX - 1, which stops threads for an image},
	log         => qr{it has a file mapped shared that it has open for writing, too: /\S+/log},
	proc        => qr{descriptor \d+ is a file of /proc that another process has not \(/proc/\d+/mem\), which cannot be brought back},
	link        => qr{descriptor \d+ is a symbolic link itself \(O_PATH\) \(/\S+/link\), which cannot be brought back},
	code        => qr{it has memory without a file where the code of FTMPI was},
	folder      => qr{its current folder cannot be told},
	room        => qr{the limit of its address space \(RLIMIT_AS, ulimit -v\) leaves no room for the list of its descriptors},
	reaper      => qr{its thread \d+ \(hindered\) waits for a child process, which no image has},
	system      => qr{its thread \d+ \(hindered\) waits for a child process, which no image has},
	window      => qr{there are windows; while a program has any, only `-coord blocking` can make lines},
);
delete $why{timer} if !-e '/proc/self/timers';

for my $what (sort keys %why) {
	for my $coord (qw(blocking eventlog)) {
		next if $what eq 'window' && $coord eq 'blocking';
		subtest "$what, $coord" => sub {
			my $dir = File::Temp->newdir('ftmpi-hindered-XXXXXX', TMPDIR => 1);
			my $job = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', RANKS, qw(-image -coord), $coord, '-workdir', "$dir/work",
				program('hindered'), $what, "$dir" ]);
			ok($job->wait_for(out => qr/^hindered: $what is there$/m), 'it is there');
			is(ask_for_line($job), 'given up', 'there is no line');
			ok($job->wait_for(err => qr/^rank 0 on \S+: line \d+ is not made: $why{$what}$/m), '... with a sentence');
			write_file("$dir/away", '');
			ok($job->wait_for(out => qr/^hindered: $what is gone$/m), 'the job goes on, and it is gone');
			ok(make_line($job), 'a line is made');
			write_file("$dir/over", '');
			$job->finish;
			$job->is_status(0, 'the end');
			$job->out_like(qr/^hindered: right, $what$/m, '... is right');
			$job->none_left($what);
		};
	}
}

# Asks until rank 0 is said to have come to no safe point.
sub refused
{
	my ($job) = @_;
	my $late = qr/ranks? 0(?:-1)?(?: on \S+)? did not come to a safe point within 1 s|rank 0 on \S+: \N*this rank came to no safe point within 1 s/;
	return ask_for_line($job, $late) =~ $late;
}

# Where it computes it would be interrupted, but for what it may hold there.
for my $what (qw(linker handler)) {
	for my $coord (qw(blocking eventlog)) {
		subtest "$what, $coord" => sub {
			my $dir = File::Temp->newdir('ftmpi-hindered-XXXXXX', TMPDIR => 1);
			my $job = FTMPI::Test::Job->start([ ftmpirun(), '-vv', '-n', RANKS, qw(-image -image-patience 1 -coord), $coord, '-workdir', "$dir/work",
				program('hindered'), $what, "$dir" ]);
			ok($job->wait_for(out => qr/^hindered: $what is there$/m), 'it is there');
			ok(refused($job), 'there is no line');
			write_file("$dir/away", '');
			ok($job->wait_for(out => qr/^hindered: $what is gone$/m), 'the job goes on, and it is gone');
			ok(make_line($job), 'a line is made') if $coord eq 'blocking';
			write_file("$dir/over", '');
			$job->finish;
			$job->is_status(0, 'the end');
			$job->out_like(qr/^hindered: right, $what$/m, '... is right');
			$job->none_left($what);
		};
	}
}

subtest 'no room for a thread' => sub {
	my $dir = File::Temp->newdir('ftmpi-hindered-XXXXXX', TMPDIR => 1);
	my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', 1, '-image', '-workdir', "$dir/work",
		'sh', '-c', 'ulimit -S -s 8192; ulimit -d 4000; exec "$0"', program('plain_pi') ]);
	$job->is_status(1, 'the end');
	$job->err_like(qr/^ftmpi: the start of the program: no thread can begin: [^:\n]+ \(the limits of memory and of processes: ulimit -d, -v, -u\)$/m, 'the sentence');
	$job->none_left('no room for a thread');
};

done_testing();
