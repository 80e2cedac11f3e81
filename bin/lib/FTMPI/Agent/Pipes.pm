# SPDX-License-Identifier: BSD-3-Clause
#
# What the processes of the ranks write, on its way from their pipes to the launcher, as far as that
# gave credit: without, the pipes fill, and the ranks wait. The last words of a process that has
# ended do not wait for credit.
#
# A rank that begins again alone (message logging) prints again what it has printed: of its standard output as many
# bytes are dropped as were sent for it before; where it goes on from its checkpoint, as many as were sent since. Positions in its standard
# output count from the rank's beginning. From which checkpoint a process goes on it says before it prints anything, on its control connection: until
# it has, that is listened to before what it prints is dealt with. What comes before it has (a script prints, which then becomes the program) is
# printed again as at the rank's beginning.
#
# One whose checkpoints are of data runs its program from the beginning, and comes to its checkpoint in the middle of it: what it prints up to there is dropped
# as at the rank's beginning. It stands still there, and says so. What it prints from there on is compared with what was sent (FTMPI::PrintedAgain), of which
# the last KEPT bytes are kept: what is not kept is not dropped. What was sent behind a first checkpoint that came to nothing is compared, too.
package FTMPI::Agent::Pipes;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EWOULDBLOCK);

use FTMPI::Loop          ();
use FTMPI::Positions     ();
use FTMPI::PrintedAgain  ();
use FTMPI::Unread        ();

# Bytes of one read; the most that a pipe can hold.
use constant { CHUNK => 65536, PIPE_MAX => 1 << 20, KEPT => 1 << 20 };

# Its number.
use constant STANDARD_OUTPUT => 1;

# loop; tell => sub (message).
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, credit => 0, paused => 0, sources => {}, sent => {}, positions => {} }, $class;
}

# What ranks print again is sent again.
sub repeats { $_[0]{repeats} = 1; return }

# Checkpoints are of data.
sub keeps { $_[0]{keeps} = 1; return }

# So many bytes of its standard output were printed, where this rank was before; positions: at its checkpoints, as text.
sub printed
{
	my ($self, $rank, $bytes, $positions) = @_;
	$self->{sent}{$rank}      = $bytes;
	$self->{positions}{$rank} = FTMPI::Positions->from_text($positions);
	return;
}

# Pipes by the number of the stream; again: it prints again what was printed. Returns what names them here.
sub add
{
	my ($self, $rank, $again, %pipes) = @_;
	my $source = { rank => $rank, again => 0 };
	$self->{sources}{$source} = $source;
	$self->_begins_again($source) if $again;
	for my $stream (keys %pipes) {
		my $pipe = $pipes{$stream};
		FTMPI::Loop::never_block($pipe);
		$source->{pipes}{$stream} =
			{ handle => $pipe, call => sub { $self->_read($source, $stream) } };
		$self->{loop}->on_read($pipe, $source->{pipes}{$stream}{call}) if !$self->{paused};
	}
	return $source;
}

# What was sent is left out. A process that has made a checkpoint which then came to nothing may have told that: where none is committed what was printed
# behind the first one is compared.
sub _begins_again
{
	my ($self, $source) = @_;
	my ($rank, $positions) = ($source->{rank}, $self->_positions($source->{rank}));
	my $first = $self->{keeps} && !$self->{repeats} && !$positions->newest ? $positions->least : undef;
	$source->{again} = $self->_sent($rank);
	return if !defined $first || $first > $source->{again};
	$source->{again} = $first;
	$self->_compare($source, $first);
	return;
}

sub _sent      { my ($self, $rank) = @_; return $self->{sent}{$rank} // 0 }
sub _positions { my ($self, $rank) = @_; return $self->{positions}{$rank} //= FTMPI::Positions->new }

# Before what it prints is dealt with this is called, until it has said from where it goes on.
sub listen_first { my ($self, $source, $call) = @_; $source->{listen} = $call; return }

# It begins at its beginning, as it has said nothing else by now.
sub begins { my ($self, $source) = @_; delete $source->{listen}; return }

# It goes on from its checkpoint n, as it says once. What was printed by then and never came here is lost; where it is not known what was printed by then,
# nothing is dropped.
sub goes_on
{
	my ($self, $source, $n) = @_;
	my $rank = $source->{rank};
	$self->_positions($rank)->begins($n, $self->_sent($rank));
	delete $source->{listen} or return;
	$self->_positions($rank)->committed($n);
	my $then = $self->_positions($rank)->of($n) // $self->_sent($rank);
	$self->{sent}{$rank} = $then if $then > $self->_sent($rank);
	$source->{again} = $self->_sent($rank) - $then;
	return;
}

# It stands for its checkpoint n. Returns how much its rank has printed since its beginning; what lies in its pipe was printed.
sub stands
{
	my ($self, $source, $n) = @_;
	my $rank = $source->{rank};
	return $self->_restores($source, $n) if (delete $source->{restored} // -1) == $n;
	my $compared = $source->{compared};
	my $printed = ($compared ? $source->{at} + $compared->held : $self->_sent($rank)) - $source->{again} + _unread($source);
	$self->_positions($rank)->note($n, $printed);
	return $printed;
}

sub _unread
{
	my ($source) = @_;
	my $pipe = $source->{pipes}{ +STANDARD_OUTPUT } // return 0;
	return FTMPI::Unread::bytes($pipe->{handle}) // 0;
}

# It has run its program up to where the data of its checkpoint n are restored, as it says once; then it stands for that.
sub restored { my ($self, $source, $n) = @_; $source->{restored} = $n; return }

# It stands there, and returns where that is. What was printed by then and never came here is lost; where it is not known what was printed by then, it is
# where the rank is, and nothing is dropped any more.
sub _restores
{
	my ($self, $source, $n) = @_;
	my ($rank, $positions) = ($source->{rank}, $self->_positions($source->{rank}));
	$self->_read_unread($source);
	my $then = $positions->of($n) // $self->_sent($rank);
	if ($then > $self->_sent($rank)) {
		$self->{sent}{$rank} = $then;
		delete $self->{kept}{$rank};
	}
	$source->{again} = $self->{repeats} ? $self->_sent($rank) - $then : 0;
	delete $source->{compared};
	$then = $self->_sent($rank) if !$self->{repeats} && !$self->_compare($source, $then);
	$positions->note($n, $then);
	$positions->committed($n);
	return $then;
}

# From this position on. False: what was sent there is not kept, and is sent again, behind all that was.
sub _compare
{
	my ($self, $source, $then) = @_;
	my $kept = $self->{kept}{ $source->{rank} };
	my $from = $kept ? $then - $kept->{from} : -1;
	return $then == $self->_sent($source->{rank}) if $from < 0 || $from >= length $kept->{text};
	@$source{qw(compared at)} = (FTMPI::PrintedAgain->new(substr $kept->{text}, $from), $then);
	return 1;
}

# It was sent, or was before.
sub _keep
{
	my ($self, $rank, $bytes) = @_;
	my $kept = $self->{kept}{$rank} //= { from => $self->_sent($rank) - length $bytes, text => '' };
	$kept->{text} .= $bytes;
	my $more = length($kept->{text}) - KEPT;
	$self->_forget($kept, $more) if $more > 0;
	return;
}

sub _forget
{
	my ($self, $kept, $n) = @_;
	substr $kept->{text}, 0, $n, '';
	$kept->{from} += $n;
	return;
}

# What it has printed by now, and no more: another rule holds for what comes behind it. That does not wait for credit.
sub _read_unread
{
	my ($self, $source) = @_;
	my $left = _unread($source);
	while ($left > 0) {
		my $n = $self->_read($source, STANDARD_OUTPUT, $left) or last;
		$left -= $n;
	}
	return;
}

# Its checkpoint n is committed.
sub committed
{
	my ($self, $rank, $n) = @_;
	my ($positions, $kept) = ($self->_positions($rank), $self->{kept}{$rank});
	$positions->committed($n);
	my $needless = $kept ? ($positions->of($positions->newest) // 0) - $kept->{from} : 0;
	$self->_forget($kept, $needless) if $needless > 0 && $needless <= length $kept->{text};
	return;
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

# One read, of so many bytes at most. Returns the number of bytes that were there.
sub _read
{
	my ($self, $source, $stream, $most) = @_;
	my $pipe = $source->{pipes}{$stream} or return 0;
	my $n = sysread $pipe->{handle}, my $bytes, defined $most && $most < CHUNK ? $most : CHUNK;
	return 0 if !defined $n && ($!{EINTR} || $!{EAGAIN} || $!{EWOULDBLOCK});
	if (!$n) {
		$self->_close($source, $stream);
		return 0;
	}
	$source->{listen}->() if $source->{listen} && $stream == STANDARD_OUTPUT;
	$self->_send($source, $stream, $bytes);
	return $n;
}

sub _send
{
	my ($self, $source, $stream, $bytes) = @_;
	if ($stream == STANDARD_OUTPUT) {
		my $again = $source->{again} < length $bytes ? $source->{again} : length $bytes;
		my $new   = substr $bytes, $again;
		$source->{again} -= $again;
		if ($source->{compared}) {
			$new = $self->_send_other($source, $new);
		} else {
			$self->{sent}{ $source->{rank} } += length $new;
			$self->_keep($source->{rank}, $new) if $self->{keeps};
		}
		$bytes = $new if !$self->{repeats};
	}
	return if !length $bytes;
	$self->{tell}->('OUT', $source->{rank}, $stream, $bytes);
	$self->{credit} -= length $bytes;
	$self->_pause if $self->{credit} <= 0 && !$self->{paused};
	return;
}

# What of these bytes, and of those that were held back, was not printed before. From where it prints something else on, what was printed before counts no more.
sub _send_other
{
	my ($self, $source, $bytes) = @_;
	my ($rank, $compared) = @$source{qw(rank compared)};
	my ($new, $left_out) = $compared->take($bytes);
	$source->{at} += $left_out;
	return $new if !$compared->is_over;
	my ($at, $kept) = ($source->{at}, $self->{kept}{$rank});
	$self->{kept}{$rank} = $at < $kept->{from} ? { from => $at, text => '' } : { from => $kept->{from}, text => substr $kept->{text}, 0, $at - $kept->{from} };
	$self->{sent}{$rank} = $at + length $new;
	$self->_keep($rank, $new);
	delete $source->{compared};
	return $new;
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
