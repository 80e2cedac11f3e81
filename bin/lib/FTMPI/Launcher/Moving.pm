# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks of a host that is lost, under message logging, on their way to other hosts: they begin again alone there, and
# the others run on. Pure: events in, actions out.
#
# The happy path: places are found for them; agents are started on hosts that have none, and bind the sockets of
# these ranks; then the hosts take them, and all ranks are told where they are now.
package FTMPI::Launcher::Moving;

use strict;
use warnings;

# hosts: FTMPI::Launcher::HostTable; ranks: FTMPI::Launcher::RankTable; suspects: FTMPI::Launcher::Suspects.
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, under_way => {} }, $class;
}

# These have another home, and are not there yet.
sub begin
{
	my ($self, @ranks) = @_;
	for my $rank (@ranks) {
		$self->{suspects}->begins_again($rank);
		$self->{ranks}->begins_again($rank);
		$self->{under_way}{$rank} = 1;
	}
	return;
}

sub is_under_way { return $_[0]{under_way}{ $_[1] } }

# Those that no agent has taken yet.
sub under_way { my ($self) = @_; return sort { $a <=> $b } keys %{ $self->{under_way} } }

# An agent has answered: ask for what is missing, or let them begin.
sub advance
{
	my ($self) = @_;
	my @ranks  = $self->under_way or return;
	my @orders = $self->{hosts}->ask;
	return @orders if @orders || $self->{hosts}->late;
	$self->{under_way} = {};
	return [ take => @ranks ];
}

# A host of which an answer is awaited that is here, or nothing.
sub silent_host
{
	my ($self) = @_;
	my $hosts = $self->{hosts};
	return if !%{ $self->{under_way} };
	my ($host) = grep { $hosts->state($_) eq 'well' } $hosts->late;
	return $host;
}

1;
