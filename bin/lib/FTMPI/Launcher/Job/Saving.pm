# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher::Job, which an ordinary start does without (FTMPI::Later): recovery lines, and checkpoints of ranks alone: what is
# asked of ranks, what they tell of them, and the end that the user wants after one, from which -restore goes on.
package FTMPI::Launcher::Job;

use strict;
use warnings;

use FTMPI::Launcher::Job       ();
use FTMPI::Control             ();
use FTMPI::Launcher::Sentences ();

# ---- what ranks tell ----

# There are none under message logging.
sub _line
{
	my ($self, $number) = @_;
	return if $self->{recovery}->is_alone;
	$self->{recovery}->committed($number);
	$self->{notes}->add('line_committed', line => $number);
	my @actions = ([ log => "line $number is committed" ], $self->{saving}->committed($number));
	# of a line that the launcher has asked for rank 0 tells once more, that it is saved
	return (@actions, $self->{stopping} && $self->{phase} eq 'running' && !$self->{saving}->is_saving ? $self->_stop('') : ());
}

# Where lines are made, or FTMPI_Checkpoint_due tells the program that one is due. by: who asks.
sub _saving_wanted
{
	my ($self, $by) = @_;
	return $self->{saving}->wanted($by) if $self->{image};
	return $self->{phase} ne 'running' ? [ say => FTMPI::Launcher::Sentences::no_line_now($by) ] : [ save_all => $self->{epoch}, ++$self->{data_asked}, FTMPI::Control::GO ];
}

# -ckpt-interval auto.
sub _interval { my ($self, $seconds) = @_; return $self->{saving}->interval($seconds) }

# ---- an end from which -restore goes on ----

# why: the first words of the sentence; seconds that the line may take; status: if there is nothing to go on from; by: who asks.
sub _stop_wanted
{
	my ($self, $why, $seconds, $status, $by) = @_;
	my $late = [ timer => 'stop_late', $seconds, $why, $seconds, $status ];
	return $late if $self->{stopping};
	$self->{stopping} = { why => $why, status => $status, by => $by };
	my $what = $self->{recovery}->is_alone ? 'ranks make checkpoints' : 'a recovery line is made';
	my $recovery = $self->{recovery};
	# under message logging a program says itself when its ranks make checkpoints
	return $self->_stop('') if $recovery->makes_none || ($recovery->is_alone && !$self->{image});
	# ranks have not all called MPI_Init
	return $self->_stop('') if $self->{image} && !$self->{saving}->has_begun;
	# it is nearly over by itself
	return $late if $recovery->is_leaving || $self->{finalizing} || $self->{saving}->has_ended;
	return ([ say => "$why: $what, then the job is ended." ], $self->_saving_wanted($by), $late);
}

# A line that was refused is asked for again, as long as there is time.
sub _stop_again { my ($self) = @_; return $self->{stopping} && $self->{saving}->is_idle ? $self->_saving_wanted($self->{stopping}{by}) : () }

sub _ask_again
{
	my ($self) = @_;
	return $self->{stopping} && $self->{image} && $self->{phase} eq 'running' && $self->{saving}->is_idle ? [ timer => 'stop_again', AGAIN_TIME ] : ();
}

sub _stop_unstarted
{
	my ($self, $why, undef, $status) = @_;
	$self->{stopping} = { why => $why, status => $status };
	return $self->_stop('');
}

sub _stop_late
{
	my ($self, undef, $seconds) = @_;
	return $self->_stop($self->{recovery}->is_alone ? '' : "; no recovery line was made within " . (0 + sprintf '%.2f', $seconds) . ' s');
}

sub _stop
{
	my ($self, $more) = @_;
	my ($why, $status) = @{ $self->{stopping} }{qw(why status)};
	$self->{outcome}->tell_line;
	return $self->_fail($self->{recovery}->has_line ? GOES_ON : $status, "$why$more; the job is ended.");
}

sub _line_due  { my ($self, @data) = @_; return ($self->{saving}->due(@data), $self->_ask_again) }
sub _rank_due  { my ($self, @data) = @_; return $self->{saving}->due(@data) }
sub _rank_late { my ($self, @data) = @_; return $self->{saving}->late(@data) }
sub _held      { my ($self, @data) = @_; return ($self->{saving}->held(@data), $self->_ask_again) }

sub _saved
{
	my ($self, $rank, $n, $committed) = @_;
	$self->{notes}->add('checkpoint', rank => $rank, number => $n) if $committed && $self->{recovery}->is_alone;
	my @actions = $self->{saving}->saved($rank, $n, $committed);
	return (@actions, $self->_ask_again) if !$self->{stopping} || !$committed;
	return (@actions, $rank == 0 ? $self->_stop('') : ()) if !$self->{recovery}->is_alone;
	$self->{stopping}{saved}{$rank} = 1;
	return (@actions, keys %{ $self->{stopping}{saved} } == $self->{ranks}->size ? $self->_stop('') : ());
}

sub _logs
{
	my ($self, $rank, @data) = @_;
	$self->{notes}->add('logs', rank => $rank, bytes => $data[1] << 10);
	return $self->{saving}->logs($rank, @data);
}

sub _resumed   { return $_[0]{saving}->resumed }

# Under message logging, from a checkpoint of its own.
sub _goes_on
{
	my ($self, $rank, $n) = @_;
	$self->{saving}->goes_on($n);
	$self->{notes}->add('restored', rank => $rank, number => $n);
	return [ log => "rank $rank goes on from its checkpoint $n" ];
}

sub _line_before
{
	my ($self, $number) = @_;
	$self->{recovery}->committed_before($number);
	$self->{notes}->add('line_committed', line => $number);
	return [ log => "line $number is committed" ];
}

sub _restored
{
	my ($self, $number, $session) = @_;
	$self->{recovery}->restored($number, $session);
	$self->{notes}->add('restored', line => $number, session => $session);
	return ([ log => "line $number of session $session is restored" ],
		$self->{ranks}->all_inited ? $self->_all_are_back : ());
}

1;
