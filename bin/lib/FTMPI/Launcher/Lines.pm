# SPDX-License-Identifier: BSD-3-Clause
#
# When the ranks of an image job are asked for a recovery line, whom that waits for, and what is said of it.
# Pure: events come in, actions go out (see FTMPI::Launcher::Job); time passes by timers alone.
#
#	none   lines are not asked for: some rank has not called MPI_Init yet, or one has called MPI_Finalize
#	idle   the next line is due when the interval is over, or when the user wants one
#	held   HOLD was sent: every rank is to come to a safe point and to stay there
#	saving GO was sent: rank 0 tells when the line is over
#	last   so it is, and there will be no other: one rank has called MPI_Finalize meanwhile
#
# The happy path under -coord blocking: HOLD; HELD comes from every rank; GO; SAVED. Under the other protocols
# nobody waits: GO; SAVED. Failure modes: a rank cannot be held, or does not come within the patience: RELEASE
# to all, and the interval begins anew. SAVED does not come: the next line is asked for when an interval and
# the patience have passed, so that a word that is lost does not end the lines of a long job; the ranks refuse what
# comes too early.
#
# What bounds each state: held, the patience; saving, an interval and the patience; and both, the end of the
# epoch. A restart forgets all; the first FINALIZED, and the end of the job, let ranks go that are held.
package FTMPI::Launcher::Lines;

use strict;
use warnings;

use FTMPI::Control             ();
use FTMPI::Launcher::Notes     ();
use FTMPI::Later rest => qw(Making);

# hosts: FTMPI::Launcher::HostTable; image: { interval, or undef when lines are made when they are asked for alone; patience;
# waits: ranks are held until all have come }, in seconds; program: the program makes the line when it is told that one is due, and nobody says SAVED; or undef: the launcher asks for no lines; notes: FTMPI::Launcher::Notes.
sub new
{
	my ($class, %arg) = @_;
	my $image = delete $arg{image};
	my $self = bless { notes => FTMPI::Launcher::Notes->new, %arg, %{ $image // {} }, on => defined $image, stamp => 0, said => {} }, $class;
	$self->reset(0);
	return $self;
}

# Another epoch. What was under way has ended with the ranks' processes.
sub reset
{
	my ($self, $epoch) = @_;
	@$self{qw(state epoch n wanted)} = ('none', $epoch, 0, undef);
	$self->{stamp}++;
	return;
}

# All ranks have called MPI_Init.
sub all_inited { my ($self) = @_; return $self->{on} ? $self->_idle : () }

# The first rank has called MPI_Finalize, or the ranks are told to go.
sub ends
{
	my ($self) = @_;
	my $was = $self->{state};
	$self->{state} = $was =~ /^(?:saving|last)\z/ ? 'last' : 'over';
	$self->{stamp}++;
	return $was eq 'held' ? $self->_step(FTMPI::Control::RELEASE) : ();
}

sub _idle
{
	my ($self) = @_;
	@$self{qw(state wanted)} = ('idle', undef);
	$self->{stamp}++;
	return defined $self->{interval} ? $self->_timer($self->{interval}) : ();
}

sub _timer
{
	my ($self, $seconds) = @_;
	$self->{limit} = $seconds;
	return [ timer => 'line_due', $seconds, ++$self->{stamp} ];
}

1;
