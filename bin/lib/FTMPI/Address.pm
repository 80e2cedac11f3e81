# SPDX-License-Identifier: BSD-3-Clause
#
# Which address each host gets. Pure: lists of interfaces in, addresses out; FTMPI::Net looks at the
# machine. The rule: a job on one host uses 127.0.0.1. Otherwise an address must be one that the
# other hosts can reach: on a host that ssh took us to, the one that ssh arrived at; on this host,
# the one that the kernel uses towards the others; with -iface, the first that matches. All hosts
# get the same family when they can.
package FTMPI::Address;

use strict;
use warnings;

use Socket qw(AF_INET AF_INET6 inet_pton inet_ntop);

use FTMPI::Error ();

# Interfaces that other hosts hardly ever reach; taken when there is nothing else.
my $PRIVATE = qr/^(?:docker|br-|virbr|veth|cni|flannel|lxc|podman|tun|tap)/;

# 4, 6, or undef for what is no numeric address.
sub family
{
	my ($address) = @_;
	# inet_pton does not look behind a NUL
	return if !defined $address || $address =~ /\0/;
	return 4 if $address !~ /:/ && defined inet_pton(AF_INET, $address);
	return 6 if $address =~ /:/ && defined inet_pton(AF_INET6, $address);
	return;
}

# One spelling for one address: lower case, shortened; IPv4 in IPv6 clothes becomes IPv4.
sub normal
{
	my ($address) = @_;
	my $family = family($address) or return $address;
	my $af = $family == 4 ? AF_INET : AF_INET6;
	my $text = inet_ntop($af, inet_pton($af, $address));
	$text =~ s/^::ffff:(?=\d+\.)//;
	return $text;
}

sub is_loopback
{
	my ($address) = @_;
	return $address eq '::1' || ($address =~ /^127\./ && (family($address) // 0) == 4);
}

sub is_link_local
{
	my ($address) = @_;
	return $address =~ /^fe[89ab][0-9a-f]:/i || $address =~ /%/ || $address =~ /^169\.254\./;
}

# What an agent says of its host, as a part of what `choose` takes: words that are no addresses are
# nobody's.
sub reported
{
	my ($ssh, $names, $addresses) = @_;
	my $count = @$names < @$addresses ? @$names : @$addresses;
	my @all = map { [ $names->[$_], $addresses->[$_] ] } 0 .. $count - 1;
	$ssh = normal($ssh);
	return (
		ssh        => family($ssh) ? $ssh : '',
		interfaces => [ grep { family($_->[1]) } @all ]);
}

# The matcher of an -iface argument: a sub (name, address) for an interface's name, an address, or a
# network such as 10.0.0.0/8. Nothing when it is none of these.
sub matcher
{
	my ($iface) = @_;
	my ($net, $length) = split m{/}, $iface, 2;
	my $family = family($net);
	return if !$family && $iface !~ m{^[^\s/:%]+\z};
	return sub { $_[0] eq $iface } if !$family;
	my $width = $family == 4 ? 32 : 128;
	$length = $width if !defined $length;
	return if $length !~ /^\d{1,3}\z/ || $length > $width;
	my $prefix = substr _bits($net), 0, $length;
	return sub {
		my (undef, $address) = @_;
		return (family($address) // 0) == $family
			&& substr(_bits($address), 0, $length) eq $prefix;
	};
}

sub _bits
{
	my ($address) = @_;
	my $af = family($address) == 4 ? AF_INET : AF_INET6;
	return unpack 'B*', inet_pton($af, $address);
}

# hosts: { name, local, ssh => address or '', interfaces => [[name, address], ...] } each;
# iface: as given, or undef; towards: sub (address) -> our address towards it, or undef.
# Returns the addresses in the same order.
sub choose
{
	my (%arg) = @_;
	my @hosts = @{ $arg{hosts} };
	return '127.0.0.1' if @hosts == 1 && !defined $arg{iface};
	my @lists  = map { [ _candidates($_, $arg{iface}) ] } @hosts;
	my $family = _common_family(\@hosts, \@lists);
	my @chosen = map { _pick($_, $family) } @lists;
	return @chosen if defined $arg{iface};
	my ($remote) = grep { !$hosts[$_]{local} } 0 .. $#hosts;
	for my $i (grep { $hosts[$_]{local} } 0 .. $#hosts) {
		my $mine = defined $remote ? $arg{towards}->($chosen[$remote]) : undef;
		$chosen[$i] = $mine if defined $mine;
	}
	return @chosen;
}

# A host's addresses, best first.
sub _candidates
{
	my ($host, $iface) = @_;
	my @all = @{ $host->{interfaces} };
	if (defined $iface) {
		my $match = matcher($iface);
		my @fit   = map { $_->[1] } grep { $match->(@$_) } @all;
		return sort { family($a) <=> family($b) } @fit if @fit;
		my $has = join ', ', map { "$_->[0] $_->[1]" } @all;
		FTMPI::Error::failed("host $host->{name}: no interface or address matches"
				. " -iface $iface (it has $has)");
	}
	my @ssh = grep { !is_loopback($_) && !is_link_local($_) } $host->{ssh} || ();
	my @own = grep { !is_link_local($_->[1]) } @all;
	my %rank;
	$rank{ $_->[1] } = _rank(@$_) for @own;
	my @sorted = sort { $rank{$a} <=> $rank{$b} } map { $_->[1] } @own;
	return (@ssh, @sorted, '127.0.0.1');
}

sub _rank
{
	my ($name, $address) = @_;
	return (is_loopback($address) ? 4 : $name =~ $PRIVATE ? 2 : 0) + (family($address) == 6);
}

# The family of what every remote host would take first; if they differ, one that all have.
sub _common_family
{
	my ($hosts, $lists) = @_;
	my @remote = grep { !$hosts->[$_]{local} } 0 .. $#$hosts;
	my %first = map { family($lists->[$_][0]) => 1 } @remote;
	return (keys %first)[0] if keys %first == 1;
	for my $family (4, 6) {
		my @with = grep { _has_reachable($_, $family) } @$lists;
		return $family if @with == @$lists;
	}
	return;
}

sub _has_reachable
{
	my ($list, $family) = @_;
	return scalar grep { family($_) == $family && !is_loopback($_) } @$list;
}

sub _pick
{
	my ($list, $family) = @_;
	my ($fit) = grep { defined $family && family($_) == $family } @$list;
	return $fit // $list->[0];
}

1;
