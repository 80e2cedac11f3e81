# SPDX-License-Identifier: BSD-3-Clause
#
# Nobody is left running. An agent has a session of its own, so whatever its ranks started and left
# behind is found by the session's number, which no stranger can carry while the agent lives. The
# guard is a child of the agent that does nothing but wait for the agent's death, and sweeps then.
package FTMPI::Sweep;

use strict;
use warnings;

use POSIX ();

# Processes that fork while we look are found in the next round.
use constant ROUNDS => 20;

# Make this process the leader of a session. Returns the session's number, or nothing if there is
# no way (then there is no sweep).
sub own_session
{
	return $$ if (_session_of('self') // 0) == $$;
	my $session = POSIX::setsid();
	return defined $session && $session > 0 ? $session : undef;
}

# The name that ps -e, top and pgrep have for this process. Perl's $0 would not do: it overwrites
# the environment that others can see.
sub call_myself
{
	my ($name) = @_;
	open my $file, '>', '/proc/self/comm' or return;
	syswrite $file, $name;
	return;
}

# Session of a process; nothing when it is gone or a zombie.
sub _session_of
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return;
	my $line = <$file> // return;
	my ($state, $session) = $line =~ /^.*\) (\S) -?\d+ -?\d+ (-?\d+) /s or return;
	return $state =~ /[ZX]/ ? undef : $session;
}

# Kill every process of the session but this one and those spared.
sub sweep
{
	my ($session, @spared) = @_;
	my %spared = map { $_ => 1 } $$, @spared;
	for my $round (1 .. ROUNDS) {
		opendir my $dir, '/proc' or return;
		my @left = grep { /^\d+\z/ && !$spared{$_} && (_session_of($_) // 0) == $session }
			readdir $dir;
		return if !@left;
		kill 'KILL', @left;
		select undef, undef, undef, 0.005 * $round;
	}
	return;
}

# Fork the guard: { pid, line }. The agent's end of the line closes by itself when the agent dies.
sub guard
{
	my ($session) = @_;
	pipe my $reader, my $line or die "pipe: $!\n";
	my $pid = fork;
	die "fork: $!\n" if !defined $pid;
	return { pid => $pid, line => $line } if $pid;
	close $line;
	open $_, '+<', '/dev/null' for \*STDIN, \*STDOUT, \*STDERR;
	$SIG{$_} = 'IGNORE' for qw(INT TERM HUP QUIT PIPE);
	call_myself('ftmpi-guard');
	my $n = sysread $reader, my $word, 1;
	sweep($session) if defined $n && $n == 0;
	POSIX::_exit(0);
	return;
}

# The agent leaves in good order.
sub dismiss
{
	my ($guard) = @_;
	syswrite $guard->{line}, '.';
	waitpid $guard->{pid}, 0;
	return;
}

1;
