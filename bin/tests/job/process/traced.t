# SPDX-License-Identifier: BSD-3-Clause
#
# A rank that a debugger stops, in a job without -debug, is ended because it shows no life, and ftmpirun says
# which process traces it. The test is the debugger.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Config;
use POSIX ();
use Test::More;

use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(wait_until);

use constant {PTRACE_SEIZE => 0x4206, PTRACE_INTERRUPT => 0x4207, WALL => 0x40000000};

my ($machine) = $Config{archname} =~ /^(\w+)/;
my $ptrace = {x86_64 => 101, aarch64 => 117}->{$machine};
plan skip_all => "the number of ptrace is not known on $machine" if !$ptrace;

my $job = FTMPI::Test::Job->start([ftmpirun(), qw(-restart-from-start -n 3), program('pi'), 400000, qw(-every 10000 -hold 3)]);
$job->wait_for(out => qr/^rank $_ waits/m) for 0 .. 2;
my ($pid) = grep { (readlink("/proc/$_/exe") // '') eq program('pi')
		&& FTMPI::Test::Process::slurp("/proc/$_/environ") =~ /\0FTMPI_RANK=1\0/ } $job->pids;
# All of its threads, as debuggers do. (Numbers to syscall are no text.)
my @threads = map { 0 + (m{(\d+)\z})[0] } glob "/proc/$pid/task/*";
for my $thread (@threads) {
	next if syscall($ptrace, PTRACE_SEIZE, $thread, 0, 0) == 0;
	my $why = $!;
	$job->signal('KILL');
	$job->finish;
	plan skip_all => "nothing can be traced here: $why";
}
syscall($ptrace, PTRACE_INTERRUPT, $_, 0, 0) == 0 or die "ptrace: $!\n" for @threads;

# Its end is the debugger's to hear first.
my %left = map { $_ => 1 } @threads;
my $heard = wait_until(30, sub {
	while ((my $got = waitpid(-1, POSIX::WNOHANG() | WALL)) > 0) {
		delete $left{$got} if POSIX::WIFSIGNALED(${^CHILD_ERROR_NATIVE}) || POSIX::WIFEXITED(${^CHILD_ERROR_NATIVE});
	}
	return !%left;
});
ok($heard, 'a rank that is held is ended');
$job->finish;
$job->is_status(0, 'the job goes on');
$job->err_like(qr/^ftmpirun: rank 1 on \S+ showed no life for \d+ ms \(held by a debugger: \S+, process $$; with -debug ranks may be\) and was killed/m,
	'the debugger is named');
$job->none_left('a rank that is held');

done_testing();
