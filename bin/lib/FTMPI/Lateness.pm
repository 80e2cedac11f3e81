# SPDX-License-Identifier: BSD-3-Clause
#
# How late a process was in the last minute because it got no processor, and for how long it may therefore be
# silent: FACTOR times as long. A process that was late by a tenth of a second is given some more seconds, one
# that was late by some seconds is given a minute. Pure: it has no clock.
package FTMPI::Lateness;

use strict;
use warnings;

# Seconds after which what was late is forgotten; the factor; seconds between two words of it to others.
use constant { CALM_TIME => 60, FACTOR => 30, TELL_TIME => 1 };

sub new { return bless { most => 0 }, $_[0] }

# It was late by so many seconds. Whether others are to be told: now and then, and at once of what is
# longer than all that they were told of.
sub late
{
	my ($self, $seconds, $now) = @_;
	my $before = $self->allowance($now) ? $self->{most} : 0;
	@$self{qw(most at)} = ($seconds > $before ? $seconds : $before, $now);
	return 0 if defined $self->{told} && $now - $self->{told} < TELL_TIME && $seconds <= $before;
	$self->{told} = $now;
	return 1;
}

# For how many seconds it may be silent; 0: for no longer than others.
sub allowance
{
	my ($self, $now) = @_;
	return defined $self->{at} && $now - $self->{at} < CALM_TIME ? FACTOR * $self->{most} : 0;
}

1;
