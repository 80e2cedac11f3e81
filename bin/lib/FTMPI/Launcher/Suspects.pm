# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks and hosts that show no life: from the first suspicion to what is done about it. Suspicions and
# the answers of agents go to FTMPI::Launcher::Verdict; what it judges is turned into actions here. The
# job's own state is not touched: it is asked of the tables of ranks and hosts and of
# FTMPI::Launcher::Recovery, which are handed in, and changed by FTMPI::Launcher::Job alone. Pure: the time
# comes with each event.
#
# Each event returns actions (see FTMPI::Launcher::Job), and this one, which is for the job itself:
#	[failure => { class, status, text, tail, rank, drop, dismiss }]
# with drop and dismiss the hosts that are to be done without: out of reach, and not.
#
# The happy path: a rank is stopped; its observers say so; it is fenced, that is, killed by its agent, and
# its end is a failure like any other. Other courses: it cannot be killed: that is the failure; its host is
# silent, or cannot be reached from another: the failure is the host's, or the link's; it only gets no
# processor: it is excused; the job could not begin again: it is left alone, and people are told once.
package FTMPI::Launcher::Suspects;

use strict;
use warnings;

use FTMPI::Later rest => qw(Judging);


# Seconds that a fenced rank has to be gone.
use constant FENCE_TIME => 3;

# ranks: FTMPI::Launcher::RankTable; hosts: FTMPI::Launcher::HostTable; recovery: FTMPI::Launcher::Recovery;
# verdict: FTMPI::Launcher::Verdict; silent: sub (host) -> seconds since its agent was heard; lenient: sub
# (host) -> for how many it may be silent because it is short of processors, or 0; debug: nobody is judged.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { %arg, noticed => {}, excused => {} }, $class;
	$self->reset(0);
	return $self;
}

# Another epoch: nobody is suspected or fenced.
sub reset
{
	my ($self, $epoch) = @_;
	@$self{qw(epoch fenced traced early timer)} = ($epoch, {}, {}, {}, 0);
	$self->{verdict}->clear;
	return;
}

# Some rank was fenced, and its end has not been told yet.
sub awaits_end { my ($self) = @_; return scalar grep { !$self->{ranks}->is_gone($_) } keys %{ $self->{fenced} } }

# A rank is through with MPI: it will neither be heard nor hear others.
sub leaves
{
	my ($self, $rank) = @_;
	$self->{verdict}->leaves($rank);
	delete $self->{early}{$rank};
	delete $_->{$rank} for values %{ $self->{early} };
	return;
}

# ---- what is told of ranks ----

# A rank that has begun again has called MPI_Init, and beats. Who missed the process before says nothing more if this one
# is not heard either.
sub has_come
{
	my ($self, undef, $rank) = @_;
	return if !%{ $self->{early}{$rank} // {} };
	return [ timer => 'missed', $self->{verdict}->timeout, $self->{epoch}, $rank, $self->{ranks}->incarnation($rank) ];
}

# ---- judgement ----

1;
