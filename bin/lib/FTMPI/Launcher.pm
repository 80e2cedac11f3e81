# SPDX-License-Identifier: BSD-3-Clause
#
# One job from its start to its exit status. The happy path: an agent to every host; all are here;
# every agent binds the sockets of its ranks; the table of all ranks goes to every agent, which
# starts its ranks; output, input and news are carried; all ranks end; the agents leave. What every
# other course of things means is decided in FTMPI::Job; here it is only carried out.
package FTMPI::Launcher;

use strict;
use warnings;

use POSIX qw(WNOHANG);

use FTMPI::Address ();
use FTMPI::Control ();
use FTMPI::Host    ();
use FTMPI::Job     ();
use FTMPI::Loop    ();
use FTMPI::Net     ();
use FTMPI::Stdin   ();
use FTMPI::Stop    ();
use FTMPI::Streams ();

# Bytes of output that may wait for a slow reader before the agents get no more credit; the credit
# of all agents together and the least of one; seconds that agents have to leave after the job, and
# that the order to stop has to get on its way.
use constant {
	OUTPUT_MAX   => 1 << 20,
	CREDIT_ALL   => 1 << 22,
	CREDIT_MIN   => 1 << 16,
	LEAVE_TIME   => 3,
	SUSPEND_TIME => 1,
};

my %FRAMES = (
	HERE         => \&_here,
	PORTS        => \&_ports,
	FAILED       => \&_failed,
	STARTED      => \&_started,
	NEWS         => \&_news,
	BROKEN       => sub { $_[0]->_event('broken', @_[ 2, 3 ]) },
	CANNOT_RUN   => sub { $_[0]->_event('cannot', "host $_[1]{name}: $_[3]") },
	OUT          => \&_out,
	EXITED       => sub { $_[0]->_event('exited', @_[ 2 .. 4 ]) },
	STDIN_TAKEN  => sub { $_[0]{stdin}->taken($_[2]) if $_[0]{stdin} },
	STDIN_CLOSED => sub { $_[0]{stdin}->close if $_[0]{stdin} },
	PONG         => sub { },
	BYE          => sub { $_[1]{bye} = 1 },
);

my %NEWS = (
	INITED    => sub { $_[0]->_event('inited',    $_[1]) },
	FINALIZED => sub { $_[0]->_event('finalized', $_[1]) },
	ABORTED   => sub { $_[0]->_event('aborted', @_[ 1, 2 ], FTMPI::Stop::clean($_[3])) },
	LOST      => sub { $_[0]->_event('lost',    @_[ 1, 2 ], FTMPI::Stop::clean($_[3])) },
);

my %ACTIONS = (
	say   => sub { $_[0]->_say($_[1]) },
	log   => sub { $_[0]->_log($_[1]) },
	kill  => sub { $_[0]->_tell_all('KILL', $_[1]) },
	timer => sub { my ($self, $name) = @_; $self->_timer($_[2], $name) },
	gone  => sub { $_[0]{streams}->finish($_[1]) },
	over  => \&_over,
);

# plan: hosts => [{ name, local, ranks }], size, prog => [words], env => [words], wdir, workdir,
# ssh => [words], iface, ports => [first, last], timeout, tag, verbosity.
sub run
{
	my ($plan) = @_;
	my $self = bless { plan => $plan, loop => FTMPI::Loop->new, over => 0, timers => {} },
		__PACKAGE__;
	$self->_prepare;
	$self->_log("session $self->{session_name}: $plan->{size} ranks on "
			. @{ $plan->{hosts} } . ' hosts');
	$_->start for @{ $self->{hosts} };
	$_->tell('SETUP', $self->{credit}, $plan->{silence} // 0) for @{ $self->{hosts} };
	$self->{loop}->run;
	return $self->{status};
}

sub _prepare
{
	my ($self) = @_;
	my ($plan, $loop) = @$self{qw(plan loop)};
	my $node = 0;
	$self->{hosts} = [ map { $self->_host($_, $node++) } @{ $plan->{hosts} } ];
	$self->{job}   = FTMPI::Job->new(map { $_->{name} } $self->_hosts_by_rank);
	$self->{streams} = FTMPI::Streams->new(
		loop    => $loop,
		tag     => $plan->{tag},
		on_gone => sub { $self->_output_gone(@_) },
		on_room => sub { $self->_settle });
	$self->{credit} = int CREDIT_ALL / @{ $plan->{hosts} };
	$self->{credit} = CREDIT_MIN if $self->{credit} < CREDIT_MIN;
	@$self{qw(session secret)} = (_random(16), _random(32));
	$self->{session_name} = POSIX::strftime('%Y%m%d-%H%M%S-', localtime)
		. unpack 'H8', $self->{session};
	$SIG{$_} = 'IGNORE' for qw(PIPE TTIN);
	$SIG{CHLD} = 'DEFAULT';
	$loop->on_signal('CHLD', sub { $self->_reap });
	for my $name (qw(INT TERM HUP)) {
		$loop->on_signal($name, sub { $self->_signal($name) });
	}
	$loop->on_signal('TSTP', sub { $self->_suspend });
	$loop->after($plan->{timeout}, sub { $self->_event('timeout', $plan->{timeout}) })
		if defined $plan->{timeout};
	return;
}

sub _host
{
	my ($self, $host, $node) = @_;
	return FTMPI::Host->new(
		%$host,
		node     => $node,
		size     => $self->{plan}{size},
		loop     => $self->{loop},
		ssh      => $self->{plan}{ssh},
		owed     => 0,
		on_frame => sub { $self->_frame(@_) },
		on_lost  => sub { $self->_lost(@_) });
}

sub _hosts_by_rank
{
	my ($self) = @_;
	my @by_rank;
	for my $host (@{ $self->{hosts} }) {
		$by_rank[$_] = $host for @{ $host->{ranks} };
	}
	return @by_rank;
}

sub _random
{
	my ($n) = @_;
	open my $file, '<:raw', '/dev/urandom' or die "/dev/urandom: $!\n";
	my $bytes = '';
	my $got = sysread $file, $bytes, $n;
	die "/dev/urandom: too few bytes\n" if ($got // 0) != $n;
	return $bytes;
}

sub _event
{
	my ($self, @event) = @_;
	for my $action ($self->{job}->event(@event)) {
		my ($name, @arguments) = @$action;
		$ACTIONS{$name}->($self, @arguments);
	}
	return;
}

sub _timer
{
	my ($self, $seconds, $name) = @_;
	$self->{loop}->cancel($self->{timers}{$name}) if $name eq 'leave';
	$self->{timers}{$name} = $self->{loop}->after($seconds, sub { $self->_event($name) });
	return;
}

sub _say
{
	my ($self, $text) = @_;
	$self->{streams}->put(2, "ftmpirun: $text\n");
	return;
}

sub _log
{
	my ($self, $text) = @_;
	$self->_say($text) if $self->{plan}{verbosity};
	return;
}

sub _tell_all
{
	my ($self, @message) = @_;
	$_->tell(@message) for grep { $_->connected } @{ $self->{hosts} };
	return;
}

# Hosts.

sub _frame
{
	my ($self, $host, $name, @fields) = @_;
	$FRAMES{$name}->($self, $host, @fields);
	return;
}

sub _here
{
	my ($self, $host, $cores, $ssh, $names, $addresses) = @_;
	$host->{here} = {
		name  => $host->{name},
		local => $host->{local},
		cores => $cores,
		FTMPI::Address::reported($ssh, $names, $addresses),
	};
	return if $self->{over} || grep { !$_->{here} } @{ $self->{hosts} };
	my @addresses = eval { $self->_addresses };
	if (ref $@) {
		$self->_event('cannot', $@->text);
		return;
	}
	die $@ if $@;
	$self->_bind(@addresses);
	return;
}

sub _addresses
{
	my ($self) = @_;
	return FTMPI::Address::choose(
		hosts   => [ map { $_->{here} } @{ $self->{hosts} } ],
		iface   => $self->{plan}{iface},
		towards => \&FTMPI::Net::source_towards);
}

sub _bind
{
	my ($self, @addresses) = @_;
	for my $host (@{ $self->{hosts} }) {
		$host->{address} = shift @addresses;
		$host->tell('BIND', $host->{address}, $self->_sockets($host),
			@{ $self->{plan}{ports} // [ 0, 0 ] });
	}
	return;
}

# A rank has a socket for data, and one for heartbeats if there are any.
sub _sockets
{
	my ($self, $host) = @_;
	return @{ $host->{ranks} } * (($self->{plan}{heartbeat} // 100) ? 2 : 1);
}

sub _ports
{
	my ($self, $host, $ports) = @_;
	if (@$ports != $self->_sockets($host)) {
		$host->{channel}->refuse('it bound a wrong number of ports');
		return;
	}
	$host->{ports} = $ports;
	$self->_log("host $host->{name}: ranks @{[ _ranges(@{ $host->{ranks} }) ]} at"
			. " $host->{address}, ports @{[ _ranges(@$ports) ]}");
	return if $self->{over} || grep { !$_->{ports} } @{ $self->{hosts} };
	$self->_start_ranks;
	return;
}

# 0, 1, 2, 5 as "0-2 5".
sub _ranges
{
	my (@ranges);
	for my $n (@_) {
		if (@ranges && $ranges[-1][1] == $n - 1) {
			$ranges[-1][1] = $n;
		} else {
			push @ranges, [ $n, $n ];
		}
	}
	return join ' ', map { $_->[0] == $_->[1] ? $_->[0] : "$_->[0]-$_->[1]" } @ranges;
}

sub _start_ranks
{
	my ($self) = @_;
	my $plan  = $self->{plan};
	my $table = $self->_table;
	$self->_event('ready');
	for my $host (@{ $self->{hosts} }) {
		$host->tell(
			'RUN', @$self{qw(session secret)},
			0, @$plan{qw(size verbosity workdir)},
			$self->{session_name}, $host->{ranks}, @$plan{qw(wdir prog env settings)}, $table);
	}
	my ($first) = $self->_hosts_by_rank;
	$self->{stdin} = FTMPI::Stdin->new(
		loop     => $self->{loop},
		on_bytes => sub { $first->tell('STDIN', $_[0]) },
		on_end   => sub { $first->tell('STDIN_END') });
	return;
}

# What every rank is told of every rank.
sub _table
{
	my ($self) = @_;
	my @rows;
	for my $host (@{ $self->{hosts} }) {
		my @ranks = @{ $host->{ranks} };
		for my $i (0 .. $#ranks) {
			my @row = (
				@$host{qw(name address)},
				$host->{ports}[$i], $host->{ports}[ @ranks + $i ] // 0,
				$host->{node});
			$rows[ $ranks[$i] ] = FTMPI::Wire::pack_fields(FTMPI::Control::ROW, @row,
				$host->{here}{cores});
		}
	}
	return join '', @rows;
}

sub _failed
{
	my ($self, $host, $text) = @_;
	$self->_event('host_lost', "host $host->{name}: " . FTMPI::Stop::clean($text),
		@{ $host->{ranks} });
	return;
}

sub _lost
{
	my ($self, $host, $why) = @_;
	my $words    = length $why ? " ($why)" : '';
	my $sentence = $host->{heard}
		? "lost the connection to host $host->{name}$words; the job is ended."
		: "host $host->{name}: cannot start: " . ($why || 'it ended without a word' . $host->advice);
	$self->_event('host_lost', $sentence, @{ $host->{ranks} });
	$self->_stop_if_done;
	return;
}

# Ranks.

sub _started
{
	my ($self, $host, $rank, $pid) = @_;
	$self->_log("rank $rank on $host->{name} is process $pid");
	return;
}

sub _news
{
	my ($self, $host, $rank, $type, $body) = @_;
	my ($name, @fields) = eval { FTMPI::Control::decode('rank', $type, $body) };
	if (!defined $name || !grep { $_ == $rank } @{ $host->{ranks} }) {
		$host->{channel}->refuse('it sent news that make no sense');
		return;
	}
	$NEWS{$name}->($self, $rank, @fields) if $NEWS{$name};
	return;
}

# Output.

sub _out
{
	my ($self, $host, $rank, $stream, $bytes) = @_;
	$host->{owed} += length $bytes;
	$self->{streams}->take($rank, $stream == 1 ? 1 : 2, $bytes);
	$self->_settle;
	return;
}

# Also the last words of a job that has ended may find nobody.
sub _output_gone
{
	my ($self, $stream, $error) = @_;
	return if $stream != 1;
	if ($self->{over}) {
		$self->_say("cannot write to standard output: $error") if $error ne '';
		$self->{status} ||= $error eq '' ? 128 + 13 : 1;
		return;
	}
	$self->_event('output_gone', $error);
	return;
}

# Give the agents credit for what has gone on, in large pieces.
sub _settle
{
	my ($self) = @_;
	$self->_stop_if_done;
	return if $self->{streams}->queued > OUTPUT_MAX;
	for my $host (grep { $_->{owed} * 4 >= $self->{credit} } @{ $self->{hosts} }) {
		$host->tell('CREDIT', $host->{owed}) if $host->connected;
		$host->{owed} = 0;
	}
	return;
}

# The end.

# A signal while the last output waits for its reader, or agents leave: no more waiting.
sub _signal
{
	my ($self, $name) = @_;
	if ($self->{over}) {
		$self->_abandon;
		$self->{loop}->stop;
		return;
	}
	$self->_event('signal', $name);
	return;
}

# Ctrl-Z: the ranks, which have no terminal, are stopped by their agents; then we are. What follows
# the kill is done when somebody lets us go on.
sub _suspend
{
	my ($self) = @_;
	my $loop = $self->{loop};
	my $late = 0;
	$self->_tell_all('SUSPEND', 1);
	my $timer = $loop->after(SUSPEND_TIME, sub { $late = 1 });
	$loop->turn while !$late && grep { $_->connected && $_->queued } @{ $self->{hosts} };
	$loop->cancel($timer);
	kill 'STOP', $$;
	$self->_tell_all('SUSPEND', 0);
	return;
}

# The status is known. Agents that run are told to clear up and leave; those on their way, or out of
# reach, are ended with what was to bring us there.
sub _over
{
	my ($self, $status) = @_;
	@$self{qw(over status)} = (1, $status);
	$self->{stdin}->close if $self->{stdin};
	$self->{streams}->finish;
	for my $host (grep { !$_->{reaped} } @{ $self->{hosts} }) {
		if ($host->{heard} && $host->connected) {
			$host->tell('END');
		} else {
			$host->close;
			$host->signal('TERM');
		}
	}
	$self->{loop}->after(LEAVE_TIME, sub { $self->_abandon });
	$self->_stop_if_done;
	return;
}

sub _abandon
{
	my ($self) = @_;
	for my $host (grep { !$_->{reaped} } @{ $self->{hosts} }) {
		$host->close;
		$host->signal('KILL');
		$host->{reaped} = 1;
	}
	$self->_stop_if_done;
	return;
}

sub _reap
{
	my ($self) = @_;
	while ((my $pid = waitpid -1, WNOHANG) > 0) {
		$_->{reaped} = 1 for grep { $_->{pid} == $pid } @{ $self->{hosts} };
	}
	$self->_stop_if_done;
	return;
}

sub _stop_if_done
{
	my ($self) = @_;
	return if !$self->{over} || $self->{streams}->queued;
	return if grep { !$_->{reaped} } @{ $self->{hosts} };
	$self->{loop}->stop;
	return;
}

1;
