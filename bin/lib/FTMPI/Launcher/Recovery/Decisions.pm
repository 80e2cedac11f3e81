# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher::Recovery, which an ordinary start does without (FTMPI::Later): what is decided about a failure, and what the user is
# told of it.
package FTMPI::Launcher::Recovery;

use strict;
use warnings;

use FTMPI::Launcher::Recovery  ();
use FTMPI::Launcher::Failure   ();
use FTMPI::Launcher::Sentences ();

# ---- what is known ----

# A failure of this job can be mended, as far as is known.
sub can_restart
{
	my ($self) = @_;
	return !$self->{leaving} && !$self->is_off && ($self->{from_start} || $self->{uses} || $self->{alone});
}

# All ranks have called MPI_Finalize: none begins again alone any more.
sub leaves     { $_[0]{leaving} = 1; return }

# There is something from which -restore would go on.
sub has_line
{
	my ($self) = @_;
	return $self->{has_checkpoint} if $self->{alone};
	$self->_look;
	return defined $self->{line} || defined $self->{restored} || defined $self->{restoring};
}

# What -restore would go on from when the job has been ended from outside; nothing when that is of no use, or cannot be.
sub goes_on
{
	my ($self, $session) = @_;
	return $self->_saves ? FTMPI::Launcher::Sentences::goes_on_alone($session, $self->{has_checkpoint}) : () if $self->{alone};
	$self->_look;
	return if !$self->{uses} && !defined $self->{restoring};
	return FTMPI::Launcher::Sentences::goes_on($session, @$self{qw(line restored restoring)});
}

# ---- what ranks tell ----

# A new recovery line is committed: what fails from now on is not the same failure again.
sub committed
{
	my ($self, $number) = @_;
	@$self{qw(uses line row)} = (1, $number, 0);
	return;
}

# A line counts from when its manifest is there: rank 0 may have been lost before it could tell of it.
sub _look
{
	my ($self) = @_;
	my $newest = $self->{newest}->() // return;
	$self->committed($newest) if $newest > ($self->{line} // 0);
	return;
}

# The same of one that was committed before the failure for which all begin again.
sub committed_before
{
	my ($self, $number) = @_;
	$self->committed($number);
	$self->{row} = 1;
	return;
}

sub restored
{
	my ($self, $number, $session) = @_;
	@$self{qw(uses came_back)} = (1, 1);
	$self->{restored} = { line => $number, session => $session };
	return;
}

# Whether rank 0 was given more input than is kept for a restart.
sub input_lost { $_[0]{input_lost} = $_[1]; return }

# A rank has a new checkpoint of its own: what fails it from now on is not the same failure again.
sub checkpoint
{
	my ($self, $rank) = @_;
	delete $self->{rows}{$rank};
	$self->{has_checkpoint} = 1;
	return;
}

# Some rank has made one.
sub has_some { $_[0]{has_checkpoint} = 1; return }

# Ranks have checkpoints of their own, or are going to, as far as is known.
sub _saves { my ($self) = @_; return $self->{saves} || $self->{uses} || $self->{has_checkpoint} }

# ---- decisions ----

# Only the first of several failures is dealt with: a restart mends all.
sub failed
{
	my ($self, $failure) = @_;
	return if $self->{pending};
	$failure->{tail} //= '; ';
	return ('give_up', $failure, $failure->{tail})
		if $self->{leaving} || !FTMPI::Launcher::Failure::is_mended($self->{on}, $failure->{class});
	return $self->_decide_alone($failure) if $self->{alone};
	$self->_look;
	return $self->_decide($failure) if $self->{from_start} || defined $self->{uses};
	$self->{pending} = $failure;
	return ('wait', $failure);
}

# When no rank has said whether it makes checkpoints, it is no MPI program, or hangs before MPI_Init.
sub _decide
{
	my ($self, $failure) = @_;
	my $max = $self->{max};
	return ('give_up', $failure, defined $self->{uses} ? FTMPI::Launcher::Sentences::NO_CHECKPOINTS : $failure->{tail})
		if !$self->can_restart;
	return ('give_up', $failure, FTMPI::Launcher::Sentences::INPUT_LOST) if $self->{input_lost};
	$self->{row}++ if !$failure->{uncounted};
	return ('restart', $failure) if $self->{row} <= $max;
	return ('give_up', $failure,
		FTMPI::Launcher::Sentences::last_words($failure->{words}) . FTMPI::Launcher::Sentences::too_often($max));
}

# Where nobody goes back but the rank that failed, a failure that is neither a rank's nor a host's cannot be mended.
sub _decide_alone
{
	my ($self, $failure) = @_;
	my ($max, $rank) = ($self->{max}, $failure->{rank});
	my @ranks = defined $rank ? $rank : @{ $failure->{ranks} // [] };
	return ('give_up', $failure, $failure->{tail}) if !@ranks;
	return ('give_up', $failure, FTMPI::Launcher::Sentences::INPUT_LOST) if $self->{input_lost} && grep { $_ == 0 } @ranks;
	my @counted = defined $rank ? $rank : @{ $failure->{counted} };
	return (defined $rank ? 'rerun' : 'move', $failure) if !grep { ++$self->{rows}{$_} > $max } @counted;
	return ('give_up', $failure,
		FTMPI::Launcher::Sentences::last_words($failure->{words}) . FTMPI::Launcher::Sentences::too_often_alone($max, $self->_saves));
}

# ---- a restart ----

# All begin again, or one does, maybe for another failure before they ran.
sub begins
{
	my ($self, $failure) = @_;
	$self->{since} //= $failure->{at};
	return;
}

# What is said of that; moved: words for where ranks go.
sub sentence
{
	my ($self, $failure, $moved) = @_;
	return $failure->{text} . FTMPI::Launcher::Sentences::last_words($failure->{words}) . "$moved; "
		. FTMPI::Launcher::Sentences::restart(@$self{qw(row max)}, $self->_from) . '.';
}

# The same of one rank that begins again alone.
sub sentence_alone
{
	my ($self, $failure) = @_;
	return $failure->{text} . FTMPI::Launcher::Sentences::last_words($failure->{words}) . '; '
		. FTMPI::Launcher::Sentences::alone($self->{rows}{ $failure->{rank} }, $self->{max}) . '.';
}

# And of those of lost hosts.
sub sentence_moved
{
	my ($self, $failure, $moved) = @_;
	my ($row) = sort { $b <=> $a } map { $self->{rows}{$_} // 0 } @{ $failure->{ranks} };
	return "$failure->{text}$moved, and "
		. FTMPI::Launcher::Sentences::moved_alone(scalar @{ $failure->{ranks} }, $row, $self->{max}) . '.';
}

sub _from
{
	my ($self) = @_;
	return FTMPI::Launcher::Sentences::from(@$self{qw(line restoring)});
}

# All ranks, so many, run again: what is said of that, once.
sub all_run
{
	my ($self, $size, $now) = @_;
	my $since = delete $self->{since} // return;
	return FTMPI::Launcher::Sentences::all_run($size, $now - $since, $self->{restored});
}

# The same of those that began again alone.
sub all_back
{
	my ($self, $now) = @_;
	my $since = delete $self->{since} // return;
	return FTMPI::Launcher::Sentences::all_back($now - $since);
}

1;
