# SPDX-License-Identifier: BSD-3-Clause
#
# The agents of a job: started, told where its ranks are, told to run them, left. Hosts go by their
# number in the plan; each has at most one agent that counts, the one started last. Which host is used
# for what is decided elsewhere (FTMPI::Launcher::Job, FTMPI::Launcher::HostTable).
package FTMPI::Launcher::Fleet;

use strict;
use warnings;

use POSIX qw(WNOHANG);

use FTMPI::Address             ();
use FTMPI::Control             ();
use FTMPI::Launcher::AgentLink ();
use FTMPI::Launcher::Sentences ();
use FTMPI::Net                 ();
use FTMPI::Wire                ();

# Output of all agents together that is on its way, and the least of one, in bytes; seconds between
# two questions without heartbeats, and the least for each host with them; questions within the timeout
# of heartbeats; seconds that an agent has to leave.
use constant {
	CREDIT_ALL => 1 << 22,
	CREDIT_MIN => 1 << 16,
	PING_TIME  => 5,
	PING_LEAST => 0.001,
	PINGS      => 5,
	LEAVE_TIME => 3,
};

# plan: see FTMPI::Launcher; loop; on_frame => sub (host, name, fields); on_lost => sub (host, why,
# whether it had been here); on_log => sub (text); patience => sub (host) -> seconds without an answer
# after which an agent is lost.
sub new
{
	my ($class, %arg) = @_;
	my $plan  = $arg{plan};
	my $hosts = grep { @{ $_->{ranks} } } @{ $plan->{hosts} };
	my $self  = bless { %arg, agents => [], all => [] }, $class;
	$self->{credit} = int CREDIT_ALL / $hosts;
	$self->{credit} = CREDIT_MIN if $self->{credit} < CREDIT_MIN;
	$self->{period} = _period(map { $plan->{$_} / 1000 } qw(heartbeat timeout_heartbeat));
	my $least = PING_LEAST * $hosts;
	$self->{period} = $least if $self->{period} < $least;
	return $self;
}

# Seconds between two questions: a few within the timeout are enough, and each wakes two processes.
sub _period
{
	my ($beat, $timeout) = @_;
	return PING_TIME if !$beat;
	my $period = $timeout / PINGS;
	return $period < $beat ? $beat : $period;
}

sub name  { return $_[0]{plan}{hosts}[ $_[1] ]{name} }
sub agent { return $_[0]{agents}[ $_[1] ] }

# An agent for this host.
sub start
{
	my ($self, $index) = @_;
	my $plan = $self->{plan};
	my $host = $plan->{hosts}[$index];
	my $agent = FTMPI::Launcher::AgentLink->new(
		%$host{qw(name local)},
		size     => $plan->{size},
		loop     => $self->{loop},
		ssh      => $plan->{ssh},
		period   => $self->{period},
		patience => sub { $self->{patience}->($index) },
		on_frame => sub { $self->_frame($index, @_) },
		on_lost  => sub { $self->_lost($index, @_) });
	@$agent{qw(owed binds ports)} = (0, [], {});
	$agent->start;
	$self->{agents}[$index] = $agent;
	push @{ $self->{all} }, $agent;
	$agent->tell('SETUP', $self->{credit}, $plan->{silence}, 1000 * ($plan->{starved_limit} // 0));
	$agent->tell('HOLD', @$_) for holds($plan);
	$agent->{held} = 0;
	return;
}

# What a job executes, part by part: working directory, environment, [the name that the user gave].
sub holds
{
	my ($plan) = @_;
	my @own = @{ $plan->{own} // [] };
	return [ @$plan{qw(wdir env)}, [ $plan->{prog}[0] ] ] if !@own;
	return map { [ $_->{wdir}, [ @{ $plan->{env} }, @{ $_->{env} } ], [ $_->{prog}[0] ] ] } @own;
}

# Of which part this host tells now: its number, and the name of its program; or nothing.
sub next_held
{
	my ($self, $index) = @_;
	my $number = $self->{agents}[$index]{held}++;
	my $hold = (holds($self->{plan}))[$number] // return;
	return ($number, $hold->[2][0]);
}

sub tell
{
	my ($self, $index, @message) = @_;
	my $agent = $self->{agents}[$index];
	$agent->tell(@message) if $agent && $agent->connected;
	return;
}

sub tell_all
{
	my ($self, @message) = @_;
	$self->tell($_, @message) for 0 .. $#{ $self->{agents} };
	return;
}

# Words that no agent has taken yet.
sub is_telling
{
	my ($self) = @_;
	return scalar grep { $_ && $_->connected && $_->queued } @{ $self->{agents} };
}

# Seconds since the agent was heard.
sub silence
{
	my ($self, $index) = @_;
	my $agent = $self->{agents}[$index];
	return $agent ? $agent->silence : 0;
}

# Something there gets too little of a processor, and was late by so many seconds. Its load, in words.
sub starves
{
	my ($self, $index, $seconds, $load) = @_;
	my $agent = $self->{agents}[$index];
	$agent->starves($seconds);
	return $agent->{load} = FTMPI::Launcher::Sentences::load($load, $agent->{here}{cores});
}

# Its load when it was short of processors last; nothing when it never was.
sub load { my ($self, $index) = @_; return ($self->{agents}[$index] // {})->{load} }

sub lenient
{
	my ($self, $index) = @_;
	my $agent = $self->{agents}[$index];
	return $agent ? $agent->lenient : 0;
}

# ---- what agents say ----

sub _frame
{
	my ($self, $index, $agent, $name, @fields) = @_;
	if ($name eq 'BYE') {
		$agent->{bye} = 1;
		return;
	}
	return if $agent != ($self->{agents}[$index] // 0);
	if (($name eq 'HERE') == defined $agent->{here}) {
		$self->refuse($index, 'it did not begin with what it is, or said that twice');
		return;
	}
	$self->_here($index, $agent, @fields) if $name eq 'HERE';
	return if $name eq 'PORTS' && !$self->_ports($index, $agent, @fields);
	$agent->{owed} += length $fields[2] if $name eq 'OUT';
	$self->{on_frame}->($index, $name, @fields);
	return;
}

sub _lost
{
	my ($self, $index, $agent, $why) = @_;
	return if $agent != ($self->{agents}[$index] // 0);
	$self->{on_lost}->($index, length $why ? $why : $agent->{heard} ? '' : 'it ended without a word' . $agent->advice,
		$agent->{heard});
	return;
}

# What it said makes no sense: it is lost.
sub refuse
{
	my ($self, $index, $why) = @_;
	my $agent = $self->{agents}[$index];
	$agent->{channel}->refuse($why) if $agent;
	return;
}

sub _here
{
	my ($self, $index, $agent, $cores, $ssh, $names, $addresses) = @_;
	$agent->{here} = {
		name  => $agent->{name},
		local => $agent->{local},
		cores => $cores,
		FTMPI::Address::reported($ssh, $names, $addresses),
	};
	return;
}

# ---- sockets ----

# orders: [host, ranks] each; used: all hosts that have ranks. All addresses are chosen together, but
# where something listens already it stays. Ends in a FTMPI::Error when there is none that fits.
sub bind
{
	my ($self, $orders, @used) = @_;
	my $plan  = $self->{plan};
	my @found = FTMPI::Address::choose(
		hosts   => [ map { $self->{agents}[$_]{here} } @used ],
		iface   => $plan->{iface},
		towards => \&FTMPI::Net::source_towards);
	$self->{agents}[ $used[$_] ]{address} //= $found[$_] for 0 .. $#used;
	for my $order (@$orders) {
		my ($index, @ranks) = @$order;
		my $agent = $self->{agents}[$index];
		push @{ $agent->{binds} }, \@ranks;
		$agent->tell('BIND', $agent->{address}, $self->_sockets(@ranks), @{ $plan->{ports} // [ 0, 0 ] });
	}
	return;
}

# Why the addresses of this host are of no use, or nothing.
sub unfit
{
	my ($self, $index) = @_;
	my @host = $self->{agents}[$index]{here};
	eval { FTMPI::Address::choose(hosts => \@host, iface => $self->{plan}{iface}); 1 } and return;
	die $@ if !ref $@;
	return $@->text;
}

# A rank has a socket for data, and one for heartbeats if there are any.
sub _sockets
{
	my ($self, @ranks) = @_;
	return @ranks * ($self->{plan}{heartbeat} ? 2 : 1);
}

sub _ports
{
	my ($self, $index, $agent, $ports) = @_;
	my $ranks = shift @{ $agent->{binds} };
	if (!$ranks || @$ports != $self->_sockets(@$ranks)) {
		$self->refuse($index, 'it bound a wrong number of ports');
		return 0;
	}
	$agent->{ports}{ $ranks->[$_] } = [ $ports->[$_], $ports->[ @$ranks + $_ ] // 0 ] for 0 .. $#$ranks;
	$self->{on_log}->("host $agent->{name}: @{[ FTMPI::Launcher::Sentences::numbered('rank', @$ranks) ]} at"
			. " $agent->{address}, @{[ FTMPI::Launcher::Sentences::numbered('port', @$ports) ]}");
	return 1;
}

# ---- ranks ----

# RUN to all hosts that have ranks. ranks: sub (host) -> its ranks; head, settings: of the message.
sub run
{
	my ($self, $ranks, $head, $settings, @used) = @_;
	my $plan  = $self->{plan};
	my $table = $self->_table($ranks, @used);
	for my $index (@used) {
		$self->tell($index, 'PART', @$_{qw(first n wdir prog env)}) for @{ $plan->{own} // [] };
		$self->tell($index, 'RUN', @$head, [ $ranks->($index) ], @$plan{qw(wdir prog env)}, $settings, $table);
	}
	return;
}

# What every rank is told of every rank. Hosts that have ranks are numbered without a gap.
sub _table
{
	my ($self, $ranks, @used) = @_;
	my @rows;
	for my $node (0 .. $#used) {
		my $agent = $self->{agents}[ $used[$node] ];
		for my $rank ($ranks->($used[$node])) {
			$rows[$rank] = FTMPI::Wire::pack_fields(FTMPI::Control::ROW, @$agent{qw(name address)},
				@{ $agent->{ports}{$rank} }, $node, $agent->{here}{cores});
		}
	}
	return join '', @rows;
}

# Give the agents credit for output that has gone on, in large pieces.
sub settle
{
	my ($self) = @_;
	for my $agent (grep { $_ && $_->{owed} * 4 >= $self->{credit} } @{ $self->{agents} }) {
		$agent->tell('CREDIT', $agent->{owed}) if $agent->connected;
		$agent->{owed} = 0;
	}
	return;
}

# ---- the end of an agent ----

# It is out of reach, and so is ended with what was to bring us there.
sub drop
{
	my ($self, $index) = @_;
	my $agent = $self->{agents}[$index] // return;
	$self->{agents}[$index] = undef;
	$self->_kill($agent);
	return;
}

sub _kill
{
	my ($self, $agent) = @_;
	$agent->close;
	$agent->signal('KILL') if !$agent->{reaped};
	return;
}

# It is not wanted any more: told to clear up and leave. One that is on its way, or out of reach, is
# ended with what was to bring us there.
sub dismiss
{
	my ($self, $index) = @_;
	my $agent = $self->{agents}[$index] // return;
	$self->{agents}[$index] = undef;
	return if $agent->{reaped};
	if ($agent->{heard} && $agent->connected) {
		$agent->tell('END');
	} else {
		$agent->close;
		$agent->signal('TERM');
	}
	$self->{loop}->after(LEAVE_TIME, sub { $self->_kill($agent) if !$agent->{reaped} });
	return;
}

sub dismiss_all
{
	my ($self) = @_;
	$self->dismiss($_) for 0 .. $#{ $self->{agents} };
	return;
}

# No more waiting for those that leave.
sub abandon
{
	my ($self) = @_;
	for my $agent (grep { !$_->{reaped} } @{ $self->{all} }) {
		$self->_kill($agent);
		$agent->{reaped} = 1;
	}
	return;
}

sub reap
{
	my ($self) = @_;
	while ((my $pid = waitpid -1, WNOHANG) > 0) {
		$_->{reaped} = 1 for grep { $_->{pid} == $pid } @{ $self->{all} };
	}
	@{ $self->{all} } = grep { !$_->{reaped} || $_->connected } @{ $self->{all} };
	return;
}

# Nothing of any agent is left here.
sub is_gone
{
	my ($self) = @_;
	return !grep { !$_->{reaped} } @{ $self->{all} };
}

1;
