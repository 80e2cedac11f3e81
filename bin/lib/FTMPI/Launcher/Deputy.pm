# SPDX-License-Identifier: BSD-3-Clause
#
# A process that tells the agents that the launcher lives, while the launcher cannot: any of its calls may wait for
# a disk, also one that writes its output. Agents that hear nothing end their ranks. It speaks (PING) when the
# launcher has said nothing to it for a turn, unless the launcher is stopped, and for so many turns at most. It
# ends with the launcher, whose end closes its pipe: until then it has the agents' pipes open.
#
# Both write into these pipes. So whatever is written there is whole frames, and no more than a pipe takes at once
# (FTMPI::Control::pieces).
package FTMPI::Launcher::Deputy;

use strict;
use warnings;

use POSIX      ();

use FTMPI::Later qw(FTMPI::Condition);
use FTMPI::Control    ();
use FTMPI::Loop       ();
use FTMPI::Processors ();

# Seconds: from one word of the launcher to the next; a turn without one.
use constant { WORD_TIME => 0.5, TURN => 1 };

# Bytes of a read, and of a text of /proc.
use constant READ_MAX => 4096;

# loop; most: turns.
sub new
{
	my ($class, %arg) = @_;
	return bless {%arg}, $class;
}

# The agents at the ends of these pipes, and no others, are told from now on. Where no process can be made the launcher is on
# its own.
sub stand_in
{
	my ($self, @pipes) = @_;
	$self->leave;
	pipe my $reader, my $line or return;
	FTMPI::Loop::never_block($line);
	my ($launcher, $most) = ($$, $self->{most});
	my $pid = FTMPI::Loop::spawn(sub { FTMPI::Processors::give_way(); _become($reader, @pipes); _speak($launcher, $most, $reader, @pipes) }) // return;
	@$self{qw(pid line)} = ($pid, $line);
	$self->_word;
	return;
}

sub _word
{
	my ($self) = @_;
	syswrite $self->{line}, '.';
	$self->{timer} = $self->{loop}->after(WORD_TIME, sub { $self->_word });
	return;
}

# Nobody is told any more.
sub leave
{
	my ($self) = @_;
	my $pid = $self->{pid} // return;
	kill 'KILL', $pid;
	waitpid $pid, 0;
	$self->ended($pid);
	return;
}

# A child of ours has ended, maybe this one.
sub ended
{
	my ($self, $pid) = @_;
	return if $pid != ($self->{pid} // 0);
	$self->{loop}->cancel(delete $self->{timer});
	delete @$self{qw(pid line)};
	return;
}

# ---- in the child ----

# It has nothing open but these, as others wait for the end of what the launcher has open. What a terminal or a user sends to the
# launcher's process group is for the launcher. What `ps -e` and pgrep show is not another ftmpirun.
sub _become
{
	my (@kept) = @_;
	setpgrp 0, 0;
	$SIG{$_} = 'IGNORE' for qw(INT TERM HUP QUIT TSTP PIPE USR1 USR2);
	my %kept = map { fileno $_ => 1 } @kept;
	opendir my $dir, '/proc/self/fd' or POSIX::_exit(1);
	my @numbers = grep { /^\d+\z/ && !$kept{$_} } readdir $dir;
	closedir $dir;
	POSIX::close($_) for @numbers;
	FTMPI::Loop::call_myself('ftmpi-deputy');
	return;
}

sub _speak
{
	my ($launcher, $most, $reader, @pipes) = @_;
	my ($silent, $ping) = (0, FTMPI::Control::encode('PING'));
	require FTMPI::Condition;    # later it may not be there any more
	while (1) {
		my $bits = '';
		vec($bits, fileno $reader, 1) = 1;
		my $n = select $bits, undef, undef, TURN;
		if ($n > 0) {
			sysread $reader, my $words, READ_MAX or return;
			$silent = 0;
		} elsif (!$n && ++$silent <= $most && !_is_stopped($launcher)) {
			syswrite $_, $ping for @pipes;
		}
	}
	return;
}

# By a signal or a debugger.
sub _is_stopped
{
	my ($pid) = @_;
	open my $file, '<:raw', "/proc/$pid/stat" or return 0;
	sysread $file, my $text, READ_MAX or return 0;
	my $thread = FTMPI::Condition::thread($text) // return 0;
	return $thread->{state} =~ /[Tt]/;
}

1;
