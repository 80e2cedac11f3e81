# SPDX-License-Identifier: BSD-3-Clause
#
# The launcher's end of one agent: its process, the channel to it, what it told of its machine, the sockets
# that it has bound, and how much credit for output it is owed. An agent says HERE first, and once. Two
# events go to the owner: on_frame (this link, name, fields) and on_lost (this link, why), with why '' when
# nobody said.
package FTMPI::Launcher::AgentLink;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EWOULDBLOCK);
use POSIX      ();

use FTMPI::Address             ();
use FTMPI::Channel             ();
use FTMPI::Control             ();
use FTMPI::Error               ();
use FTMPI::Lateness            ();
use FTMPI::Launcher::Bootstrap ();
use FTMPI::Launcher::EarlyAgent ();
use FTMPI::Launcher::Sentences ();
use FTMPI::Loop                ();
use FTMPI::Wire                ();

# All timers of an agent, in seconds: from its start to its first frame; how long to wait for the words of an
# ssh that failed; how long it has to leave. (The time between two PINGs is given.)
use constant { START_TIME => 30, WORDS_TIME => 0.3, LEAVE_TIME => 3 };
use constant WORDS_MAX => 8192;

# loop; index, name, local: of its host; size: ranks of the job; reach: FTMPI::Launcher::Reach; period: seconds between two
# PINGs; patience: sub (this link) -> seconds without an answer after which it is lost; sockets: of each rank;
# credit: bytes of output that it may send at first; on_owed => sub, when it is owed a large part of that; on_frame, on_lost, and on_log => sub (this link, text).
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, words => '', unanswered => 0, heard_at => 0, lateness => FTMPI::Lateness->new,
		owed => 0, settled_at => $arg{credit} / 4, binds => [], ports => {}, opened => 0 }, $class;
}

sub index { return $_[0]{index} }
sub name  { return $_[0]{name} }

# What the agent told of its machine: see FTMPI::Address::choose(), and cores; nothing before that.
sub here { return $_[0]{here} }

sub start
{
	my ($self) = @_;
	my $early   = FTMPI::Launcher::EarlyAgent::take($self, FTMPI::Launcher::Bootstrap::descriptors_needed($self->{size}),
		POSIX::sysconf(POSIX::_SC_OPEN_MAX()));
	my $process = $early // FTMPI::Launcher::Bootstrap::launch(FTMPI::Launcher::Bootstrap::command($self, $self->{reach}));
	FTMPI::Error::failed("host $self->{name}: cannot start: $!") if !$process;
	my $loop = $self->{loop};
	@$self{qw(pid err pipe)} = @$process{qw(pid err out)};
	FTMPI::Loop::never_block($self->{err});
	$loop->on_read($self->{err}, sub { $self->_read_words });
	$self->{channel} = FTMPI::Channel->new(
		loop     => $loop,
		in       => $process->{in},
		out      => $process->{out},
		greeting => FTMPI::Control::GREETING,
		on_frame => sub { $self->_frame(@_) },
		on_end   => sub { $self->_ended(@_) });
	$self->{channel}->send_bytes(FTMPI::Launcher::Bootstrap::payload()) if !$early;
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
	return '; see what this prints: ' . FTMPI::Error::clean(join ' ', $self->{reach}->trial($self->{name}));
}

# The launcher's deputy writes into the same pipe.
sub tell
{
	my ($self, @message) = @_;
	$self->{channel}->send_bytes(FTMPI::Control::pieces(FTMPI::Control::encode(@message)));
	return;
}

# The pipe that leads there.
sub pipe { return $_[0]{pipe} }

sub queued    { return $_[0]{channel}->queued }
sub connected { return !$_[0]{channel}->ended }

# ---- what the agent says ----

sub _frame
{
	my ($self, $type, $body) = @_;
	my ($name, @fields) = eval { FTMPI::Control::decode('agent', $type, $body) };
	if (!defined $name) {
		chomp(my $why = $@);
		$self->refuse($why);
		return;
	}
	$self->{unanswered} = 0;
	$self->{heard_at}   = FTMPI::Loop::now();
	return if $name eq 'BYE';
	if (($name eq 'HERE') == defined $self->{here}) {
		$self->refuse('it did not begin with what it is, or said that twice');
		return;
	}
	$self->_here(@fields) if $name eq 'HERE';
	return if $name eq 'PORTS' && !$self->_ports(@fields);
	$self->{owed} += length $fields[2] if $name eq 'OUT';
	$self->{on_frame}->($self, $name, @fields);
	$self->{on_owed}->() if $self->{owed} >= $self->{settled_at};
	return;
}

# What the agent said makes no sense: the agent is lost.
sub refuse
{
	my ($self, $why) = @_;
	$self->{channel}->refuse($why);
	return;
}

sub _here
{
	my ($self, $cores, $ssh, $names, $addresses) = @_;
	$self->{here} = {
		name  => $self->{name},
		local => $self->{local},
		cores => $cores,
		FTMPI::Address::reported($ssh, $names, $addresses),
	};
	$self->{loop}->cancel(delete $self->{start_timer});
	$self->_ping;
	return;
}

# The number of an OPENED: they come in the order of the OPENs.
sub next_opened { return $_[0]{opened}++ }

# ---- sockets ----

# The first address that is chosen for it is kept: something may listen there.
sub use_address { $_[0]{address} //= $_[1]; return }

# ports: the range of -ports.
sub bind
{
	my ($self, $ports, @ranks) = @_;
	push @{ $self->{binds} }, \@ranks;
	$self->tell('BIND', $self->{address}, @ranks * $self->{sockets}, @$ports);
	return;
}

sub _ports
{
	my ($self, $ports) = @_;
	my $ranks = shift @{ $self->{binds} };
	if (!$ranks || @$ports != @$ranks * $self->{sockets}) {
		$self->refuse('it bound a wrong number of ports');
		return 0;
	}
	$self->{ports}{ $ranks->[$_] } = [ $ports->[$_], $ports->[ @$ranks + $_ ] // 0 ] for 0 .. $#$ranks;
	$self->{on_log}->($self, "host $self->{name}: @{[ FTMPI::Launcher::Sentences::numbered('rank', @$ranks) ]} at"
			. " $self->{address}, @{[ FTMPI::Launcher::Sentences::numbered('port', @$ports) ]}");
	return 1;
}

# How many processors a rank has there.
sub cores { return $_[0]{here}{cores} }

# One row of the table of all ranks; node: the number of its host there; cores: what is told of that.
sub row
{
	my ($self, $rank, $node, $cores) = @_;
	return FTMPI::Wire::pack_fields(FTMPI::Control::ROW, @$self{qw(name address)}, @{ $self->{ports}{$rank} }, $node, $cores);
}

# ---- output ----

# Credit for output that has gone on, if that is a large part of what it had at first.
sub settle
{
	my ($self) = @_;
	return if $self->{owed} < $self->{settled_at};
	$self->tell('CREDIT', $self->{owed}) if $self->connected;
	$self->{owed} = 0;
	return;
}

# ---- whether it is still there ----

# Whatever comes from the agent counts as an answer. Unanswered PINGs are counted, not time: a launcher that was
# stopped itself asks again before it judges.
sub _ping
{
	my ($self) = @_;
	my $silent = $self->{unanswered} * $self->{period};
	if ($silent >= $self->{patience}->($self)) {
		$self->_lose(sprintf 'no answer for %.3g s', $silent);
		return;
	}
	$self->{unanswered}++;
	$self->tell('PING');
	$self->{ping_timer} = $self->{loop}->after($self->{period}, sub { $self->_ping });
	return;
}

# For how many seconds the agent has not answered, as far as PINGs tell.
sub silence
{
	my ($self) = @_;
	return $self->{unanswered} > 1 ? ($self->{unanswered} - 1) * $self->{period} : 0;
}

# A rank or the agent there gets too little of a processor: it was late by so many seconds. Returns the load
# of the machine in words.
sub starves
{
	my ($self, $seconds, $load) = @_;
	$self->{lateness}->late($seconds, FTMPI::Loop::now());
	return $self->{load} = FTMPI::Launcher::Sentences::load($load, $self->{here}{cores});
}

# The load when it was short of processors last; nothing when it never was.
sub load { return $_[0]{load} }

# For how long it may be silent, as things were when it was heard last.
sub lenient { my ($self) = @_; return $self->{lateness}->allowance($self->{heard_at}) }

# ---- its end ----

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
	$why = 'it ended without a word' . $self->advice if !length $why && !$self->{here};
	$self->_lose($why);
	return;
}

# The line that says why, of those that ssh or srun, or a shell or perl on the host, has written; a shell or login script
# may have said it on standard output instead.
sub last_words
{
	my ($self) = @_;
	for my $text ($self->{words}, $self->{here} ? '' : $self->{channel}->chatter) {
		my @lines = grep { length } map { FTMPI::Error::clean($_) } split /[\r\n]+/, $text;
		return $self->{local} ? $lines[-1] : $self->{reach}->reason(@lines) if @lines;
	}
	return;
}

# To the command that leads there, and to what it started: it has a process group of its own.
sub signal
{
	my ($self, $name) = @_;
	return kill($name, -$self->{pid}) || kill $name, $self->{pid};
}

# Nothing more is heard of it or told to it. What runs there ends when it notices that.
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

# Ended at once, with what was to bring us there.
sub kill_process
{
	my ($self) = @_;
	$self->close;
	$self->signal('KILL') if !$self->{reaped};
	return;
}

# Told to clear up and leave. One that is on its way, or out of reach, is ended with what was to bring us
# there; so is one that does not leave in time.
sub dismiss
{
	my ($self) = @_;
	return if $self->{reaped};
	if ($self->{here} && $self->connected) {
		$self->tell('END');
	} else {
		$self->close;
		$self->signal('TERM');
	}
	$self->{loop}->after(LEAVE_TIME, sub { $self->kill_process if !$self->{reaped} });
	return;
}

# The process here has ended.
sub is_reaped { return $_[0]{reaped} }
sub reaped    { $_[0]{reaped} = 1; return }
sub pid       { return $_[0]{pid} }

1;
