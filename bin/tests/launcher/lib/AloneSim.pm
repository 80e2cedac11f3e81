# SPDX-License-Identifier: BSD-3-Clause
#
# The same in a job under message logging: a rank that fails is run again alone, and all wait in MPI_Finalize. Each
# incarnation of a rank is a life of its own.
package AloneSim;

use strict;
use warnings;

use parent 'JobSim';

# What is of one rank, and is dropped while that is away.
my $OF_RANK = qr/^(?:program|inited|ending|finalized|exited|lost|suspect|heard|stopped|condition|aborted|held|saved)\z/;

sub _settle { my ($self) = @_; @$self{qw(alone lives last_n)} = (1, {}, 0); return }

sub _life { my ($self, $rank) = @_; return ($self->{job}->incarnations)[$rank] }

# Connections between ranks that live are not mended.
sub _kind_faults { return qw(kill kill host agent hang stop starve) }

sub _event
{
	my ($self, $name, @data) = @_;
	return if $name =~ $OF_RANK && $self->{job}->is_away($data[0]);
	return $self->SUPER::_event($name, @data);
}

sub _do_keeper
{
	my ($self) = @_;
	$self->_wrong('a second keeper') if $self->{keeper}++;
	my @event = !$self->{kind} && rand() < 0.02 ? ('cannot', 'no keeper') : 'keeper_ready';
	$self->_after(rand 0.3, sub { $self->_event(@event) });
	return;
}

# Nothing is done about a way between two ranks, so telling of it too soon does no harm.
sub _do_say { return }

sub _do_restart_all { $_[0]->_wrong('all begin again'); return }

sub _do_run
{
	my ($self, $epoch) = @_;
	$self->_wrong('ranks run without a keeper') if !$self->{keeper};
	return $self->SUPER::_do_run($epoch);
}

# A new process misses the beats of a rank that hangs.
sub _do_observe_all
{
	my ($self, $epoch) = @_;
	$self->SUPER::_do_observe_all($epoch);
	for my $agent (grep { $_ } @{ $self->{agents} }) {
		for my $rank (sort keys %{ $agent->{alive} }) {
			$self->_suspect($rank, $self->_others($rank)) if $self->_state($agent, $rank) =~ /^(?:hung|stopped)\z/;
		}
	}
	return;
}

# What keeps the process of this rank from its work, or ''.
sub _state
{
	my ($self, $agent, $rank) = @_;
	my $state = $agent->{state}{ "$rank." . $self->_life($rank) };
	return $state ? $state->{word} : '';
}

# A process of the rank; its work takes as long as that of the first.
sub _start_rank
{
	my ($self, undef, $rank) = @_;
	my ($host, $life) = ($self->{job}->hosts->home($rank), $self->_life($rank));
	my $agent = $self->{agents}[$host];
	return if !$self->{up}[$host];
	$agent->{alive}{$rank} = $life;
	$self->_after(JobSim::WORK + rand, sub { $self->_finish($agent, $rank, $life) });
	return if !defined $self->{uses};
	$self->_from_agent($agent, rand 0.1, 'program', $rank, $self->{uses});
	$self->_from_agent($agent, rand 0.1, 'inited',  $rank);
	return;
}

# News of the process before may be on their way; that itself may still be there.
sub _do_rerun
{
	my ($self, $rank, $incarnation) = @_;
	my $host  = $self->{job}->hosts->home($rank);
	my $agent = $self->{agents}[$host];
	$self->_wrong("rank $rank is run again on a host without an agent") if !$agent;
	$self->_wrong("incarnation $incarnation of rank $rank") if $incarnation != ++$self->{lives}{$rank} || $incarnation != $self->_life($rank);
	$self->_wrong("rank $rank is run again after the end") if $self->{left};
	return if !$agent || !$self->{up}[$host];
	delete $agent->{alive}{$rank};
	delete $self->{ending}{$rank};
	for my $news ([ 'exited', $rank, 0, 9, 'old' ], [ 'stopped', $rank, 1000 ], [ 'ending', $rank ], [ 'finalized', $rank ]) {
		$self->_from_agent($agent, rand 0.01, @$news) if rand() < 0.1;
	}
	$self->_from_agent($agent, rand 0.05, 'started', $rank);
	$self->_start_rank(0, $rank);
	return;
}

# Ranks begin again elsewhere; what was on its way from where they were is not heard any more.
sub _do_take
{
	my ($self, @ranks) = @_;
	$self->_wrong('ranks move after the end') if $self->{left};
	for my $rank (@ranks) {
		my $host = $self->{job}->hosts->home($rank);
		$self->_check_place($rank, $host, 0);
		$self->_wrong("rank $rank is in no new life") if $self->_life($rank) <= ($self->{lives}{$rank} // 0);
		$self->{lives}{$rank} = $self->_life($rank);
		delete $self->{ending}{$rank};
		next if !$self->{up}[$host];
		$self->_from_agent($self->{agents}[$host], rand 0.05, 'started', $rank);
		$self->_start_rank(0, $rank);
	}
	return;
}

# One rank at a time is held for a checkpoint, and none that has no process; it is let go or stands in time.
sub _do_save_one
{
	my ($self, $rank, $epoch, $n, $step) = @_;
	my $agent = $self->{agents}[ $self->{job}->hosts->home($rank) ];
	my $held  = $self->{held};
	$self->_wrong("step $step of checkpoint $n of epoch $epoch") if $epoch || $step == 1;
	if ($step == 2) {
		$self->_wrong("rank $rank is let go, and $held is held") if defined $held && $held ne "$rank.$n";
		delete $self->{held};
		return;
	}
	$self->_wrong("checkpoint $n after $self->{last_n}") if $n != ++$self->{last_n};
	$self->_wrong("rank $rank is asked, which is not there") if $self->{job}->is_away($rank) || !$agent;
	$self->_wrong("rank $rank is asked after the end")       if %{ $self->{ending} // {} } && $self->{left};
	$self->_wrong("rank $rank is asked while $held is held") if defined $held && $self->_is_held($held);
	$self->{held} = "$rank.$n";
	$self->{held_life} = $self->_life($rank);
	$self->_after($self->{image}{patience} + 0.001, sub {
		$self->_wrong("rank $rank is held too long") if ($self->{held} // '') eq "$rank.$n" && $self->_is_held("$rank.$n");
	});
	$self->_answer_save_one($agent, $rank, $n) if $agent && rand() < 0.95;
	return;
}

# Its process is still the one that was asked, and the job runs.
sub _is_held
{
	my ($self, $held) = @_;
	my ($rank) = split /\./, $held;
	return $self->{job}->phase eq 'running' && $self->_life($rank) == $self->{held_life};
}

sub _answer_save_one
{
	my ($self, $agent, $rank, $n) = @_;
	my $life = $self->_life($rank);
	my $why  = rand() < 0.1 ? 'why' : '';
	$self->_after(rand 0.3, sub {
		return if !$self->_lives($agent, $rank, $life) || ($self->{held} // '') ne "$rank.$n";
		delete $self->{held};
		$self->_from_agent($agent, rand 0.01, 'held', $rank, $n, $why);
	});
	$self->_after(0.3 + rand 3, sub {
		$self->_from_agent($agent, rand 0.01, 'saved', $rank, $n, rand() < 0.8) if $why eq '' && rand() < 0.95 && $self->_lives($agent, $rank, $life);
	});
	return;
}

sub _finish
{
	my ($self, $agent, $rank, $life) = @_;
	return if !$self->_lives($agent, $rank, $life) || $self->_state($agent, $rank) =~ /^(?:hung|stopped)\z/;
	if (!defined $self->{uses}) {
		$self->{ran}{0}{ranks}{$rank}{done} = 1;
		$self->_die($agent, $rank, 0, 0);
		return;
	}
	$self->{ending}{$rank} = 1;
	$self->_from_agent($agent, 0, 'ending', $rank);
	return;
}

# The end of each rank: one that hangs does not come to it.
sub _do_leave_all
{
	my ($self, $epoch) = @_;
	$self->_wrong("LEAVE of epoch $epoch") if $epoch;
	$self->_wrong('a second LEAVE')        if $self->{left}++;
	for my $rank (0 .. $self->{n} - 1) {
		$self->_wrong("LEAVE before rank $rank has come") if !$self->{ending}{$rank};
		my $agent = $self->{agents}[ $self->{job}->hosts->home($rank) ] // next;
		my $life  = $self->_life($rank);
		next if !$self->_lives($agent, $rank, $life) || $self->_state($agent, $rank) =~ /^(?:hung|stopped)\z/;
		$self->_after(rand, sub {
			return if !$self->_lives($agent, $rank, $life);
			$self->_from_agent($agent, 0, 'finalized', $rank);
			$self->{ran}{0}{ranks}{$rank}{done} = 1;
			$self->_die($agent, $rank, 0, 0);
		});
	}
	return;
}

# Nor are hosts struck then, in a kind story.
sub _may_lose { my ($self) = @_; return !$self->{kind} || !($self->{left} || %{ $self->{ending} // {} }) }

sub _lose_host  { my ($self) = @_; return $self->_may_lose && $self->SUPER::_lose_host }
sub _lose_agent { my ($self) = @_; return $self->_may_lose && $self->SUPER::_lose_agent }

# Nobody spoils the work of others. In a kind story none is struck that waits for the end: the news of that may come
# when the others have been let go.
sub _victim
{
	my ($self) = @_;
	my ($agent, $rank) = $self->SUPER::_victim(1) or return;
	return $self->{kind} && ($self->{left} || $self->{ending}{$rank}) ? () : ($agent, $rank);
}

1;
