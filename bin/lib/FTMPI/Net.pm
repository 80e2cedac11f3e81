# SPDX-License-Identifier: BSD-3-Clause
#
# What this machine's network is: its interfaces, its names, the address it uses towards another,
# and listening sockets.
package FTMPI::Net;

use strict;
use warnings;

use Errno qw(EADDRINUSE EACCES);
use Socket qw(getaddrinfo getnameinfo NI_NUMERICHOST NIx_NOSERV AF_INET AF_INET6 SOCK_DGRAM SOCK_STREAM SOL_SOCKET SO_REUSEADDR
	SOMAXCONN inet_ntop inet_pton pack_sockaddr_in pack_sockaddr_in6 unpack_sockaddr_in
	unpack_sockaddr_in6);
use POSIX ();

use FTMPI::Address ();
use FTMPI::Loop    ();

use constant { SIOCGIFCONF => 0x8912, INTERFACES_MAX => 512, BACKLOG_MIN => 512 };

# Name look-ups that tell whether a host is this one stop after so many seconds: then a host is
# taken to be another one, and ssh gets the last word.
use constant LOOKUP_BUDGET => 3;

# [[name, address], ...]
sub interfaces { return [ _interfaces4(), _interfaces6() ] }

# Perl has no getifaddrs; SIOCGIFCONF gives every IPv4 address with its interface's name.
sub _interfaces4
{
	my $pointer = length pack 'P', undef;
	my $record  = $pointer == 8 ? 40 : 32;
	my $buffer  = "\0" x ($record * INTERFACES_MAX);
	my $request = pack "i x!$pointer P", length $buffer, $buffer;
	socket(my $socket, AF_INET, SOCK_DGRAM, 0) or return;
	ioctl($socket, SIOCGIFCONF, $request) or return;
	my $count = int(unpack('i', $request) / $record);
	my @found;
	for my $i (0 .. $count - 1) {
		my ($name, $address) = unpack 'Z16 x4 a4', substr $buffer, $i * $record, $record;
		push @found, [ $name, inet_ntop(AF_INET, $address) ];
	}
	return @found;
}

sub _interfaces6
{
	open my $file, '<', '/proc/net/if_inet6' or return;
	my @found;
	while (my $line = <$file>) {
		my ($hex, undef, undef, undef, undef, $name) = split ' ', $line;
		push @found, [ $name, inet_ntop(AF_INET6, pack 'H32', $hex) ] if defined $name;
	}
	return @found;
}

sub hostname { return (POSIX::uname())[1] }

# A sub (name) that tells whether the name stands for this machine.
sub local_test
{
	my %mine     = map { FTMPI::Address::normal($_->[1]) => 1 } @{ interfaces() };
	my $hostname = lc hostname();
	my @names    = ($hostname, $hostname =~ /^([^.]+)/, qw(localhost ip6-localhost));
	my %name     = map { $_ => 1 } @names;
	my $deadline = FTMPI::Loop::now() + LOOKUP_BUDGET;
	return sub {
		my ($host) = @_;
		return 1 if $name{ lc $host };
		return 0 if $host =~ /\@/;
		my @addresses =
			  FTMPI::Address::family($host)    ? $host
			: FTMPI::Loop::now() < $deadline ? _resolve($host)
			:                                   ();
		return scalar grep { $mine{$_} || FTMPI::Address::is_loopback($_) }
			map { FTMPI::Address::normal($_) } @addresses;
	};
}

sub _resolve
{
	my ($host) = @_;
	my ($error, @found) = getaddrinfo($host, undef, { socktype => SOCK_STREAM });
	return if $error;
	my @numeric = map { (getnameinfo($_->{addr}, NI_NUMERICHOST, NIx_NOSERV))[1] } @found;
	return grep { defined } @numeric;
}

# The source address that the kernel would use towards `address`, or nothing.
sub source_towards
{
	my ($address) = @_;
	my $family = FTMPI::Address::family($address) or return;
	my $socket;
	socket($socket, $family == 4 ? AF_INET : AF_INET6, SOCK_DGRAM, 0) or return;
	connect($socket, _sockaddr($address, 9)) or return;
	my ($error, $mine) = getnameinfo(getsockname($socket), NI_NUMERICHOST, NIx_NOSERV);
	return $error ? undef : FTMPI::Address::normal($mine);
}

sub _sockaddr
{
	my ($address, $port) = @_;
	return FTMPI::Address::family($address) == 4
		? pack_sockaddr_in($port, inet_pton(AF_INET, $address))
		: pack_sockaddr_in6($port, inet_pton(AF_INET6, $address));
}

# A listening socket on `address`: (handle, port). With a range, on the first port of it from
# `first` on that is free; with 0 0, on any. Nothing, with $! set, when there is none.
sub listen_on
{
	my ($address, $first, $last) = @_;
	for my $port ($first .. $last) {
		my @bound = _listen($address, $port, $first != 0);
		return @bound if @bound;
		return if !$!{EADDRINUSE} && !$!{EACCES};
	}
	return;
}

# SO_REUSEADDR before bind only for chosen ports, where connections of an earlier job may linger: of two
# that let the system choose, both might get the same. After bind for all: connections inherit it, and
# then the port can be bound again while they linger.
sub _listen
{
	my ($address, $port, $reuse) = @_;
	my $af = FTMPI::Address::family($address) == 4 ? AF_INET : AF_INET6;
	socket(my $socket, $af, SOCK_STREAM, 0) or return;
	setsockopt($socket, SOL_SOCKET, SO_REUSEADDR, 1) if $reuse;
	bind($socket, _sockaddr($address, $port)) or return;
	setsockopt($socket, SOL_SOCKET, SO_REUSEADDR, 1);
	listen($socket, SOMAXCONN > BACKLOG_MIN ? SOMAXCONN : BACKLOG_MIN) or return;
	my $name = getsockname $socket;
	my ($got) = $af == AF_INET ? unpack_sockaddr_in($name) : unpack_sockaddr_in6($name);
	return ($socket, $got);
}

1;
