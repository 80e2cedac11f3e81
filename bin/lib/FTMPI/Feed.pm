# SPDX-License-Identifier: BSD-3-Clause
#
# The agent's end of rank 0's standard input: what the pipe does not take waits here.
package FTMPI::Feed;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EWOULDBLOCK);
use IO::Handle ();

use constant CHUNK => 65536;

# loop, handle; on_taken => sub (bytes written); on_closed => sub, when the rank reads no more.
sub new
{
	my ($class, %arg) = @_;
	$arg{handle}->blocking(0);
	return bless { %arg, queue => '', ending => 0 }, $class;
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

sub close
{
	my ($self) = @_;
	my $handle = delete $self->{handle} or return;
	$self->{loop}->drop($handle);
	$self->{on_closed}->() if !$self->{ending};
	return;
}

sub _write
{
	my ($self) = @_;
	my $handle = $self->{handle} or return;
	while (length $self->{queue}) {
		my $n = syswrite $handle, $self->{queue}, CHUNK;
		if (defined $n) {
			substr $self->{queue}, 0, $n, '';
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
	$self->close if $self->{ending};
	return;
}

1;
