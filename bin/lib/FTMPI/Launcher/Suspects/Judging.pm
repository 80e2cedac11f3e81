# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher::Suspects, which an ordinary start does without (FTMPI::Later): what is told of ranks and hosts that show no life, and
# what is done about it.
package FTMPI::Launcher::Suspects;

use strict;
use warnings;

use FTMPI::Launcher::Suspects  ();
use FTMPI::Launcher::Recovery  ();
use FTMPI::Launcher::Sentences ();

# When this rank was fenced, or nothing.
sub fenced_at
{
	my ($self, $rank) = @_;
	my $fence = $self->{fenced}{$rank} // return;
	return $fence->{at};
}

# How a rank ended, and why it had to, if it was fenced.
sub ended
{
	my ($self, $rank, $how) = @_;
	my $fence = $self->{fenced}{$rank} // {};
	return FTMPI::Launcher::Sentences::ended($self->{hosts}->who($rank), $how, @$fence{qw(ms word tracer)});
}

# It begins again alone: what was seen of it is not of its new process.
sub begins_again
{
	my ($self, $rank) = @_;
	$self->leaves($rank);
	delete $self->{$_}{$rank} for qw(fenced traced);
	return;
}

# ---- what is told of ranks ----

# The observer has not heard this rank for so many ms.
sub suspect
{
	my ($self, $now, $observer, $rank, $ms) = @_;
	my $hosts = $self->{hosts};
	my @log = [ log => $hosts->who($observer) . ": no sign of rank $rank for $ms ms" ];
	return @log if $self->{debug} || $self->_is_settled($rank) || grep { $self->{ranks}->state($_) eq 'finalized' } $rank, $observer;
	if ($self->{ranks}->is_coming_back($rank)) {
		$self->{early}{$rank}{$observer} = $ms;
		return @log;
	}
	$self->{verdict}->suspect($observer, $rank, $ms, $now);
	my @asked  = $self->_examinations($now);
	my @judged = $hosts->home($observer) == $hosts->home($rank) ? $self->_judgement($now) : ();
	return (@log, @asked, @judged, $self->{timer} ? () : $self->_judge_later);
}

# It hears it again.
sub heard
{
	my ($self, undef, $observer, $rank) = @_;
	delete $self->{early}{$rank}{$observer};
	$self->{verdict}->heard($observer, $rank);
	return;
}

# The timer of the same name.
sub missed
{
	my ($self, $now, $epoch, $rank, $incarnation) = @_;
	return if $epoch != $self->{epoch} || $incarnation != $self->{ranks}->incarnation($rank);
	my $early = delete $self->{early}{$rank} // {};
	return map { $self->suspect($now, $_, $rank, $early->{$_}) } sort { $a <=> $b } keys %$early;
}

# What an agent saw of a rank. load: the load of its machine, in words. One that is starved is excused, or
# judged when that is due: hundreds of such answers may come at a time, and none makes any case clearer.
sub condition
{
	my ($self, $now, $rank, $word, $load) = @_;
	my ($verdict, $hosts) = @$self{qw(verdict hosts)};
	$verdict->told($rank, $word, $now, delete $self->{traced}{$rank});
	my @log = [ log => $hosts->who($rank) . ": $word" ];
	return (@log, $self->_judgement($now)) if $word ne 'starved';
	return @log if !$verdict->is_worth_telling($rank, $now);
	return (@log, $self->_excused($hosts->home($rank), $hosts->who($rank), $load));
}

# The agent on its host sees that it is stopped: no observer's word is needed. The agent tells that again
# and again, so what cannot be decided yet is left for the next time.
sub stopped
{
	my ($self, $now, $rank, $ms) = @_;
	my $recovery = $self->{recovery};
	my $tracer   = delete $self->{traced}{$rank};
	return if $self->{debug} || $recovery->is_undecided || $self->_is_settled($rank);
	return if !$recovery->is_known && $ms < 1000 * FTMPI::Launcher::Recovery::PROGRAM_TIME;
	return $self->_condemn($now, 'fence', $rank, $ms, 'stopped', $tracer);
}

# A debugger holds it: as it is fenced, or when the next that its agent tells of it was seen.
sub traced
{
	my ($self, undef, $rank, $tracer) = @_;
	if (my $fence = $self->{fenced}{$rank}) {
		$fence->{tracer} = $tracer;
	} else {
		$self->{traced}{$rank} = $tracer;
	}
	return;
}

# It is not there any more, or about to go.
sub _is_settled
{
	my ($self, $rank) = @_;
	return $self->{ranks}->is_gone($rank) || $self->{fenced}{$rank};
}

# ---- what is told of agents ----

# An agent was late itself by so many ms.
sub strained
{
	my ($self, undef, $host, $ms, $load) = @_;
	return [ log => 'the agent on ' . $self->{hosts}->name($host) . " is late by $ms ms ($load)" ];
}

# An agent is silent, and is not lost for that because it gets no processor.
sub bears
{
	my ($self, undef, $host, $load) = @_;
	return $self->_excused($host, 'the agent on ' . $self->{hosts}->name($host), $load);
}

# Told once of each host.
sub _excused
{
	my ($self, $host, $who, $load) = @_;
	return if $self->{debug} || $self->{excused}{$host}++;
	return [ say => FTMPI::Launcher::Sentences::starved($who, $load, $self->{verdict}->starved_limit) . '.' ];
}

# ---- judgement ----

# The timer of the same name: suspicions have been gathered for a while.
sub judge
{
	my ($self, $now, $epoch) = @_;
	return if $epoch != $self->{epoch};
	$self->{timer} = 0;
	return if $self->{recovery}->is_undecided;
	my @judged = $self->_judgement($now);
	return (@judged, $self->_examinations($now), $self->_judge_later);
}

# As long as somebody is suspected. There is one such timer at a time, whoever is heard meanwhile.
sub _judge_later
{
	my ($self) = @_;
	my $verdict = $self->{verdict};
	$self->{timer} = $verdict->is_open or return;
	return [ timer => 'judge', $verdict->gather_time, $self->{epoch} ];
}

# Agents are to look at the suspects, and at the ranks that suspect them.
sub _examinations
{
	my ($self, $now) = @_;
	my $verdict = $self->{verdict};
	return map { [ examine => $_, $verdict->look_time ] } $verdict->to_ask($now);
}

sub _judgement
{
	my ($self, $now) = @_;
	return if $self->{recovery}->is_undecided;
	my $hosts = $self->{hosts};
	my @actions;
	for my $judgement ($self->{verdict}->judgements($now, sub { $hosts->home($_[0]) }, @$self{qw(silent lenient)})) {
		my @done = $self->_condemn($now, @$judgement);
		push @actions, @done;
		last if $self->_is_mended($judgement->[0]) || !$self->{verdict}->is_open;
	}
	return @actions;
}

sub _is_mended
{
	my ($self, $what) = @_;
	my $recovery = $self->{recovery};
	return $what =~ /^(?:fence|host)\z/ ? $recovery->can_restart : $recovery->can_restart_all;
}

# What is judged: see FTMPI::Launcher::Verdict. What cannot be mended by a restart is not made worse here: a
# rank that is stopped may be continued. Any judgement but that of one rank settles all suspicions; where only ranks are
# mended, which begin again alone, they stay: that of one rank may follow.
sub _condemn
{
	my ($self, $now, $what, @data) = @_;
	my ($hosts, $verdict) = @$self{qw(hosts verdict)};
	my $text = FTMPI::Launcher::Sentences::judged($hosts, $what, @data);
	my $recovery = $self->{recovery};
	if (!$self->_is_mended($what)) {
		$verdict->clear if !$recovery->can_restart;
		(my $once = $text) =~ s/[0-9]+ ms//;
		return if $self->{noticed}{$once}++;
		return [ say => "$text; the job is not ended for that." ];
	}
	return $self->_fence($now, $text, @data) if $what eq 'fence';
	$verdict->clear;
	return [ failure => {
		class   => $what eq 'host' ? 'host' : 'lost',
		status  => 1,
		text    => $text,
		tail    => '; the job is ended.',
		drop    => $what eq 'host' ? $data[0] : [],
		dismiss => $what eq 'link' ? [ grep { defined } $hosts->dispensable(@{ $data[0] }) ] : [],
	} ];
}

sub _fence
{
	my ($self, $now, $text, $rank, $ms, $word, $tracer) = @_;
	$self->{verdict}->forget($rank);
	$self->{fenced}{$rank} = { at => $now, ms => $ms, word => $word, tracer => $tracer };
	return ([ log => $text ], [ fence => $rank ], $self->_await_end($rank));
}

# Where it has begun again alone, of this incarnation.
sub _await_end
{
	my ($self, $rank) = @_;
	return [ timer => 'fenced', FENCE_TIME, $self->{epoch}, $rank, $self->{ranks}->incarnation($rank) || () ];
}

# The timer of the same name: a rank that was fenced may still be there, when even SIGKILL does not reach it. What
# a debugger holds was killed all the same: the debugger hears of that first, and keeps it to itself.
sub fenced
{
	my ($self, $now, $epoch, $rank, $incarnation) = @_;
	my $ranks = $self->{ranks};
	return if $epoch != $self->{epoch} || ($incarnation // 0) != $ranks->incarnation($rank) || $ranks->is_gone($rank);
	return $self->_await_end($rank)
		if $now - $self->fenced_at($rank) < $self->{lenient}->($self->{hosts}->home($rank));
	return [ failure => {
		class  => 'hung',
		status => 1,
		text   => $self->ended($rank, defined $self->{fenced}{$rank}{tracer} ? 'was killed' : 'cannot be killed'),
		rank   => $rank,
	} ];
}

1;
