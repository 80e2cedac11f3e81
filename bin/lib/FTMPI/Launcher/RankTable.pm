# SPDX-License-Identifier: BSD-3-Clause
#
# How far each rank of a job has come in the present epoch, and which ranks are still there. Pure.
#
#	started    its process runs, or is about to
#	inited     it has called MPI_Init
#	finalized  it has returned from MPI_Finalize
#	left       it has ended with status 0 before MPI_Finalize
#	done       it has ended after MPI_Finalize
#
# A rank that is gone keeps its state. A rank whose host is lost is gone, too.
package FTMPI::Launcher::RankTable;

use strict;
use warnings;

sub new
{
	my ($class, $size) = @_;
	my $self = bless { size => $size }, $class;
	$self->reset;
	return $self;
}

# All ranks begin, or begin again.
sub reset
{
	my ($self) = @_;
	my $size = $self->{size};
	$self->{ranks} = [ map { { state => 'started', gone => 0 } } 1 .. $size ];
	@$self{qw(living awaited)} = ($size, $size);
	return;
}

sub size    { return $_[0]{size} }
sub state   { return $_[0]{ranks}[ $_[1] ]{state} }
sub is_gone { return $_[0]{ranks}[ $_[1] ]{gone} }

# How many are still there.
sub living { return $_[0]{living} }

# Every rank has called MPI_Init.
sub all_inited { return !$_[0]{awaited} }

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

sub finalized { $_[0]{ranks}[ $_[1] ]{state} = 'finalized'; return }

# It has ended with status 0.
sub ended_well
{
	my ($self, $rank) = @_;
	$self->{ranks}[$rank]{state} = $self->state($rank) eq 'finalized' ? 'done' : 'left';
	return;
}

# It has ended after MPI_Finalize, however.
sub ended_late { $_[0]{ranks}[ $_[1] ]{state} = 'done'; return }

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
