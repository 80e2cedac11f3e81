# SPDX-License-Identifier: BSD-3-Clause
#
# Which processes are stopped (SIGSTOP and the like), and for how long: the other ranks may be waiting for a
# process that nobody will continue. Pure: it has no clock. The caller's turns are counted, not time: a caller
# that was stopped itself learns first which processes have been continued.
package FTMPI::StoppedProcesses;

use strict;
use warnings;

# How many turns the limit is.
use constant TURNS => 8;

# The limit in ms that the settings of RUN mean, or 0 for none: the timeout of heartbeats, if there
# are any, and nobody debugs.
sub limit
{
	my %setting = (heartbeat => 0, 'heartbeat-timeout' => 1000, debug => 0, map { split /=/, $_, 2 } @_);
	my @odd = grep { $_ !~ /^[0-9]{1,9}\z/ } @setting{qw(heartbeat heartbeat-timeout debug)};
	return 0 if @odd || !$setting{heartbeat} || $setting{debug};
	return $setting{'heartbeat-timeout'};
}

# How late a timer of one's own may be in seconds, when that is the limit: beyond it, one is short of
# processors oneself.
sub lateness { return $_[0] / 10000 }

sub new { return bless { turns => {}, paused => 0 }, $_[0] }

# It was stopped: maybe once more, and continued in between.
sub stop { my ($self, $pid) = @_; $self->{turns}{$pid} = 0; return }

# It was continued, or has ended.
sub go { my ($self, $pid) = @_; delete $self->{turns}{$pid}; return }

# All are stopped on purpose until this is taken back; from then on it is counted anew.
sub pause
{
	my ($self, $paused) = @_;
	$self->{paused} = $paused;
	$_ = 0 for values %{ $self->{turns} };
	return;
}

sub paused { return $_[0]{paused} }

# Turns are of use.
sub is_counting { my ($self) = @_; return !$self->{paused} && scalar %{ $self->{turns} } }

# An eighth of the limit has gone by. What is to be reported: [process, limits that it is stopped for],
# for each full limit again. The first turn of each was not a whole one.
sub turn
{
	my ($self) = @_;
	return if $self->{paused};
	my $turns = $self->{turns};
	$_++ for values %$turns;
	my @due = grep { $turns->{$_} > TURNS && $turns->{$_} % TURNS == 1 } sort { $a <=> $b } keys %$turns;
	return map { [ $_, ($turns->{$_} - 1) / TURNS ] } @due;
}

1;
