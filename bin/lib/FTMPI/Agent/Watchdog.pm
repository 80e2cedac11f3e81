# SPDX-License-Identifier: BSD-3-Clause
#
# Notices that the other side has been silent for too long. The watchdog counts its own turns, not time: after
# it was stopped itself, it listens again before it judges.
package FTMPI::Agent::Watchdog;

use strict;
use warnings;

use POSIX ();

use constant TURNS => 8;

# loop; ms: how long it may be (0: for ever); heard => sub, a number that grows whenever something
# comes; allowed => sub, for how many ms it may be silent now, if that is longer; excused => sub, asked at each turn
# of silence: the other side cannot speak now, which is no silence; for at most most_excused ms; on_silent => sub, called once.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { %arg, turns => 0, excuses => 0, paused => 0, last => 0 }, $class;
	$self->_wait if $arg{ms};
	return $self;
}

# While it is known to be silent nothing is counted.
sub pause
{
	my ($self, $paused) = @_;
	@$self{qw(paused turns)} = ($paused, 0);
	return;
}

# For how many turns it may be silent now.
sub _most
{
	my ($self) = @_;
	my $allowed = $self->{allowed} ? POSIX::ceil($self->{allowed}->() * TURNS / $self->{ms}) : 0;
	return $allowed > TURNS ? $allowed : TURNS;
}

sub _is_excused
{
	my ($self) = @_;
	return 0 if !$self->{excused} || $self->{excuses} * $self->{ms} / TURNS >= $self->{most_excused} || !$self->{excused}->();
	$self->{excuses}++;
	return 1;
}

sub _wait
{
	my ($self) = @_;
	$self->{loop}->after($self->{ms} / 1000 / TURNS, sub { $self->_turn });
	return;
}

sub _turn
{
	my ($self) = @_;
	my $heard = $self->{heard}->();
	if ($self->{paused} || $heard != $self->{last}) {
		@$self{qw(turns excuses)} = (0, 0);
	} else {
		$self->{turns} = $self->_is_excused ? 0 : $self->{turns} + 1;
	}
	$self->{last} = $heard;
	if ($self->{turns} < $self->_most) {
		$self->_wait;
		return;
	}
	$self->{on_silent}->();
	return;
}

1;
