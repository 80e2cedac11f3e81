# SPDX-License-Identifier: BSD-3-Clause
#
# The agents of a job. Hosts go by their number in the plan; each has at most one agent that counts, the one
# started last. That is all that stands between an agent's link (FTMPI::Launcher::AgentLink) and the
# launcher: events of agents that do not count any more are left out, all others pass as they are, with
# their link. Beside that, what concerns all agents together: addresses, the table of ranks, the end. Which
# host is used for what is decided elsewhere (FTMPI::Launcher::Job, FTMPI::Launcher::HostTable).
package FTMPI::Launcher::Fleet;

use strict;
use warnings;

use POSIX ();

use FTMPI::Address             ();
use FTMPI::Launcher::AgentLink ();
use FTMPI::Launcher::Deputy    ();
use FTMPI::Net                 ();

# Output of all agents together that is on its way, and the least of one, in bytes; seconds between
# two PINGs without heartbeats, and the least for each host with them; PINGs within the timeout of
# heartbeats; seconds until there is a deputy: jobs that are over at once do not wait for one. (It is there before what is compiled
# later is read from a disk: LATER_TIME.)
use constant {
	CREDIT_ALL => 1 << 22,
	CREDIT_MIN => 1 << 16,
	PING_TIME  => 5,
	PING_LEAST => 0.001,
	PINGS      => 5,
	DEPUTY_TIME => 1,
};

# plan: see FTMPI::Launcher; loop; patience, on_owed, on_frame, on_lost, on_log: see FTMPI::Launcher::AgentLink.
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

# Seconds between two PINGs: a few within the timeout are enough, and each wakes two processes.
sub _period
{
	my ($beat, $timeout) = @_;
	return PING_TIME if !$beat;
	my $period = $timeout / PINGS;
	return $period < $beat ? $beat : $period;
}

# The agent of this host that counts, or nothing.
sub agent { return $_[0]{agents}[ $_[1] ] }

# This agent is the one of its host that counts.
sub is_current { my ($self, $agent) = @_; return $agent == ($self->agent($agent->index) // 0) }

sub _agents { my ($self) = @_; return grep { $_ } @{ $self->{agents} } }

# ---- the start of an agent ----

sub start
{
	my ($self, $index) = @_;
	my $plan  = $self->{plan};
	my $host  = $plan->{hosts}[$index];
	my $agent = FTMPI::Launcher::AgentLink->new(
		%$host{qw(name local)},
		index    => $index,
		size     => $plan->{size},
		loop     => $self->{loop},
		reach    => $plan->{reach},
		period   => $self->{period},
		patience => $self->{patience},
		sockets  => $plan->{heartbeat} ? 2 : 1,
		credit   => $self->{credit},
		on_owed  => $self->{on_owed},
		on_log   => $self->_if_current($index, $self->{on_log}),
		on_frame => $self->_if_current($index, $self->{on_frame}),
		on_lost  => $self->_if_current($index, $self->{on_lost}));
	$agent->start;
	$self->{agents}[$index] = $agent;
	push @{ $self->{all} }, $agent;
	$agent->tell('SETUP', $self->{credit}, $plan->{silence}, 1000 * ($plan->{starved_limit} // 0));
	$agent->tell('OPEN', @$_) for programs($plan);
	return;
}

# The filter: events of the agent of this host that counts.
sub _if_current
{
	my ($self, $index, $event) = @_;
	return sub { $event->(@_) if $_[0] == ($self->{agents}[$index] // 0) };
}

# What a job executes, part by part: working directory, environment, [the name that the user gave].
sub programs
{
	my ($plan) = @_;
	my @own = @{ $plan->{own} // [] };
	return [ @$plan{qw(wdir env)}, [ $plan->{prog}[0] ] ] if !@own;
	return map { [ $_->{wdir}, [ @{ $plan->{env} }, @{ $_->{env} } ], [ $_->{prog}[0] ] ] } @own;
}

# ---- what agents are told ----

sub tell
{
	my ($self, $index, @message) = @_;
	my $agent = $self->agent($index);
	$agent->tell(@message) if $agent && $agent->connected;
	return;
}

sub tell_all
{
	my ($self, @message) = @_;
	$self->tell($_, @message) for 0 .. $#{ $self->{agents} };
	return;
}

# How many agents have not taken all that they were told.
sub is_telling { my ($self) = @_; return scalar grep { $_->connected && $_->queued } $self->_agents }

# orders: [host, ranks] each; used: all hosts that have ranks. All addresses are chosen together, but
# where something listens already it stays. Ends in a FTMPI::Error when there is none that fits.
sub bind
{
	my ($self, $orders, @used) = @_;
	my $plan   = $self->{plan};
	my @agents = map { $self->agent($_) } @used;
	my @found  = FTMPI::Address::choose(
		hosts   => [ map { $_->here } @agents ],
		iface   => $plan->{iface},
		towards => \&FTMPI::Net::source_towards);
	$agents[$_]->use_address($found[$_]) for 0 .. $#agents;
	for my $order (@$orders) {
		my ($index, @ranks) = @$order;
		$self->agent($index)->bind($plan->{ports} // [ 0, 0 ], @ranks);
	}
	$self->{loop}->cancel($self->{deputy_timer});
	$self->{deputy_timer} = $self->{loop}->after(DEPUTY_TIME, sub { $self->_have_deputy(@agents) }) if $plan->{silence} && $plan->{starved_limit};
	return;
}

# The one before, which spoke to the agents of before, ends.
sub _have_deputy
{
	my ($self, @agents) = @_;
	$self->{deputy} //= FTMPI::Launcher::Deputy->new(loop => $self->{loop}, most => $self->{plan}{starved_limit});
	$self->{deputy}->stand_in(map { $_->pipe } grep { $_->connected } @agents);
	return;
}

# Where this machine is reached from the hosts that have ranks (used): a job on this machine alone needs no network.
sub own_address
{
	my ($self, @used) = @_;
	my @others = grep { !$_->{local} } map { $self->agent($_)->here } @used;
	return '127.0.0.1' if !@others;
	my $here = { name => 'here', local => 1, ssh => '', interfaces => FTMPI::Net::interfaces() };
	my ($address) = FTMPI::Address::choose(hosts => [ $here, @others ], towards => \&FTMPI::Net::source_towards);
	return $address;
}

# Why the addresses of this host are of no use, or nothing.
sub unfit
{
	my ($self, $index) = @_;
	my @host = $self->agent($index)->here;
	eval { FTMPI::Address::choose(hosts => \@host, iface => $self->{plan}{iface}); 1 } and return;
	die $@ if !ref $@;
	return $@->text;
}

# What is told of the places of ranks, from here on until the next epoch: [node, processors] each, by rank. Hosts that have
# ranks are numbered without a gap. A job that goes on under message logging keeps those of before (plan), wherever its ranks
# are now: what they do again is chosen by these.
sub place
{
	my ($self, $ranks, @used) = @_;
	my $before = $self->{plan}{goes_on} && $self->{plan}{goes_on}{places};
	my @places = $before ? @$before : ();
	for my $node ($before ? () : 0 .. $#used) {
		my $cores = $self->agent($used[$node])->cores;
		$places[$_] = [ $node, $cores ] for $ranks->($used[$node]);
	}
	$self->{places} = \@places;
	$self->{apart}  = $before && $self->_are_apart($ranks, @used);
	return @places;
}

# Ranks of one node are on several hosts.
sub _are_apart
{
	my ($self, $ranks, @used) = @_;
	my %host;
	for my $index (@used) {
		return 1 if grep { ($host{ $self->{places}[$_][0] } //= $index) != $index } $ranks->($index);
	}
	return 0;
}

# RUN to all hosts that have ranks, which have been placed. ranks: sub (host) -> its ranks; head, settings: of the message.
sub run
{
	my ($self, $ranks, $head, $settings, @used) = @_;
	my $table = $self->_table($ranks, @used);
	$self->_tell_run($_, $ranks, $head, $settings, $table) for @used;
	return;
}

# RUN to the hosts that take ranks which were elsewhere (moved), and to all where these are now; incarnations: of all, as text.
sub take
{
	my ($self, $ranks, $head, $settings, $moved, $incarnations, @used) = @_;
	my %moved = map { $_ => 1 } @$moved;
	my $table = $self->_table($ranks, @used);
	for my $index (@used) {
		$self->_tell_run($index, $ranks, $head, $settings, $table) if grep { $moved{$_} } $ranks->($index);
		$self->tell($index, 'MOVED_ALL', $moved, $incarnations, $table);
	}
	return;
}

sub _tell_run
{
	my ($self, $index, $ranks, $head, $settings, $table) = @_;
	my $plan = $self->{plan};
	$self->tell($index, 'PART', @$_{qw(first n wdir prog env)}) for @{ $plan->{own} // [] };
	my @apart = $self->{apart} ? 'apart=1' : ();
	$self->tell($index, 'RUN', @$head, [ $ranks->($index) ], @$plan{qw(wdir prog env)}, [ @$settings, @apart ], $table);
	return;
}

# What every rank is told of every rank. A rank that moves in the same epoch keeps its place, as what a rank is told has to be
# the same when it begins again alone.
sub _table
{
	my ($self, $ranks, @used) = @_;
	my @rows;
	for my $index (@used) {
		my $agent = $self->agent($index);
		$rows[$_] = $agent->row($_, @{ $self->{places}[$_] }) for $ranks->($index);
	}
	return join '', @rows;
}

# Give the agents credit for output that has gone on, in large pieces.
sub settle { my ($self) = @_; $_->settle for $self->_agents; return }

# ---- the end of an agent ----

# It is out of reach, and so is ended with what was to bring us there.
sub drop
{
	my ($self, $index) = @_;
	my $agent = $self->_forget($index) // return;
	$agent->kill_process;
	return;
}

# It is not wanted any more.
sub dismiss
{
	my ($self, $index) = @_;
	my $agent = $self->_forget($index) // return;
	$agent->dismiss;
	return;
}

# From now on it does not count.
sub _forget
{
	my ($self, $index) = @_;
	my $agent = $self->agent($index);
	$self->{agents}[$index] = undef if $agent;
	return $agent;
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
	for my $agent (grep { !$_->is_reaped } @{ $self->{all} }) {
		$agent->kill_process;
		$agent->reaped;
	}
	return;
}

# Returns children that have ended and were none of an agent's, as [process id, wait status] each.
sub reap
{
	my ($self) = @_;
	my @others;
	while ((my $pid = waitpid -1, POSIX::WNOHANG()) > 0) {
		my $status = $?;
		my @its = grep { $_->pid == $pid } @{ $self->{all} };
		$_->reaped for @its;
		$self->{deputy}->ended($pid) if $self->{deputy};
		push @others, [ $pid, $status ] if !@its;
	}
	@{ $self->{all} } = grep { !$_->is_reaped || $_->connected } @{ $self->{all} };
	return @others;
}

# Nobody has to be told any more that the launcher lives.
sub leave
{
	my ($self) = @_;
	$self->{loop}->cancel($self->{deputy_timer});
	$self->{deputy}->leave if $self->{deputy};
	return;
}

# Nothing of any agent is left here.
sub is_gone
{
	my ($self) = @_;
	return !grep { !$_->is_reaped } @{ $self->{all} };
}

1;
