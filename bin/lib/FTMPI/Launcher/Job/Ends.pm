# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher::Job, which an ordinary start does without (FTMPI::Later): an end that is not that of all ranks: after a failure that
# is not mended, a signal, the end of -timeout.
package FTMPI::Launcher::Job;

use strict;
use warnings;

use FTMPI::Launcher::Job ();

my %SIGNAL_NUMBER = (HUP => 1, INT => 2, TERM => 15);

# ---- the end ----

# The first failure that is not mended: say it, and end what still runs.
sub _fail
{
	my ($self, $status, $sentence) = @_;
	my @said = $self->{outcome}->failed($status, $sentence, $self->{ranks}->living);
	return (map({ [ say => $_ ] } @said), $self->_end(0));
}

sub _end
{
	my ($self, $hard) = @_;
	my $unstarted = $self->{phase} =~ /^(?:starting|recovering)\z/;
	$self->{phase} = 'ending';
	$self->{ranks}->bury($self->{moving}->under_way);
	return $self->_over if $unstarted || !$self->{ranks}->living;
	return ($self->{saving}->ends, [ kill => $hard ], [ timer => 'leave', $hard ? KILLED_TIME : LEAVE_TIME ]);
}

sub _cannot
{
	my ($self, $sentence) = @_;
	return $self->_fail(1, $sentence);
}

# What the ranks have is on the disk.
sub _keeper_lost
{
	my ($self, $sentence) = @_;
	$self->{outcome}->tell_line;
	return $self->_fail(1, $sentence);
}

# The exit status of a job that this signal ended.
sub signal_status { return 128 + $SIGNAL_NUMBER{ $_[0] } }

# With -term-ranks a SIGTERM is the ranks' first: what they do until they end, they do for a reason.
sub _interrupted
{
	my ($self, $name) = @_;
	my $outcome = $self->{outcome};
	my $status  = signal_status($name);
	$outcome->tell_line;
	my $seconds = $self->{term_ranks};
	$self->{ranks}->bury($self->{moving}->under_way);
	return $self->_fail($status, "SIG$name came; the job is ended.")
		if !$seconds || $name ne 'TERM' || $self->{phase} ne 'running' || !$self->{ranks}->living;
	$outcome->interrupted($status, $name);
	$self->{phase} = 'ending';
	return (
		$self->{saving}->ends,
		[ say   => "SIGTERM came, and is passed to the ranks; what has not ended in $seconds s is ended." ],
		[ kill  => int 1000 * $seconds + 0.5 ],
		[ timer => 'leave', $seconds + LEAVE_TIME ]);
}

# A second signal, or the end of the time of -timeout: no more grace.
sub _hurried
{
	my ($self) = @_;
	return ([ kill => 1 ], [ timer => 'leave', KILLED_TIME ]);
}

sub _timed_out
{
	my ($self, $seconds) = @_;
	$self->{outcome}->tell_line;
	return $self->_fail(124, "the job did not end within $seconds s (-timeout); it is ended.");
}

# A reader that went away ends the job quietly, as it does a program in a pipeline.
sub _output_gone
{
	my ($self, $error, $what) = @_;
	return $self->_fail(128 + 13) if $error eq '';
	$what //= 'standard output';
	return $self->_fail(1, "cannot write to $what: $error; the job is ended.");
}

# In the phase `ending`.
sub _counted
{
	my ($self, $rank) = @_;
	$self->{ranks}->bury($rank);
	return ([ gone => $rank ], $self->{ranks}->living ? () : $self->_over);
}

sub _host_counted
{
	my ($self, $host) = @_;
	$self->{ranks}->bury($self->{hosts}->ranks($host));
	return $self->{ranks}->living ? () : $self->_over;
}

1;
