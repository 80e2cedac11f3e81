# SPDX-License-Identifier: BSD-3-Clause
#
# What the processes of the ranks write, on its way from their pipes to the launcher, as far as that
# gave credit: without, the pipes fill, and the ranks wait. The last words of a process that has
# ended do not wait for credit.
#
# A rank that begins again alone (message logging) prints again what it has printed: of its standard output as many
# bytes are dropped as were sent for it before.
package FTMPI::Agent::Pipes;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EWOULDBLOCK);
use IO::Handle ();

# Bytes of one read; the most that a pipe can hold.
use constant { CHUNK => 65536, PIPE_MAX => 1 << 20 };

# Its number.
use constant STANDARD_OUTPUT => 1;

# loop; tell => sub (message).
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, credit => 0, paused => 0, sources => {}, sent => {} }, $class;
}

# So many bytes of its standard output were printed, where this rank was before.
sub printed { my ($self, $rank, $bytes) = @_; $self->{sent}{$rank} = $bytes; return }

# Pipes by the number of the stream; again: it prints again what was printed. Returns what names them here.
sub add
{
	my ($self, $rank, $again, %pipes) = @_;
	my $source = { rank => $rank, again => $again ? $self->{sent}{$rank} // 0 : 0 };
	$self->{sources}{$source} = $source;
	for my $stream (keys %pipes) {
		my $pipe = $pipes{$stream};
		$pipe->blocking(0);
		$source->{pipes}{$stream} =
			{ handle => $pipe, call => sub { $self->_read($source, $stream) } };
		$self->{loop}->on_read($pipe, $source->{pipes}{$stream}{call}) if !$self->{paused};
	}
	return $source;
}

# The process has ended: what it left in its pipes. Others may still hold them, and write.
sub drain
{
	my ($self, $source) = @_;
	for my $stream (sort keys %{ $source->{pipes} }) {
		my $left = PIPE_MAX;
		while ($left > 0) {
			my $n = $self->_read($source, $stream) or last;
			$left -= $n;
		}
	}
	return;
}

# What is there now was the last.
sub finish
{
	my ($self, $source) = @_;
	$self->drain($source);
	$self->_close($source, $_) for keys %{ $source->{pipes} };
	return;
}

sub _close
{
	my ($self, $source, $stream) = @_;
	my $pipe = delete $source->{pipes}{$stream};
	$self->{loop}->drop($pipe->{handle});
	delete $self->{sources}{$source} if !%{ $source->{pipes} };
	return;
}

# One read. Returns the number of bytes that were there.
sub _read
{
	my ($self, $source, $stream) = @_;
	my $pipe = $source->{pipes}{$stream} or return 0;
	my $n = sysread $pipe->{handle}, my $bytes, CHUNK;
	return 0 if !defined $n && ($!{EINTR} || $!{EAGAIN} || $!{EWOULDBLOCK});
	if (!$n) {
		$self->_close($source, $stream);
		return 0;
	}
	$self->_send($source, $stream, $bytes);
	return $n;
}

sub _send
{
	my ($self, $source, $stream, $bytes) = @_;
	if ($stream == STANDARD_OUTPUT) {
		my $again = $source->{again} < length $bytes ? $source->{again} : length $bytes;
		$source->{again} -= $again;
		substr($bytes, 0, $again, '');
		$self->{sent}{ $source->{rank} } += length $bytes;
	}
	return if !length $bytes;
	$self->{tell}->('OUT', $source->{rank}, $stream, $bytes);
	$self->{credit} -= length $bytes;
	$self->_pause if $self->{credit} <= 0 && !$self->{paused};
	return;
}

sub _pause
{
	my ($self) = @_;
	$self->{paused} = 1;
	$self->{loop}->off_read($_->{handle}) for $self->_pipes;
	return;
}

# So many bytes more may be sent.
sub credit
{
	my ($self, $bytes) = @_;
	$self->{credit} += $bytes;
	return if !$self->{paused} || $self->{credit} <= 0;
	$self->{paused} = 0;
	$self->{loop}->on_read($_->{handle}, $_->{call}) for $self->_pipes;
	return;
}

sub _pipes
{
	my ($self) = @_;
	return map { values %{ $_->{pipes} } } values %{ $self->{sources} };
}

1;
