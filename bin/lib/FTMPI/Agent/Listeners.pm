# SPDX-License-Identifier: BSD-3-Clause
#
# The listening sockets of the ranks of one host: bound before the ranks run, and kept open here, so
# that a rank that is started again has the ports it had. Only the data socket of a rank that has finished
# MPI is closed, until the rank begins again: a rank that still connects to it is refused, and need not wait for
# an answer. The table of all ranks says which socket belongs to which rank: the row has its ports.
package FTMPI::Agent::Listeners;

use strict;
use warnings;

use Errno qw(EACCES EADDRINUSE);

use FTMPI::Control ();
use FTMPI::Net     ();
use FTMPI::Wire    ();

sub new { return bless { sockets => {}, owned => {} }, $_[0] }

# Bind `count` more at `address`, on ports from `first` to `last` (0 0: any). Returns the ports; or
# nothing, with a text in `why` and none of them kept. $! says what the system said.
sub bind
{
	my ($self, $address, $count, $first, $last) = @_;
	my ($next, %new, @ports) = ($first);
	while (@ports < $count) {
		$! = EADDRINUSE;
		my ($socket, $port) = FTMPI::Net::listen_on($address, $next, $last);
		if (!$socket) {
			my $taken = $first && ($!{EADDRINUSE} || $!{EACCES});
			$self->{why} = $taken
				? _too_few($address, $count, $first, $last, scalar @ports)
				: undef;
			return;
		}
		$new{"$address $port"} = $socket;
		push @ports, $port;
		$next = $port + 1 if $first;
	}
	$self->{sockets}{$_} = $new{$_} for keys %new;
	return @ports;
}

sub _too_few
{
	my ($address, $count, $first, $last, $got) = @_;
	return "of the ports $first-$last (-ports) only $got can be had at $address, and its ranks need"
		. " $count (two each, or one with -heartbeat 0)";
}

# Why there were none, when it was not the system's doing.
sub why { return $_[0]{why} }

# These ranks are here, and this is the table of all: what belongs to none of them is closed. Returns
# a text when a socket that the table names is not there.
sub assign
{
	my ($self, $table, @ranks) = @_;
	my @rows = eval { FTMPI::Wire::unpack_rows(FTMPI::Control::ROW, $table) };
	return "the table of ranks is damaged: $@" if $@;
	my (%owned, %kept);
	for my $rank (@ranks) {
		my (undef, $address, $data, $beat) = @{ $rows[$rank] // [] };
		return "rank $rank is not in the table of ranks" if !defined $beat;
		$owned{$rank} = [ map { "$address $_" } $data, $beat || () ];
		$kept{$_} = $self->{sockets}{$_} // return "rank $rank has a port that was not bound: $_"
			for @{ $owned{$rank} };
	}
	@$self{qw(owned sockets)} = (\%owned, \%kept);
	return;
}

# This rank is through with MPI, and has ended.
sub hang_up
{
	my ($self, $rank) = @_;
	$self->{sockets}{ $self->{owned}{$rank}[0] } = 0;
	return;
}

# What was hung up listens again. Returns why it cannot.
sub reopen
{
	my ($self) = @_;
	for my $name (grep { !$self->{sockets}{$_} } sort keys %{ $self->{sockets} }) {
		my ($address, $port) = split / /, $name;
		($self->{sockets}{$name}) = FTMPI::Net::listen_on($address, $port, $port)
			or return "cannot listen again on port $port at $address: $!";
	}
	return;
}

# Their names: they change when a rank gets other ones.
sub at
{
	my ($self, $rank) = @_;
	return join ' ', @{ $self->{owned}{$rank} };
}

# Those of one rank: for data, and for heartbeats (undef: none).
sub of
{
	my ($self, $rank) = @_;
	return @{ $self->{sockets} }{ @{ $self->{owned}{$rank} } };
}

1;
