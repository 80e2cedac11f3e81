# SPDX-License-Identifier: BSD-3-Clause
#
# How a job ends: its exit status, and what is said of that. The first failure that is not mended gives the
# status; without one it is that of the first rank that failed after MPI_Finalize, else 0. Pure.
package FTMPI::Launcher::Outcome;

use strict;
use warnings;

use FTMPI::Launcher::Sentences ();

# recovery: FTMPI::Launcher::Recovery, which is asked of lines; session: the job's name; by_time: the launcher was to have
# lines made; by_calls: the program was, or under message logging each rank checkpoints, at an interval that the user chose; by_rank: the launcher was to have each rank
# make checkpoints.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless {%arg}, $class;
	$self->reset;
	return $self;
}

# All ranks begin, or begin again: what some of them did after MPI_Finalize does not count any more.
sub reset { @{ $_[0] }{qw(late late_status)} = (undef, undef); return }

sub status { return $_[0]{status} }

# The reason, for the record of the job.
sub why { return $_[0]{why} }

# The job has failed. A sentence that ends in "; " is finished by what happens to the others, if some live.
# Returns what is to be said, if there is a sentence.
sub failed
{
	my ($self, $status, $sentence, $others_live) = @_;
	$self->{status} = $status;
	return if !defined $sentence;
	my $rest = $others_live ? '; the other ranks are ended.' : '.';
	$sentence =~ s/; \z/$rest/;
	$self->{why} = $sentence;
	return $sentence;
}

# What -restore would go on from is of interest: the user, or -timeout, ends the job, restarts are the user's own, or what ranks have cannot be used now.
sub tell_line { $_[0]{tells_line} = 1; return }

sub interrupted
{
	my ($self, $status, $signal) = @_;
	@$self{qw(status why)} = ($status, "SIG$signal");
	return;
}

# A rank has failed after MPI_Finalize.
sub failed_late
{
	my ($self, $who, $code, $how) = @_;
	$self->{late_status} //= $code;
	$self->{late}        //= "$who $how after MPI_Finalize.";
	return;
}

# A rank is a program of ours, whatever else was loaded.
sub in_mpi { $_[0]{in_mpi} = 1; return }

# A rank has loaded the library of another MPI. Returns a note of that, and whether it is for the user: that
# may mean nothing, but when it has been so for long.
sub foreign
{
	my ($self, $who, $long, $library) = @_;
	return if $self->{in_mpi};
	$self->{foreign} = [ $who, $library ];
	return (FTMPI::Launcher::Sentences::foreign_note($who, $library), $long && !$self->{warned}++);
}

# All is over: what is left to be said. From now on the status is known.
sub over
{
	my ($self) = @_;
	my $recovery = $self->{recovery};
	my $failed   = defined $self->{status};
	my @said     = grep { defined && !$failed } $self->{late};
	push @said, FTMPI::Launcher::Sentences::NOT_ASKED_FOR
		if $recovery->was_not_asked_for && !$self->{foreign} && !$failed;
	push @said, FTMPI::Launcher::Sentences::NO_INIT
		if $self->{by_time} && !$self->{in_mpi} && !$self->{foreign} && !$failed;
	push @said, $self->{in_mpi} ? FTMPI::Launcher::Sentences::NO_CHECKPOINT : FTMPI::Launcher::Sentences::NO_CHECKPOINT_INIT
		if $self->{by_rank} && !$recovery->has_checkpoint && !$self->{foreign} && !$failed;
	push @said, $recovery->is_alone ? FTMPI::Launcher::Sentences::NO_CHECKPOINT_CALL : FTMPI::Launcher::Sentences::NO_CALL
		if $self->{by_calls} && $self->{in_mpi} && $recovery->makes_none && !$failed;
	if ($self->{foreign} && !$self->{in_mpi}) {
		push @said, FTMPI::Launcher::Sentences::foreign(@{ $self->{foreign} });
		$self->{status} ||= $self->{late_status} || 1;
	}
	push @said, $recovery->goes_on($self->{session}) if $self->{tells_line};
	$self->{status} //= $self->{late_status} // 0;
	return @said;
}

1;
