# SPDX-License-Identifier: BSD-3-Clause
#
# Standard output and standard error, written in order as far as they take it and never waited for.
# They are shared with other processes, so they are not made non-blocking: select says when there is
# room, and a pipe with room takes PIPE_CHUNK bytes at once. When both are the same file, they share
# one queue and take turns only between two puts, so that lines stay whole there too.
package FTMPI::Launcher::Writer;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EWOULDBLOCK);
use List::Util ();

use constant { PIPE_CHUNK => 4096, FILE_CHUNK => 65536 };

# loop; on_gone => sub (stream, error) when nothing can be written there any more, with error ''
# when its reader is gone; on_room => sub, called after something was written.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless {%arg}, $class;
	my $out = _stream(1, \*STDOUT);
	my $err = _same(\*STDOUT, \*STDERR) ? $out : _stream(2, \*STDERR);
	@$self{qw(out all)} = ({ 1 => $out, 2 => $err }, [ $out, $err != $out ? $err : () ]);
	return $self;
}

sub _stream
{
	my ($number, $handle) = @_;
	return {
		number => $number,
		handle => $handle,
		chunk  => -f $handle ? FILE_CHUNK : PIPE_CHUNK,
		queue  => [],
		bytes  => 0,
		gone   => 0,
	};
}

sub _same
{
	my ($a, $b) = @_;
	my @a = stat $a;
	my @b = stat $b;
	return @a && @b && $a[0] == $b[0] && $a[1] == $b[1] && $a[6] == $b[6];
}

sub put
{
	my ($self, $stream, $text) = @_;
	my $out = $self->{out}{$stream};
	return if $out->{gone} || !length $text;
	push @{ $out->{queue} }, [ $stream, $text ];
	$out->{bytes} += length $text;
	$self->{loop}->defer(sub { $self->_write_deferred }) if !$self->{is_deferred}++;
	return;
}

# At the end of the turn in which it was put; what there is no room for then waits.
sub _write_deferred
{
	my ($self) = @_;
	delete $self->{is_deferred};
	$self->write_at_once;
	for my $out (grep { $_->{bytes} } @{ $self->{all} }) {
		$self->{loop}->on_write($out->{handle}, sub { $self->_write($out) });
		$out->{watched} = 1;
	}
	return;
}

# Before anything that is put elsewhere later, unless it would have to be waited for.
sub put_at_once
{
	my ($self, $stream, $text) = @_;
	my $out = $self->{out}{$stream};
	$self->put($stream, $text);
	$self->_write($out) if @{ $out->{queue} } == 1 && _has_room($out);
	return;
}

sub _has_room
{
	my ($out) = @_;
	vec(my $room = '', fileno $out->{handle}, 1) = 1;
	return select(undef, $room, undef, 0) > 0;
}

# All that would not have to be waited for.
sub write_at_once
{
	my ($self) = @_;
	for my $out (@{ $self->{all} }) {
		my $before = -1;
		while ($out->{bytes} && $out->{bytes} != $before && _has_room($out)) {
			$before = $out->{bytes};
			$self->_write($out);
		}
	}
	return;
}

# Bytes that wait.
sub queued
{
	my ($self) = @_;
	return List::Util::sum0(map { $_->{bytes} } @{ $self->{all} });
}

sub _write
{
	my ($self, $out) = @_;
	my $item = $out->{queue}[0];
	my $n = syswrite $item->[0] == 1 ? \*STDOUT : \*STDERR, $item->[1], $out->{chunk};
	if (!defined $n) {
		return if $!{EINTR} || $!{EAGAIN} || $!{EWOULDBLOCK};
		$self->_give_up($out, $!{EPIPE} ? '' : "$!");
		return;
	}
	substr $item->[1], 0, $n, '';
	$out->{bytes} -= $n;
	shift @{ $out->{queue} } if !length $item->[1];
	$self->{loop}->off_write($out->{handle}) if !$out->{bytes} && delete $out->{watched};
	$self->{on_room}->();
	return;
}

sub _give_up
{
	my ($self, $out, $error) = @_;
	$self->{loop}->off_write($out->{handle});
	@$out{qw(gone queue bytes)} = (1, [], 0);
	$self->{on_gone}->($out->{number}, $error);
	$self->{on_room}->();
	return;
}

1;
