# SPDX-License-Identifier: BSD-3-Clause
#
# Whether a failure is followed by a restart, and from where: what -restart-on and -max-restarts ask
# for, whether the program makes checkpoints, which recovery lines there are, how many restarts in a row
# have brought no new one. Pure, but for a look at which lines there are; FTMPI::Launcher::Job is told what to do,
# and does it.
#
# A decision is nothing, or a list:
#	'restart', failure           all ranks begin again
#	'rerun', failure             the rank that failed begins again, and no other (message logging)
#	'move', failure              the ranks of the hosts that were lost begin again on other ones (message logging)
#	'give_up', failure, ending   the job ends; ending completes the failure's sentence
#	'wait', failure              no rank has said yet whether the program makes checkpoints; the job goes on
#	                             until program() or decide() says more
# A failure: class (FTMPI::Launcher::Failure), rank: if it is one's; status: of the job, if that ends with it; text: a sentence
# without its end; tail: its end, if the job ends; words: the last ones of the rank on standard error; at:
# when it was noticed; ranks: of hosts that were lost with it; counted: those of them that
# were there, as a host that is to take ranks and cannot is none of their restarts; uncounted: its restart is none of those in a row.
#
# The happy path: a rank was killed, the program makes checkpoints: restart.
package FTMPI::Launcher::Recovery;

use strict;
use warnings;

use FTMPI::Launcher::Failure   ();
use FTMPI::Launcher::Sentences ();

# For how many seconds a failure waits for a rank's word whether the program makes checkpoints.
use constant PROGRAM_TIME => 5;

# on, max: what -restart-on and -max-restarts say; from_start: also programs that make no checkpoints;
# restoring: words for the line that -restore named, or undef; image: lines are made whatever the program calls;
# alone: under message logging a rank that failed begins again alone, and -max-restarts counts its own restarts, since its latest checkpoint where it
# has any, by images (saves) or by calls of the program; newest => sub: the number of the newest line of this job that can be seen, or undef.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { %arg, row => 0, rows => {} }, $class;
	$self->{on} = 'none' if !$self->{max};
	$self->{uses} = 1 if $self->{image};
	$self->{newest} //= sub { undef };
	return $self;
}

# Another epoch.
sub reset { delete @{ $_[0] }{qw(pending restored)}; return }

# ---- what is known ----

# The newest recovery line that this job has committed, or nothing.
sub line { return $_[0]{line} }

# When the failure was noticed for which all begin again, until all ranks run; else nothing.
sub since { return $_[0]{since} }

# -restart-on none, or -max-restarts 0: who wants the job to go on does that with -restore.
sub is_off { return $_[0]{on} eq 'none' }

# A failure of this job can be mended, as far as is known.
sub can_restart
{
	my ($self) = @_;
	return !$self->{leaving} && !$self->is_off && ($self->{from_start} || $self->{uses} || $self->{alone});
}

# The same by a restart of all ranks, which may go to other hosts.
sub can_restart_all { my ($self) = @_; return !$self->{alone} && $self->can_restart }

sub is_alone { return $_[0]{alone} }

# All ranks have called MPI_Finalize: none begins again alone any more.
sub leaves     { $_[0]{leaving} = 1; return }
sub is_leaving { return $_[0]{leaving} }

# What a failure means does not depend on what ranks have still to say.
sub is_known
{
	my ($self) = @_;
	return $self->is_off || $self->{from_start} || $self->{alone} || defined $self->{uses};
}

# The program makes no checkpoints, as its ranks have said.
sub makes_none { my ($self) = @_; return defined $self->{uses} && !$self->{uses} }

# A failure waits.
sub is_undecided { return defined $_[0]{pending} }

# The job goes on from a line, and rank 0 has not told which.
sub awaits_line
{
	my ($self) = @_;
	return !$self->{restored} && $self->_from ne FTMPI::Launcher::Sentences::BEGINNING;
}

# -restore was given, and the program never asked for its line. An image is restored without being asked for.
sub was_not_asked_for
{
	my ($self) = @_;
	return defined $self->{restoring} && !$self->{came_back} && !$self->{image};
}

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

# Whether the program makes checkpoints: one rank that says so is enough, in any epoch.
sub program
{
	my ($self, $uses) = @_;
	$self->{uses} ||= $uses;
	return $self->decide;
}

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

# Rank 0 was given more input than is kept for a restart.
sub input_lost { $_[0]{input_lost} = 1; return }

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
sub has_checkpoint { return $_[0]{has_checkpoint} }

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

# On the failure that waits, if there is one: by what is known now.
sub decide
{
	my ($self) = @_;
	my $pending = delete $self->{pending} // return;
	return $self->_decide($pending);
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
