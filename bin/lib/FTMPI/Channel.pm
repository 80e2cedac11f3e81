# SPDX-License-Identifier: BSD-3-Clause
#
# Frames over a pair of descriptors, neither of which ever blocks: what cannot be written waits
# here. A channel ends once, by end of file, by an error, or by a frame that breaks the rules; then
# on_end is called with the reason ('' for a plain end of file) and nothing is called again.
package FTMPI::Channel;

use strict;
use warnings;

use Errno qw(EAGAIN ECONNRESET EINTR EWOULDBLOCK);

use FTMPI::Loop ();
use FTMPI::Wire ();

use constant { CHUNK => 65536, CHATTER_MAX => 65536 };

# loop, in, out, on_frame => sub (type, body), on_end => sub (why); greeting: bytes that come before
# the first frame, and before which anything may come (what login scripts print).
sub new
{
	my ($class, %arg) = @_;
	my $self = bless {
		%arg,
		decoder => FTMPI::Wire->new,
		queue   => [],
		ended   => 0,
		head    => '',
		heard   => 0,
	}, $class;
	FTMPI::Loop::never_block($_) for $self->{in}, $self->{out};
	$self->{loop}->on_read($self->{in}, sub { $self->receive });
	return $self;
}

sub ended  { return $_[0]{ended} }
sub queued { return scalar @{ $_[0]{queue} } }

# The handle from which it reads.
sub input { return $_[0]{in} }

# Grows whenever something comes.
sub heard { return $_[0]{heard} }

# What is given as one is written as one, as far as the descriptor takes so much.
sub send_bytes
{
	my ($self, @bytes) = @_;
	return if $self->{ended};
	push @{ $self->{queue} }, @bytes;
	$self->flush if @{ $self->{queue} } == @bytes;
	return;
}

# Write what the descriptor takes; watch it for the rest. A reader that is gone is noticed here only
# by dropping what is queued: its end of file says the same on the reading side.
sub flush
{
	my ($self) = @_;
	my $queue = $self->{queue};
	while (@$queue && !$self->{ended}) {
		my $n = syswrite $self->{out}, $queue->[0], CHUNK;
		next if !defined $n && $!{EINTR};
		if (!defined $n && ($!{EAGAIN} || $!{EWOULDBLOCK})) {
			$self->{loop}->on_write($self->{out}, sub { $self->flush });
			$self->{waits} = 1;
			return;
		}
		substr $queue->[0], 0, $n // length $queue->[0], '';
		shift @$queue if !length $queue->[0];
	}
	$self->{loop}->off_write($self->{out}) if !$self->{ended} && delete $self->{waits};
	return;
}

# One read and the frames that it completes. A reset means that the other side went without reading
# all that we sent: an end like any other.
sub receive
{
	my ($self) = @_;
	return 0 if $self->{ended};
	my $n = sysread $self->{in}, my $bytes, CHUNK;
	if (!defined $n) {
		return 0 if $!{EINTR} || $!{EAGAIN} || $!{EWOULDBLOCK};
		$self->_end("$!") if !$!{ECONNRESET};
	}
	if (!$n) {
		$self->_end($self->{decoder}->pending ? 'it ended in the middle of a message' : '');
		return 0;
	}
	$self->{heard}++;
	$bytes = $self->_skip_chatter($bytes) if defined $self->{greeting};
	$self->_accept($bytes) if length $bytes;
	return 1;
}

# Read until there is nothing more to read now.
sub drain
{
	my ($self) = @_;
	1 while $self->receive;
	return;
}

sub _accept
{
	my ($self, $bytes) = @_;
	my $decoder = $self->{decoder};
	$decoder->feed($bytes);
	while (!$self->{ended} && (my ($type, $body) = $decoder->next_frame)) {
		$self->{on_frame}->($type, $body);
	}
	$self->refuse($decoder->error) if defined $decoder->error;
	return;
}

# What follows the greeting, once that has come, or nothing.
sub _skip_chatter
{
	my ($self, $bytes) = @_;
	$self->{head} .= $bytes;
	my $at = index $self->{head}, $self->{greeting};
	if ($at < 0) {
		$self->refuse('it prints without end instead of starting')
			if length $self->{head} > CHATTER_MAX;
		return '';
	}
	my $rest = substr $self->{head}, $at + length $self->{greeting};
	delete $self->{greeting};
	$self->{head} = '';
	return $rest;
}

# Words of the other side that are no frames: they may say why there are none.
sub chatter { return $_[0]{head} }

# What came was wrong, as found here or by the user.
sub refuse
{
	my ($self, $why) = @_;
	$self->{refused} = 1 if !$self->{ended};
	$self->_end($why);
	return;
}

sub refused { return $_[0]{refused} }

sub _end
{
	my ($self, $why) = @_;
	return if $self->{ended};
	my $on_end = $self->{on_end};
	$self->close;
	$on_end->($why);
	return;
}

# Close without calling on_end. The callbacks refer to the channel's owner, which refers to the channel:
# from now on neither keeps the other alive.
sub close
{
	my ($self) = @_;
	return if $self->{ended};
	$self->{ended} = 1;
	$self->{loop}->drop($_) for $self->{in}, $self->{out};
	delete @$self{qw(on_frame on_end)};
	return;
}

1;
