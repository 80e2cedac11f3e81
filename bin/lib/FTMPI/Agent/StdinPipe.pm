# SPDX-License-Identifier: BSD-3-Clause
#
# The agent's end of rank 0's standard input: what the pipe does not take waits here, and all of it
# while there is no pipe, or while it is held.
package FTMPI::Agent::StdinPipe;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EWOULDBLOCK);
use Fcntl qw(O_NONBLOCK O_RDONLY);

use FTMPI::Loop   ();
use FTMPI::Unread ();

# PAUSE: seconds.
use constant { CHUNK => 65536, PAUSE => 1 };

# loop; on_taken => sub (bytes written); on_closed => sub, when the rank reads no more.
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, queue => '', ending => 0, held => 0, paused => 0, used => 0, written => 0, inode => 0 }, $class;
}

# The pipe, or the one after it: what a former one took is not given again.
sub attach
{
	my ($self, $handle) = @_;
	$self->drop;
	FTMPI::Loop::never_block($handle);
	@$self{qw(handle held written)} = ($handle, 0, 0);
	$self->{inode} = (stat $handle)[1];
	$self->_write;
	return;
}

sub add
{
	my ($self, $bytes) = @_;
	$self->{queue} .= $bytes;
	$self->_write;
	return;
}

# No more will come.
sub end
{
	my ($self) = @_;
	$self->{ending} = 1;
	$self->_write;
	return;
}

# Nothing is written from now on, because another process is about to read. What waits is forgotten.
sub hold
{
	my ($self) = @_;
	@$self{qw(held queue)} = (1, '');
	$self->{loop}->off_write($self->{handle}) if $self->{handle};
	return;
}

sub release
{
	my ($self) = @_;
	$self->{held} = 0;
	$self->_write;
	return;
}

# Nothing is written until go_on, or for PAUSE at most: what the rank reads meanwhile lies in the pipe already.
sub pause
{
	my ($self) = @_;
	$self->_stop_timer;
	$self->{paused} = 1;
	$self->{timer}  = $self->{loop}->after(PAUSE, sub { $self->go_on });
	$self->{loop}->off_write($self->{handle}) if $self->{handle};
	return;
}

sub go_on
{
	my ($self) = @_;
	return if !$self->{paused};
	$self->_stop_timer;
	$self->{paused} = 0;
	$self->_write;
	return;
}

sub _stop_timer
{
	my ($self) = @_;
	$self->{loop}->cancel(delete $self->{timer}) if $self->{timer};
	return;
}

# Whether the rank took any of it, or would not.
sub used { return $_[0]{used} }

# How many bytes of what was written into the pipe the process has read, with all that have the pipe from it;
# undef when that cannot be known. The end of the pipe that is written to may be closed by now, so the other one is looked at.
sub was_read
{
	my ($self, $pid) = @_;
	return 0 if !$self->{written};
	sysopen my $in, "/proc/$pid/fd/0", O_RDONLY | O_NONBLOCK or return undef;
	return undef if !-p $in || (stat _)[1] != $self->{inode};
	my $unread = FTMPI::Unread::bytes($in) // return undef;
	return $self->{written} - $unread;
}

# The rank reads no more.
sub close
{
	my ($self) = @_;
	return if !$self->drop;
	$self->{used} = 1;
	$self->{on_closed}->() if !$self->{ending};
	return;
}

# Close without a word.
sub drop
{
	my ($self) = @_;
	$self->_stop_timer;
	$self->{paused} = 0;
	my $handle = delete $self->{handle} or return 0;
	$self->{loop}->drop($handle);
	return 1;
}

sub _write
{
	my ($self) = @_;
	my $handle = $self->{handle} or return;
	return if $self->{held} || $self->{paused};
	while (length $self->{queue}) {
		my $n = syswrite $handle, $self->{queue}, CHUNK;
		if (defined $n) {
			substr $self->{queue}, 0, $n, '';
			$self->{used} = 1;
			$self->{written} += $n;
			$self->{on_taken}->($n);
		} elsif ($!{EAGAIN} || $!{EWOULDBLOCK}) {
			$self->{loop}->on_write($handle, sub { $self->_write });
			return;
		} elsif (!$!{EINTR}) {
			$self->close;
			return;
		}
	}
	$self->{loop}->off_write($handle);
	$self->drop if $self->{ending};
	return;
}

1;
