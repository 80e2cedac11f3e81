# SPDX-License-Identifier: BSD-3-Clause
#
# The launcher's view of one host: its agent's process, the channel to it, and what the agent told
# of the machine. Events go to the launcher: frame (host, name, fields), lost (host, why), with why
# '' when nobody said.
package FTMPI::Launcher::AgentLink;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EWOULDBLOCK);
use IO::Handle ();

use FTMPI::Channel             ();
use FTMPI::Control             ();
use FTMPI::Error               ();
use FTMPI::Lateness            ();
use FTMPI::Launcher::Bootstrap ();
use FTMPI::Loop                ();

# All timers of a host, in seconds: from the start to the first word of the agent; how long to wait for
# the words of an ssh that failed. (The time between two questions whether it is still there is given.)
use constant { START_TIME => 30, WORDS_TIME => 0.3 };
use constant WORDS_MAX => 8192;

# loop, name, local, size (ranks of the job), on_frame, on_lost, ssh => [words]; period: seconds between
# two questions; patience: sub -> seconds without an answer after which it is lost.
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, words => '', heard => 0, unanswered => 0, heard_at => 0, lateness => FTMPI::Lateness->new },
		$class;
}

sub start
{
	my ($self) = @_;
	my $process = FTMPI::Launcher::Bootstrap::launch(FTMPI::Launcher::Bootstrap::command($self, @{ $self->{ssh} }));
	FTMPI::Error::failed("host $self->{name}: cannot start: $!") if !$process;
	my $loop = $self->{loop};
	@$self{qw(pid err)} = @$process{qw(pid err)};
	$self->{err}->blocking(0);
	$loop->on_read($self->{err}, sub { $self->_read_words });
	$self->{channel} = FTMPI::Channel->new(
		loop     => $loop,
		in       => $process->{in},
		out      => $process->{out},
		greeting => FTMPI::Control::GREETING,
		on_frame => sub { $self->_frame(@_) },
		on_end   => sub { $self->_ended(@_) });
	$self->{channel}->send_bytes(FTMPI::Launcher::Bootstrap::payload());
	$self->{start_timer} = $loop->after(
		START_TIME,
		sub {
			my $words = $self->last_words;
			$self->_lose('no answer within ' . START_TIME . ' s'
					. (defined $words ? " after '$words'" : '') . $self->advice);
		});
	return;
}

# What to do about a host that says nothing of use.
sub advice
{
	my ($self) = @_;
	return '' if $self->{local};
	return '; see what this prints: '
		. FTMPI::Error::clean(join ' ', @{ $self->{ssh} }, $self->{name}, 'perl -v');
}

# To the command that leads there, and to what it started: it has a process group of its own.
sub signal
{
	my ($self, $name) = @_;
	return kill($name, -$self->{pid}) || kill $name, $self->{pid};
}

sub tell
{
	my ($self, @message) = @_;
	$self->{channel}->send_bytes(FTMPI::Control::encode(@message));
	return;
}

sub queued    { return $_[0]{channel}->queued }
sub connected { return !$_[0]{channel}->ended }

# Nothing more is wanted of it. What runs there ends when it notices that.
sub close
{
	my ($self) = @_;
	$self->_cancel_timers;
	$self->{channel}->close;
	$self->{loop}->drop($self->{err});
	return;
}

sub _cancel_timers
{
	my ($self) = @_;
	$self->{loop}->cancel(delete $self->{$_}) for qw(start_timer ping_timer words_timer);
	return;
}

sub _frame
{
	my ($self, $type, $body) = @_;
	my ($name, @fields) = eval { FTMPI::Control::decode('agent', $type, $body) };
	if (!defined $name) {
		chomp(my $why = $@);
		$self->{channel}->refuse($why);
		return;
	}
	$self->{unanswered} = 0;
	$self->{heard_at}   = FTMPI::Loop::now();
	if ($name eq 'HERE') {
		$self->{heard} = 1;
		$self->{loop}->cancel(delete $self->{start_timer});
		$self->_ping;
	}
	$self->{on_frame}->($self, $name, @fields);
	return;
}

# Whatever comes from the agent counts as an answer. Questions are counted, not time: a launcher
# that was itself stopped for a while asks again before it judges.
sub _ping
{
	my ($self) = @_;
	my $silent = $self->{unanswered} * $self->{period};
	if ($silent >= $self->{patience}->()) {
		$self->_lose(sprintf 'no answer for %.3g s', $silent);
		return;
	}
	$self->{unanswered}++;
	$self->tell('PING');
	$self->{ping_timer} = $self->{loop}->after($self->{period}, sub { $self->_ping });
	return;
}

# For how many seconds it has not answered, as far as questions tell.
sub silence
{
	my ($self) = @_;
	return $self->{unanswered} > 1 ? ($self->{unanswered} - 1) * $self->{period} : 0;
}

# A rank or the agent there gets too little of a processor: it was late by so many seconds.
sub starves { my ($self, $seconds) = @_; $self->{lateness}->late($seconds, FTMPI::Loop::now()); return }

# For how long it may be silent, as things were when it was heard last.
sub lenient { my ($self) = @_; return $self->{lateness}->allowance($self->{heard_at}) }

sub _lose
{
	my ($self, $why) = @_;
	$self->close;
	$self->{on_lost}->($self, $why);
	return;
}

# The channel has ended; what ssh wrote before it went tells why. After a refusal we know better, and
# it may only complain of us.
sub _ended
{
	my ($self, $why) = @_;
	$self->_cancel_timers;
	$self->{end} = $why;
	if (!defined fileno $self->{err}) {
		$self->_tell_end;
		return;
	}
	$self->{words_timer} = $self->{loop}->after(WORDS_TIME, sub { $self->_tell_end });
	return;
}

sub _read_words
{
	my ($self) = @_;
	my $n = sysread $self->{err}, my $bytes, 4096;
	return if !defined $n && ($!{EINTR} || $!{EAGAIN} || $!{EWOULDBLOCK});
	if ($n) {
		$self->{words} .= $bytes;
		substr $self->{words}, 0, -WORDS_MAX, '' if length $self->{words} > WORDS_MAX;
		return;
	}
	$self->{loop}->drop($self->{err});
	$self->_tell_end if $self->{channel}->ended && $self->{words_timer};
	return;
}

sub _tell_end
{
	my ($self) = @_;
	my $why = $self->{channel}->refused ? $self->{end} : $self->last_words // $self->{end};
	$self->close;
	$self->{on_lost}->($self, $why);
	return;
}

# The last line that ssh, or a shell or perl on the host, has written; a shell or login script may
# have said it on standard output instead.
sub last_words
{
	my ($self) = @_;
	for my $text ($self->{words}, $self->{heard} ? '' : $self->{channel}->chatter) {
		my @lines = grep { length } map { FTMPI::Error::clean($_) } split /[\r\n]+/, $text;
		return $lines[-1] if @lines;
	}
	return;
}

1;
