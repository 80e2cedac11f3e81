# SPDX-License-Identifier: BSD-3-Clause
#
# Nobody is left running. An agent has a session of its own, so whatever its ranks started and left
# behind is found by the session's number, which no stranger can carry while the agent lives. What left
# the session, too (a daemon calls setsid), is a descendant of the agent: orphans become its children.
# The guard is a child of the agent that does nothing but wait for the agent's death, and sweeps then; and
# when the launcher is gone and the agent does not go, it sees to that. By then orphans have gone to
# somebody else: the guard knows them by a mark in their environment.
package FTMPI::Agent::Sweep;

use strict;
use warnings;

use Config   ();
use POSIX    ();

use FTMPI::Loop ();

# Processes that fork while we look are found in the next round. STUCK_TIME: seconds after which an
# agent that has lost its launcher and is still there is taken to be stopped or stuck. POLL_TIME: seconds after which a guard looks for
# that, too. LAST_ROUNDS: looks at the children of an agent that leaves, FAST of them without a millisecond between.
use constant { ROUNDS => 20, STUCK_TIME => 5, POLL_TIME => 1, LAST_ROUNDS => 1000, FAST => 100 };

# Linux: prctl by the kind of machine that perl was built for, and PR_SET_CHILD_SUBREAPER.
my %PRCTL = (x86_64 => 157, aarch64 => 167, riscv64 => 167, loongarch64 => 167, powerpc64le => 171, ppc64le => 171, s390x => 172);
use constant SUBREAPER => 36;

# The name of the mark in the environment.
use constant MARK => 'FTMPI_AGENT';

# Make this process the leader of a session. Returns the session's number, or nothing if there is
# no way (then there is no sweep).
sub own_session
{
	return $$ if ((_session_of('self'))[0] // 0) == $$;
	my $session = POSIX::setsid();
	return defined $session && $session > 0 ? $session : undef;
}

# Orphans among the descendants of this process become its children. False where that cannot be.
sub adopt_orphans
{
	my ($machine) = $Config::Config{archname} =~ /^(\w+)/;
	my $number = $PRCTL{$machine} // return 0;
	return syscall($number, SUBREAPER, 1, 0, 0, 0) == 0;
}

# What this process starts from now on, and what that starts, is known by its environment.
sub mark
{
	open my $file, '<:raw', '/dev/urandom' or return;
	return if (sysread $file, my $bytes, 8) != 8;
	return $ENV{ +MARK } = "$$-" . unpack 'H*', $bytes;
}

# Session, process group and parent of a process; nothing when it is gone or a zombie, all threads of which have ended.
sub _session_of
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return;
	local $/;    # a name may have a line end
	my $line = <$file> // return;
	my ($state, $parent, $group, $session, $threads) = $line =~ /^.*\) (\S) (-?\d+) (-?\d+) (-?\d+) (?:\S+ ){13}(\d+) /s or return;
	return $state =~ /[ZX]/ && $threads < 2 ? () : ($session, $group, $parent);
}

# Whether a process, whose number somebody told us, is one of the session.
sub is_in
{
	my ($session, $pid) = @_;
	return defined $session && ((_session_of($pid))[0] // 0) == $session;
}

sub _processes
{
	opendir my $dir, '/proc' or return;
	return grep { /^\d+\z/ } readdir $dir;
}

# Whether it is a process of ours and carries this mark.
sub _carries
{
	my ($pid, $mark) = @_;
	return 0 if !defined $mark || ((stat "/proc/$pid")[4] // -1) != $>;
	my $environment = _bytes_of("/proc/$pid/environ");
	# where the first thread has ended the others tell
	$environment = join "\0", map { _bytes_of($_) } glob "/proc/$pid/task/*/environ" if !length $environment;
	return $environment =~ /(?:\A|\0)@{[MARK]}=\Q$mark\E(?:\0|\z)/;
}

sub _bytes_of
{
	my ($path) = @_;
	open my $file, '<:raw', $path or return '';
	local $/;
	return <$file> // '';
}

# All of the session, all descendants of this process, and, if a mark is given, all that carry it.
sub _found
{
	my ($session, $mark) = @_;
	my %at = map { my @at = _session_of($_); @at ? ($_ => \@at) : () } _processes();
	my %children;
	push @{ $children{ $at{$_}[2] } }, $_ for keys %at;
	my %below;
	my @next = ($$);
	while (defined(my $pid = shift @next)) {
		next if $below{$pid}++;
		push @next, @{ $children{$pid} // [] };
	}
	return grep { $below{$_} || $at{$_}[0] == $session || _carries($_, $mark) } keys %at;
}

# The children of this process, as far as the kernel tells them. The list loses none while it waits for none.
sub _children
{
	open my $file, '<', "/proc/$$/task/$$/children" or return;
	return split ' ', <$file> // '';
}

# Whether this process, which adopts orphans, has this child alone, and so no other descendant. False, too, where the kernel does not tell.
sub has_only { return "@{[ _children() ]}" eq $_[0] }

# End what this process, which adopts orphans, has but this child, and what they have forked while others were looked for: that comes
# here when its parent has ended.
sub end_children
{
	my ($spared) = @_;
	for my $round (1 .. LAST_ROUNDS) {
		1 while waitpid(-1, POSIX::WNOHANG()) > 0;
		my @left = grep { $_ != $spared } _children() or return;
		kill 'KILL', @left;
		select undef, undef, undef, 0.001 if $round > FAST;
	}
	return;
}

# Kill them but for this one and those spared.
sub sweep
{
	my ($session, $mark, @spared) = @_;
	my %spared = map { $_ => 1 } $$, @spared;
	for my $round (1 .. ROUNDS) {
		my @left = grep { !$spared{$_} } _found($session, $mark);
		return if !@left;
		kill 'KILL', @left;
		select undef, undef, undef, 0.005 * $round;
	}
	return;
}

# One letter, as ps has it; '' of a process that is gone.
sub state_of
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return '';
	local $/;
	my ($state) = (<$file> // '') =~ /^.*\) (\S) /s;
	return $state // '';
}

# The processes of the session, by the number of their process group.
sub groups
{
	my ($session) = @_;
	my %groups;
	for my $pid (_processes()) {
		my ($its_session, $group) = _session_of($pid);
		push @{ $groups{$group} }, $pid if defined $group && $its_session == $session;
	}
	return %groups;
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
	my ($session, $mark) = @_;
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
	FTMPI::Loop::call_myself('ftmpi-guard');
	sweep($session, $mark) if _outlived($reader, $channel, $agent);
	POSIX::_exit(0);
	return;
}

# Wait for the end of the agent: true when it died, false when it dismissed us. Without IO::Poll the channel is not looked at; it is loaded
# when the agent has been there for a moment, beside nothing that others wait for.
sub _outlived
{
	my ($line, $channel, $agent) = @_;
	vec(my $bits = '', fileno $line, 1) = 1;
	_await_news($line, $channel, $agent) if select($bits, undef, undef, POLL_TIME) <= 0 && eval { require IO::Poll };
	my $n = sysread $line, my $word, 1;
	return defined $n && $n == 0;
}

# Of the line, or the end of the channel, which the agent has to see soon. It is not read here: that it is hung up is seen without.
sub _await_news
{
	my ($line, $channel, $agent) = @_;
	my $poll = IO::Poll->new;
	$poll->mask($line    => IO::Poll::POLLIN());
	$poll->mask($channel => IO::Poll::POLLPRI());
	1 until $poll->poll > 0;
	return if $poll->events($line);
	$poll->remove($channel);
	kill 'KILL', $agent if $poll->poll(STUCK_TIME) <= 0;
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
