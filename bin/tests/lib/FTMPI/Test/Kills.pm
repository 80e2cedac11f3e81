# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Kills;

# Programs whose ranks are killed at random moments, many times in one job.
#
#	FTMPI::Test::Kills::killed(program => 'mail', seed => 3, kills => 10, coord => 'eventlog');

use strict;
use warnings;

use Exporter qw(import);
use POSIX ();
use Test::More ();

use FTMPI::Test::Fault   ();
use FTMPI::Test::Job     qw(data_file program sanitized);
use FTMPI::Test::Process qw(run_quiet);

our @EXPORT_OK = qw(open_operations killed moved stepped);

# The time of a job goes by the bytes of its messages: one of 120 steps takes 3.5 s of processor time with messages of 1 MiB
# at most, 1.6 s so, and under the sanitizer of threads more than a minute with them. Some are long all the same
# (FTMPI_EAGER_LIMIT is 64 KiB).
my ($steps, @max) = sanitized('mixed') ? (60, '-max', 131072) : (120, '-max', 262144);

# Words for it that say so.
sub longest { return @max }

# Arguments by program. Runs that hold wait after the step -hold to be killed, so that so many kills
# are certain.
my %programs = (
	pi    => sub { qw(400000 -every 10000 -ckpt 4 -hold 39) },
	cgs   => sub { (data_file('494_bus.mtx'), qw(-ckpt 30 -hold 400)) },
	mail  => sub { (qw(-ckpt 15 -hold 200 -seed), $_[0]) },
	mixed => sub { ('-steps', $steps, '-hold', $steps, @max, qw(-ckpt 10 -seed), $_[0]) },
);

sub programs { return sort keys %programs }

# Parts of mixed that are not messages and collective operations of one communicator.
sub parts { return qw(intercoll neighbors mprobe send_modes partitioned grequest requests) }

# Options for `killed`: these parts of mixed under this protocol; where nobody waits ranks come to a
# line up to so many steps after others.
sub open_operations
{
	my ($coord, $parts, $skew) = @_;
	return (program => 'mixed', coord => $coord,
		args => ['-only', $parts, $coord eq 'blocking' ? '-stopped' : ('-skew', $skew)]);
}

# Runs one and asks the three questions. Options: program, seed, kills (at least so many), coord, ranks,
# args (more of them), and what FTMPI::Test::Fault takes; where: words for the name, ' on 2 hosts'; apart,
# kill: as FTMPI::Test::Fault::kill_at_random.
sub killed
{
	my (%option) = @_;
	my ($program, $seed, $least) = delete @option{qw(program seed kills)};
	my %how = map { $_ => delete $option{$_} } grep { exists $option{$_} } qw(apart kill);
	my $more  = delete $option{args}  // [];
	my $where = delete $option{where} // '';
	my $fault = FTMPI::Test::Fault->start(%option, program => $program,
		args => [$programs{$program}->($seed), '-trace', '-holds', $least, @$more],
		run  => [qw(-max-restarts 1000), @{$option{run} // []}]);
	# where all is slow a job that is killed until it ends is killed dozens of times
	$how{most} = 2 * $least + 3 if sanitized($program);
	my $kills = $fault->kill_at_random($seed, %how, least => $least);
	my $name  = sprintf '%s, seed %d, %s, %d ranks%s, %d kills', "@{[$program, @$more]}", $seed,
		$option{coord} // 'default protocol', $fault->{ranks}, $where, $kills;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	Test::More::cmp_ok($kills, '>=', $least, $name) or Test::More::diag($fault->job->saw);
	$fault->survived($name, restarts => [$least, $kills]);
	return;
}

# Why no process that is not this one's own can be traced here; undef: it can.
sub cannot_trace
{
	my $pid = fork() // die "cannot fork: $!\n";
	if (!$pid) {
		exec 'sleep', 60 or POSIX::_exit(127);
	}
	my ($status, $text) = run_quiet(program('stepped_kill'), $pid, 0);
	kill 'KILL', $pid;
	waitpid($pid, 0);
	return $status > 1 ? "nothing can be traced here: $text" : undef;
}

# A process goes on by less than so many instructions, and dies after the last of them.
sub stepped
{
	my ($most) = @_;
	return sub {
		my ($pid) = @_;
		my $status = system(program('stepped_kill'), $pid, int rand $most) >> 8;
		die "stepped_kill cannot trace process $pid\n" if $status > 1;
		return $status == 0 ? 1 : 0;
	};
}

# Four ranks of mixed with these arguments, from two hosts to one. A line is made on some hosts, where
# the job ends, and restored on others, where it goes on; from and to are options for
# FTMPI::Test::Fault.
sub moved
{
	my (%option) = @_;
	my @args  = (qw(-steps 120 -ckpt 10 -trace), @max, @{$option{args}});
	my %job   = (program => 'mixed', coord => 'blocking', ranks => 4);
	my $fault = FTMPI::Test::Fault->start(%job, args => [@args, qw(-hold 70)], %{$option{from}});
	$fault->all_held;
	$fault->job->signal('KILL');
	$fault->job->finish;
	$fault->clear('two hosts', keep => 1);
	$fault->lines_whole('two hosts');
	my $next = FTMPI::Test::Fault->start(%job, args => \@args, %{$option{to}},
		workdir => $fault->workdir, run => [@{$option{to}{run}}, '-restore']);
	$next->survived('from two hosts to one', restarts => 0);
	$next->job->out_like(qr/^restored after round (?:6\d|70)$/m, 'from two hosts to one');
	return;
}

1;
