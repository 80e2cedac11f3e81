# SPDX-License-Identifier: BSD-3-Clause
#
# Judges ranks that show no life. Ranks observe each other by heartbeats, and tell when they do not hear a
# rank any more (SUSPECT) and when they hear it again (HEARD). The launcher knows for how long each agent has
# been silent, and asks the agents of the suspect and of its observers for the condition of these processes
# (FTMPI::Condition has the words). Suspicions are gathered for a moment, so that a host that fell silent as a
# whole is seen as one. Pure: it has no clock.
#
# The happy path: a rank is stopped. Its observers say so; the agent of its host is well, and says that the
# rank is stopped; the rank is fenced. Other courses:
#
#	its host's agent is silent, too      the host has failed
#	it gets no processor (starved)       it is excused for as long as a starved one may be silent
#	an observer gets no processor, or    the word of the observer does not count while that is so
#	its host is silent
#	it runs; two hosts that are well     they do not reach each other: a restart, without one of
#	suspect ranks of each other          the two if possible
#	it runs, and so do the observers     the way between them is broken: a restart, when nothing else
#	that do not hear it                  has been told for a while
#	nothing is known of it               as if it hung, if all its observers suspect it, or one on its
#	                                     host does; else as if it ran
package FTMPI::Launcher::Verdict;

use strict;
use warnings;

use FTMPI::Later rest => qw(Judging);

# Observers of each rank, when there are so many others.
use constant OBSERVERS => 2;

# period, timeout: of heartbeats; starved: for how long a rank or host without a processor may be silent
# (0: not longer than others, and nobody is asked), in seconds; size: number of ranks.
sub new
{
	my ($class, %arg) = @_;
	my $full = $arg{size} - 1 < OBSERVERS ? $arg{size} - 1 : OBSERVERS;
	return bless { starved => 0, %arg, full => $full, said => {}, words => {} }, $class;
}

# After so many seconds of silence a rank is suspected.
sub timeout { return $_[0]{timeout} }

# Another epoch: nobody is suspected.
sub clear { @{ $_[0] }{qw(said words)} = ({}, {}); return }

# It is through, or its process is, and will neither be heard nor hear anybody; what was told of it does not hold for another one.
sub leaves
{
	my ($self, $rank) = @_;
	$self->forget($rank);
	delete $self->{words}{$rank};
	$self->heard($rank, $_) for keys %{ $self->{said} };
	return;
}

# What this rank was suspected of is settled.
sub forget { delete $_[0]{said}{ $_[1] }; return }

1;
