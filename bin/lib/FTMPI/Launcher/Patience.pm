# SPDX-License-Identifier: BSD-3-Clause
#
# For how long a silent agent is waited for. Where processors are short, on its host or at the launcher,
# silence proves less, and more of it is borne.
package FTMPI::Launcher::Patience;

use strict;
use warnings;

use FTMPI::Lateness ();
use FTMPI::Loop     ();

# After how long without an answer a host is lost: in seconds, when nothing could mend that, or it is this
# machine; with heartbeats in times of their timeout, while it starts its ranks, and when ranks on other
# hosts tell sooner that nothing comes from there, or it has been told to begin again.
use constant { USUAL => 20, STARTING => 5, OBSERVED => 3 };

# loop; plan: see FTMPI::Launcher; job: FTMPI::Launcher::Job; tell_all => sub (message to all agents);
# on_bears => sub (agent, load): it would be lost by now, and is not, for this load (in words); log => sub (text).
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, lateness => FTMPI::Lateness->new }, $class;
}

# We are late ourselves: nobody was heard, nor heard us. The agents shall bear with us, until we are on
# time again for a while.
sub late
{
	my ($self, $seconds) = @_;
	my ($loop, $now) = ($self->{loop}, FTMPI::Loop::now());
	my $is_news = $self->{lateness}->late($seconds, $now);
	$loop->cancel($self->{calming});
	$self->{calming} = $loop->after(FTMPI::Lateness::CALM_TIME, sub { $self->{tell_all}->('PATIENCE', 0) });
	return if !$is_news;
	$self->{log}->(sprintf 'ftmpirun itself is late by %.0f ms', 1000 * $seconds);
	$self->{tell_all}->('PATIENCE', int 1000 * $self->_limited($self->{lateness}->allowance($now)));
	return;
}

sub _limited
{
	my ($self, $seconds) = @_;
	my $limit = $self->{plan}{starved_limit};
	return $seconds < $limit ? $seconds : $limit;
}

# For how many seconds the host of this agent, if there is one, may be silent because it, or we, are short of
# processors.
sub lenient
{
	my ($self, $agent) = @_;
	my @allowed = ($self->{lateness}->allowance(FTMPI::Loop::now()), $agent ? $agent->lenient : 0);
	return $self->_limited($allowed[0] > $allowed[1] ? $allowed[0] : $allowed[1]);
}

# After how many seconds without an answer this agent is lost.
sub of
{
	my ($self, $agent) = @_;
	my ($usual, $lenient) = ($self->_usual($agent->index), $self->lenient($agent));
	return $usual if $lenient <= $usual;
	$self->{on_bears}->($agent, $agent->load // 'ftmpirun itself is late') if $agent->silence >= $usual;
	return $lenient;
}

sub _usual
{
	my ($self, $index) = @_;
	my ($job, $plan) = @$self{qw(job plan)};
	return USUAL if !$plan->{heartbeat} || $plan->{hosts}[$index]{local} || !$job->recovery->can_restart;
	my $unit = $plan->{timeout_heartbeat} / 1000;
	return OBSERVED * $unit if $job->phase ne 'running';
	return STARTING * $unit if $job->is_starting($index);
	return $job->hosts->used > 1 ? OBSERVED * $unit : $unit;
}

1;
