# SPDX-License-Identifier: BSD-3-Clause
#
# Nobody is left running. An agent has a session of its own, so whatever its ranks started and left
# behind is found by the session's number, which no stranger can carry while the agent lives. The
# guard is a child of the agent that does nothing but wait for the agent's death, and sweeps then; and
# when the launcher is gone and the agent does not go, it sees to that.
package FTMPI::Sweep;

use strict;
use warnings;

use IO::Poll qw(POLLIN POLLPRI);
use POSIX    ();

# Processes that fork while we look are found in the next round. STUCK_TIME: seconds after which an
# agent that has lost its launcher and is still there is taken to be stopped or stuck.
use constant { ROUNDS => 20, STUCK_TIME => 5 };

# Make this process the leader of a session. Returns the session's number, or nothing if there is
# no way (then there is no sweep).
sub own_session
{
	return $$ if ((_session_of('self'))[0] // 0) == $$;
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

# Session and process group of a process; nothing when it is gone or a zombie.
sub _session_of
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return;
	my $line = <$file> // return;
	my ($state, $group, $session) = $line =~ /^.*\) (\S) -?\d+ (-?\d+) (-?\d+) /s or return;
	return $state =~ /[ZX]/ ? () : ($session, $group);
}

sub _processes
{
	opendir my $dir, '/proc' or return;
	return grep { /^\d+\z/ } readdir $dir;
}

# Kill every process of the session but this one and those spared.
sub sweep
{
	my ($session, @spared) = @_;
	my %spared = map { $_ => 1 } $$, @spared;
	for my $round (1 .. ROUNDS) {
		my @left = grep { !$spared{$_} && ((_session_of($_))[0] // 0) == $session } _processes();
		return if !@left;
		kill 'KILL', @left;
		select undef, undef, undef, 0.005 * $round;
	}
	return;
}

# Kill what is left of process groups of the session whose leaders have ended. The number of a group
# may be somebody else's by now, but not in this session.
sub kill_groups
{
	my ($session, @groups) = @_;
	return if !defined $session;
	my %groups = map { $_ => 1 } @groups;
	my %left;
	for my $pid (_processes()) {
		my ($its_session, $group) = _session_of($pid);
		$left{$group} = 1 if defined $group && $its_session == $session && $groups{$group};
	}
	kill 'KILL', map { -$_ } keys %left;
	return;
}

# Fork the guard: { pid, line }. The agent's end of the line closes by itself when the agent dies.
# Standard input is still the channel to the launcher. What kills the agent's process group is not
# to kill the guard.
sub guard
{
	my ($session) = @_;
	pipe my $reader, my $line or die "pipe: $!\n";
	open my $channel, '<&', \*STDIN or die "dup: $!\n";
	my $agent = $$;
	my $pid   = fork;
	die "fork: $!\n" if !defined $pid;
	return { pid => $pid, line => $line } if $pid;
	setpgrp 0, 0;
	close $line;
	open $_, '+<', '/dev/null' for \*STDIN, \*STDOUT, \*STDERR;
	$SIG{$_} = 'IGNORE' for qw(INT TERM HUP QUIT PIPE);
	call_myself('ftmpi-guard');
	sweep($session) if _outlived($reader, $channel, $agent);
	POSIX::_exit(0);
	return;
}

# Wait for the end of the agent: true when it died, false when it dismissed us. The channel is not
# read here: that it is hung up is seen without.
sub _outlived
{
	my ($line, $channel, $agent) = @_;
	my $poll = IO::Poll->new;
	$poll->mask($line    => POLLIN);
	$poll->mask($channel => POLLPRI);
	1 until $poll->poll > 0;
	if (!$poll->events($line)) {
		$poll->remove($channel);
		kill 'KILL', $agent if $poll->poll(STUCK_TIME) <= 0;
	}
	my $n = sysread $line, my $word, 1;
	return defined $n && $n == 0;
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
