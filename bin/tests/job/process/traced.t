# SPDX-License-Identifier: BSD-3-Clause
#
# A rank that a debugger stops, in a job without -debug, is ended because it shows no life, and ftmpirun says
# which process traces it: whether the debugger lets go of the rank that was killed or keeps it, and also where
# the rank is left alone, as the job could not begin again. The test is the debugger.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Config;
use POSIX ();
use Test::More;

use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(wait_until);

use constant {PTRACE_SEIZE => 0x4206, PTRACE_INTERRUPT => 0x4207, PTRACE_DETACH => 17, WALL => 0x40000000};

my ($machine) = $Config{archname} =~ /^(\w+)/;
my $ptrace = {x86_64 => 101, aarch64 => 117}->{$machine};
plan skip_all => "the number of ptrace is not known on $machine" if !$ptrace;

my $named = qr/held by a debugger: \S+, process $$; with -debug ranks may be/;
my @held;

# A job whose rank 1 is held.
sub held_job
{
	my ($restart, $program, @words) = @_;
	my $path = program($program);
	my $job = FTMPI::Test::Job->start([ ftmpirun(), @$restart, qw(-n 3), $path, @words ]);
	$job->wait_for(out => qr/^rank $_ waits/m) for 0 .. 2;
	my ($pid) = grep { (readlink("/proc/$_/exe") // '') eq $path
			&& FTMPI::Test::Process::slurp("/proc/$_/environ") =~ /\0FTMPI_RANK=1\0/ } $job->pids;
	# All of its threads, as debuggers do. (Numbers to syscall are no text.)
	@held = map { 0 + (m{(\d+)\z})[0] } glob "/proc/$pid/task/*";
	for my $thread (@held) {
		next if syscall($ptrace, PTRACE_SEIZE, $thread, 0, 0) == 0;
		my $why = $!;
		$job->signal('KILL');
		$job->finish;
		plan skip_all => "nothing can be traced here: $why";
	}
	syscall($ptrace, PTRACE_INTERRUPT, $_, 0, 0) == 0 or die "ptrace: $!\n" for @held;
	return $job;
}

# What ends is the debugger's to hear first. The rank has ended when no thread is left.
sub all_have_ended
{
	my %left = map { $_ => 1 } @held;
	return wait_until(30, sub {
		while ((my $got = waitpid(-1, POSIX::WNOHANG() | WALL)) > 0) {
			delete $left{$got} if POSIX::WIFSIGNALED(${^CHILD_ERROR_NATIVE}) || POSIX::WIFEXITED(${^CHILD_ERROR_NATIVE});
		}
		return !%left;
	});
}

my @pi = (pi => 400000, qw(-every 10000 -hold 3));
my $job = held_job(['-restart-from-start'], @pi);
ok(all_have_ended(), 'a rank that is held is ended');
$job->finish;
$job->is_status(0, 'the job goes on');
$job->err_like(qr/^ftmpirun: rank 1 on \S+ showed no life for \d+ ms \($named\) and was killed/m, 'the debugger is named');
$job->none_left('a rank that is held');

$job = held_job(['-restart-from-start'], @pi, qw(-hold-in receive));
$job->wait_for(err => qr/^ftmpirun: .*; restart 1 of 3\b/m);
ok(all_have_ended(), 'a debugger that keeps what was killed');
$job->finish;
$job->is_status(0, '... does not keep the job from going on');
$job->err_like(qr/^ftmpirun: rank 1 on \S+ showed no life for \d+ ms \($named\) and was killed; restart 1 of 3\b/m, '... and is named');
$job->none_left('a rank that is kept');

$job = held_job([qw(-max-restarts 0)], @pi);
$job->wait_for(err => qr/^ftmpirun: .*; the job is not ended for that/m);
syscall($ptrace, PTRACE_DETACH, $_, 0, 0) for @held;
$job->signal('TERM');
$job->finish;
$job->is_status(143, 'a rank that is held is left alone in a job that does not begin again');
$job->err_like(qr/^ftmpirun: rank 1 on \S+ shows no life for \d+ ms \($named\); the job is not ended for that\.$/m,
	'... and the debugger is named');
$job->none_left('a rank that is left alone');

done_testing();
