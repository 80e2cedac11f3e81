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

use FTMPI::Launcher::Sentences ();
use FTMPI::Later rest => qw(Decisions);

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

# The same by a restart of all ranks, which may go to other hosts.
sub can_restart_all { my ($self) = @_; return !$self->{alone} && $self->can_restart }

sub is_alone { return $_[0]{alone} }

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

# ---- what ranks tell ----

# Whether the program makes checkpoints: one rank that says so is enough, in any epoch.
sub program
{
	my ($self, $uses) = @_;
	$self->{uses} ||= $uses;
	return $self->decide;
}

sub has_checkpoint { return $_[0]{has_checkpoint} }

# ---- decisions ----

# On the failure that waits, if there is one: by what is known now.
sub decide
{
	my ($self) = @_;
	my $pending = delete $self->{pending} // return;
	return $self->_decide($pending);
}

# ---- a restart ----

1;
