# SPDX-License-Identifier: BSD-3-Clause
#
# The agent's end of rank 0's standard input: what the pipe does not take waits here, and all of it
# while there is no pipe, or while it is held.
#
# In an image job the rank has to know how much it has read when its image is taken, to the byte. So a second pipe, the count,
# holds 16 bytes: how much was written so far, and the inode of the first pipe. They are taken out before anything is
# written, and put back after it; the rank takes them out while it looks at what is unread (lib/image/input.h), by
# /proc/PID/fd/FD of this process.
package FTMPI::Agent::StdinPipe;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EWOULDBLOCK);

use FTMPI::Loop ();

# COUNT: bytes.
use constant { CHUNK => 65536, COUNT => 16 };

# loop; counted: whether there is a count; on_taken => sub (bytes written); on_closed => sub, when the rank reads no more.
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, queue => '', ending => 0, held => 0, used => 0, written => 0, inode => 0 }, $class;
}

# A pipe for a process that is about to be started: what a former one took is not given again. Returns its reader, or undef.
sub open
{
	my ($self) = @_;
	$self->drop;
	pipe my $reader, my $handle or return;
	FTMPI::Loop::never_block($handle);
	@$self{qw(handle held written inode)} = ($handle, 1, 0, (stat $handle)[1]);
	$self->_open_count if $self->{counted};
	return $reader;
}

# Another one than its predecessor's, who may have been killed with what lay in it.
sub _open_count
{
	my ($self) = @_;
	pipe my $count, my $writer or return;
	FTMPI::Loop::never_block($count);
	@$self{qw(count count_writer)} = ($count, $writer);
	$self->_put_count;
	return;
}

# Where the count is, as the rank is told: "PID:FD:INODE", zeros where the system gave none; undef where nobody counts.
sub count_at
{
	my ($self) = @_;
	return undef if !$self->{counted};
	my $count = $self->{count} // return '0:0:0';
	return join ':', $$, fileno $count, (stat $count)[1];
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
	$self->_rest;
	return;
}

# The process is there.
sub release
{
	my ($self) = @_;
	$self->{held} = 0;
	$self->_write;
	return;
}

# Nothing is waited for.
sub _rest
{
	my ($self) = @_;
	$self->{loop}->off_write($self->{handle}) if $self->{handle};
	$self->{loop}->off_read($self->{count})   if $self->{count};
	return;
}

# Whether the rank took any of it, or would not.
sub used { return $_[0]{used} }

# The rank reads no more.
sub close
{
	my ($self) = @_;
	return if !$self->_shut;
	$self->{used} = 1;
	$self->{on_closed}->() if !$self->{ending};
	return;
}

# Close without a word.
sub drop
{
	my ($self) = @_;
	my $shut = $self->_shut;
	my ($count) = delete @$self{qw(count count_writer)};
	$self->{loop}->drop($count) if $count;
	return $shut;
}

# The count stays, as the process may have unread input still.
sub _shut
{
	my ($self) = @_;
	my $handle = delete $self->{handle} or return 0;
	$self->{loop}->off_read($self->{count}) if $self->{count};
	$self->{loop}->drop($handle);
	return 1;
}

sub _write
{
	my ($self) = @_;
	return if $self->{held} || !$self->{handle};
	if (length $self->{queue}) {
		$self->_take_count or return;
		my $end = $self->_write_out;
		$self->_put_count;
		return if $end eq 'full';
		return $self->close if $end eq 'closed';
	}
	$self->_rest;
	$self->_shut if $self->{ending};
	return;
}

# Does the count lie there? Then it is ours until it is put back. The rank has it for some microseconds, while its image is
# taken, or until it is killed.
sub _take_count
{
	my ($self) = @_;
	my $count = $self->{count} // return 1;
	if ((sysread($count, my $bytes, COUNT) // 0) == COUNT) {
		$self->{loop}->off_read($count);
		return 1;
	}
	$self->{loop}->off_write($self->{handle});
	$self->{loop}->on_read($count, sub { $self->_write });
	return 0;
}

sub _put_count
{
	my ($self) = @_;
	syswrite $self->{count_writer}, pack 'Q<2', @$self{qw(written inode)} if $self->{count};
	return;
}

# 'empty': all that waits is written; 'full': the pipe takes no more; 'closed': nobody reads it.
sub _write_out
{
	my ($self) = @_;
	my $handle = $self->{handle};
	while (length $self->{queue}) {
		my $n = syswrite $handle, $self->{queue}, CHUNK;
		if (defined $n) {
			substr $self->{queue}, 0, $n, '';
			$self->{used} = 1;
			$self->{written} += $n;
			$self->{on_taken}->($n);
		} elsif ($!{EAGAIN} || $!{EWOULDBLOCK}) {
			$self->{loop}->on_write($handle, sub { $self->_write });
			return 'full';
		} elsif (!$!{EINTR}) {
			return 'closed';
		}
	}
	return 'empty';
}

1;
