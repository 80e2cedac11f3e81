# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Process;

# Waiting for processes and for output without sleeping: everything is an event on a descriptor,
# with a deadline.

use strict;
use warnings;

use Exporter qw(import);
use POSIX ();
use Time::HiRes qw(time);

use FTMPI::Processors ();

our @EXPORT_OK = qw(patience run_quiet must_run wait_readable wait_until wait_gone kill_gone marked_pids process_name);

# the same number on every Linux architecture that Perl runs on today
use constant SYS_pidfd_open => 434;

use constant CROWD_MOST => 10;

# So many seconds, where everything is slower (under a sanitizer, by make asan ubsan tsan) as many times more,
# and as many times as there are processes for each processor, of late, up to CROWD_MOST.
sub patience
{
	my ($seconds) = @_;
	return $seconds * ($ENV{FTMPI_TEST_SLOW} // 1) * _crowd();
}

sub _crowd
{
	open my $in, '<', '/proc/loadavg' or return 1;
	my ($load) = split ' ', readline $in;
	my $each = $load / FTMPI::Processors::count();
	return $each < 1 ? 1 : $each > CROWD_MOST ? CROWD_MOST : $each;
}

# Wait until the condition holds, for what tells nobody that it has changed; at most so many seconds.
# Returns whether it does.
sub wait_until
{
	my ($seconds, $condition) = @_;
	my $until = time + patience($seconds);
	while (!$condition->()) {
		return 0 if time > $until;
		select undef, undef, undef, 0.005;
	}
	return 1;
}

# Run a command to its end; returns (wait status, what it printed on both outputs).
sub run_quiet
{
	my @command = @_;
	my $pid = open(my $out, '-|') // die "cannot fork: $!\n";
	if (!$pid) {
		open(STDIN, '<', '/dev/null');
		open(STDERR, '>&', \*STDOUT);
		exec { $command[0] } @command or do {
			syswrite(STDOUT, "cannot run $command[0]: $!\n");
			POSIX::_exit(127);
		};
	}
	local $/;
	my $text = <$out> // '';
	local $?;
	close($out);
	return ($?, $text);
}

# The same; dies with what it printed when it fails. Returns what it printed.
sub must_run
{
	my ($status, $text) = run_quiet(@_);
	die "'@_' failed with status " . ($status >> 8) . ": $text\n" if $status;
	return $text;
}

# True when one of the handles can be read before the time `until`.
sub wait_readable
{
	my ($until, @handles) = @_;
	for (;;) {
		my $left = $until - time;
		my $bits = '';
		vec($bits, fileno($_), 1) = 1 for @handles;
		my $n = select($bits, undef, undef, $left > 0 ? $left : 0);
		return grep { vec($bits, fileno($_), 1) } @handles if $n > 0;
		return () if $n == 0 || $left <= 0 || !$!{EINTR};
	}
}

# A handle that becomes readable when the process ends, or undef when it has.
sub pid_handle
{
	my ($pid) = @_;
	my $fd = syscall(SYS_pidfd_open, $pid + 0, 0);
	return undef if $fd < 0;
	open(my $handle, '<&=', $fd) or die "cannot open pidfd: $!\n";
	return $handle;
}

# Wait until the processes are gone; returns those that are still there at the time `until`.
sub wait_gone
{
	my ($until, @pids) = @_;
	my @left;
	for my $pid (@pids) {
		my $handle = pid_handle($pid) // next;
		push @left, $pid if !wait_readable($until, $handle);
		close($handle);
	}
	return @left;
}

# Kill what `list` returns until it returns nothing; dies when that takes too long.
sub kill_gone
{
	my ($list, $seconds) = @_;
	my $until = time + $seconds;
	my %reaped;
	while (my @pids = grep { !$reaped{$_} } $list->()) {
		kill 'KILL', @pids;
		my @left = wait_gone($until, @pids);
		die "processes @left are still there $seconds s after SIGKILL\n" if @left;
		# our own children stay as zombies until they are waited for
		$reaped{$_} = 1 for grep { waitpid($_, POSIX::WNOHANG()) == $_ } @pids;
		die "processes @pids come back faster than they are killed\n" if time > $until;
	}
	return;
}

sub slurp
{
	my ($path) = @_;
	open(my $in, '<', $path) or return '';
	local $/;
	return <$in> // '';
}

# Processes that live (zombies do not) and have this NAME=VALUE in their environment.
sub marked_pids
{
	my ($mark) = @_;
	my @found;
	for my $dir (glob '/proc/[0-9]*') {
		my ($pid) = $dir =~ m{(\d+)$};
		next if $pid == $$;
		push @found, $pid if index("\0" . slurp("$dir/environ"), "\0$mark\0") >= 0;
	}
	return @found;
}

sub process_name
{
	my ($pid) = @_;
	my $line = slurp("/proc/$pid/cmdline");
	$line =~ tr/\0/ /;
	return "$pid ($line)";
}

1;
