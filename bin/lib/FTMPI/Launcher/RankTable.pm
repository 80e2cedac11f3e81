# SPDX-License-Identifier: BSD-3-Clause
#
# How far each rank of a job has come in the present epoch, and which ranks are still there. Pure.
#
#	started    its process runs, or is about to
#	inited     it has called MPI_Init
#	ending     it has called MPI_Finalize, and waits there for the others (message logging)
#	leaving    all have come there
#	finalized  it has returned from MPI_Finalize
#	left       it has ended with status 0 before MPI_Finalize
#	done       it has ended after MPI_Finalize
#
# A rank that is gone keeps its state. A rank whose host is lost is gone, too. A rank that begins again alone is
# away until its new process is there, and has one incarnation more.
package FTMPI::Launcher::RankTable;

use strict;
use warnings;

sub new
{
	my ($class, $size) = @_;
	my $self = bless { size => $size, first => [] }, $class;
	$self->reset;
	return $self;
}

# They go on from what an earlier launcher's have left, in these incarnations.
sub go_on { my ($self, @incarnations) = @_; $self->{first} = \@incarnations; return }

# All ranks begin, or begin again.
sub reset
{
	my ($self) = @_;
	my $size = $self->{size};
	$self->{ranks} = [ map { { state => 'started', gone => 0, away => 0, incarnation => $self->{first}[$_] // 0 } } 0 .. $size - 1 ];
	@$self{qw(living awaited)} = ($size, $size);
	return;
}

sub size    { return $_[0]{size} }
sub state   { return $_[0]{ranks}[ $_[1] ]{state} }
sub is_gone { return $_[0]{ranks}[ $_[1] ]{gone} }
sub is_away { return $_[0]{ranks}[ $_[1] ]{away} }

# How often this rank has been started again alone, by earlier launchers, too; and all, by rank.
sub incarnation  { return $_[0]{ranks}[ $_[1] ]{incarnation} }
sub incarnations { return map { $_->{incarnation} } @{ $_[0]{ranks} } }

# It was started again alone in this job; and has not called MPI_Init since.
sub has_come_back { my ($self, $rank) = @_; return $self->incarnation($rank) > ($self->{first}[$rank] // 0) }
sub is_coming_back { my ($self, $rank) = @_; return $self->has_come_back($rank) && $self->state($rank) eq 'started' }

# How many are still there.
sub living { return $_[0]{living} }

# Every rank has called MPI_Init.
sub all_inited { return !$_[0]{awaited} }

# Every rank has called MPI_Finalize, or is through, and none of those that wait there has died.
sub all_ending
{
	my ($self) = @_;
	for my $entry (@{ $self->{ranks} }) {
		return 0 if $entry->{state} =~ /^(?:started|inited|left)\z/ || ($entry->{state} eq 'ending' && $entry->{gone});
	}
	return 1;
}

# The first rank in this state, or nothing.
sub first_in
{
	my ($self, $state) = @_;
	my ($rank) = grep { $self->state($_) eq $state } 0 .. $self->{size} - 1;
	return $rank;
}

# Returns whether that is news.
sub inited
{
	my ($self, $rank) = @_;
	return 0 if $self->state($rank) ne 'started';
	$self->{ranks}[$rank]{state} = 'inited';
	$self->{awaited}--;
	return 1;
}

sub ending
{
	my ($self, $rank) = @_;
	$self->{ranks}[$rank]{state} = 'ending' if $self->state($rank) eq 'inited';
	return;
}

# All that wait in MPI_Finalize go on.
sub leave
{
	my ($self) = @_;
	$_->{state} = 'leaving' for grep { $_->{state} eq 'ending' } @{ $self->{ranks} };
	return;
}

sub finalized { $_[0]{ranks}[ $_[1] ]{state} = 'finalized'; return }

# It waits for nobody any more, nor anybody for it.
sub is_through { my ($self, $rank) = @_; return $self->state($rank) =~ /^(?:leaving|finalized)\z/ }

# It has ended with status 0.
sub ended_well
{
	my ($self, $rank) = @_;
	$self->{ranks}[$rank]{state} = $self->is_through($rank) ? 'done' : 'left';
	return;
}

# It has ended after MPI_Finalize, however.
sub ended_late { $_[0]{ranks}[ $_[1] ]{state} = 'done'; return }

# It is started again alone. Returns its new incarnation.
sub begins_again
{
	my ($self, $rank) = @_;
	my $entry = $self->{ranks}[$rank];
	$self->{living}++ if $entry->{gone};
	$self->{awaited}++ if $entry->{state} ne 'started';
	@$entry{qw(state gone away)} = ('started', 0, 1);
	return ++$entry->{incarnation};
}

# Its process is there. Returns whether it was away.
sub started
{
	my ($self, $rank) = @_;
	my $entry = $self->{ranks}[$rank];
	my $was_away = $entry->{away};
	$entry->{away} = 0;
	return $was_away;
}

# These ranks are not there any more.
sub bury
{
	my ($self, @ranks) = @_;
	for my $entry (grep { !$_->{gone} } @{ $self->{ranks} }[@ranks]) {
		$entry->{gone} = 1;
		$self->{living}--;
	}
	return;
}

1;
