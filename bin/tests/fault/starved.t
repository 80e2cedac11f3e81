# SPDX-License-Identifier: BSD-3-Clause
#
# A rank that gets no CPU time is not taken for a stopped one. The test needs no timing for it: the threads of
# the rank run only when no other thread wants their CPU (SCHED_IDLE), and others always do.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Fault   ();
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(must_run run_quiet wait_gone);

# A thread of the rank is due 3 parts of so many times 1024 of a processor: far less than ten beats a second take.
use constant { RANKS => 4, BUSY => 48 };

# Among so many others a rank has a turn every few seconds, and is to be missed between them: under a sanitizer,
# too, where the timeout would be longer.
my @missed_soon = qw(-timeout-heartbeat 1000);

for my $tool (qw(chrt taskset)) {
	my ($status) = run_quiet($tool, '--version');
	plan skip_all => "there is no $tool here" if $status;
}
FTMPI::Test::Fault::alone();

# The processors that we may use, and the first of them.
my ($cores, $core) = must_run('taskset', '-p', '-c', $$) =~ /: ((\d+)\S*)/;

# Rank 0 brings the busy ones along: processes of another session might be another group to the kernel,
# whose share is one rank's.
my $script = <<'END';
i=0
while [ "$FTMPI_RANK" = 0 ] && [ $i -lt "$2" ]; do
	taskset -c "$1" perl -e '1 while 1' &
	i=$((i + 1))
done
shift 2
exec "$@"
END

# A job whose rank 2 gets no processor once it has come to round 3.
sub starved
{
	my (@options) = @_;
	my $workdir = File::Temp::tempdir('work-XXXXXX', DIR => FTMPI::Test::Fault::directory());
	my $job = FTMPI::Test::Job->start([ ftmpirun(), @missed_soon, @options, '-workdir', $workdir, '-n', RANKS, 'sh', '-c', $script, 'sh',
		$core, BUSY, program('pi'), qw(400000000 -every 10000000 -ckpt 20 -trace) ]);
	my $fault = bless { job => $job, program => 'pi' }, 'FTMPI::Test::Fault';
	$fault->wait_for(out => qr/^round 3$/m);
	my %pids = $fault->pids;
	for my $task (glob "/proc/$pids{2}/task/*") {
		my ($thread) = $task =~ /(\d+)\z/;
		must_run('taskset', '-p', '-c', $core, $thread);
		must_run(qw(chrt --idle --pid 0), $thread);
	}
	return ($fault, $pids{2});
}

sub feed
{
	my ($pid) = @_;
	for my $thread (map { /(\d+)\z/ } glob "/proc/$pid/task/*") {
		must_run(qw(chrt --other --pid 0), $thread);
		must_run('taskset', '-p', '-c', $cores, $thread);
	}
	return;
}

my $excused = qr/^ftmpirun: rank 2 on \S+ gets too little of a processor \(load [\d.]+ on \d+ cores?\): .* may be silent for up to (\d+) s \(-starved-limit\)\.$/m;

sub ends_well
{
	my ($fault, $name, $restarts) = @_;
	my $job = $fault->job->finish;
	$job->is_status(0, $name);
	$job->out_like(qr/^pi: right, /m, $name);
	$fault->judge_restarts($name, $restarts);
	$job->none_left($name);
	return;
}

# It goes on where it was.
{
	my ($fault, $pid) = starved();
	$fault->wait_for(err => $excused);
	my ($limit) = $fault->job->err =~ $excused;
	is($limit, 60, 'a starved rank is excused, and that is told');
	feed($pid);
	ends_well($fault, 'a starved rank', 0);
	my $told = () = $fault->job->err =~ /^ftmpirun: /mg;
	is($told, 1, '... once, and nothing else');
}

# One that is stopped is noticed all the same. (To be killed takes a processor, too.)
{
	my ($fault, $pid) = starved();
	$fault->wait_for(err => $excused);
	kill 'STOP', $pid;
	feed($pid);
	$fault->wait_for(err => qr/^ftmpirun: rank 2 on \S+ showed no life for \d+ ms \(stopped or hung\) and was killed; restart 1 of 3\b/m);
	my @left = wait_gone(time + 60, $pid);
	is("@left", '', 'a rank that is stopped on a loaded host is gone');
	ends_well($fault, 'a rank that is stopped on a loaded host', [ 1, 3 ]);
}

# It is not excused for ever.
{
	my ($fault, $pid) = starved('-starved-limit', 1);
	$fault->wait_for(err => qr/^ftmpirun: rank 2 on \S+ showed no life for \d+ ms \(it gets no processor; -starved-limit\) and (?:was|cannot be) killed; restart 1 of 3\b/m);
	ends_well($fault, 'a rank that is starved for too long', [ 1, 3 ]);
}

done_testing();
