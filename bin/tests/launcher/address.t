#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Which address each host gets, and what this machine is.
use strict;
use warnings;

use Socket ();
use Test::More;

use FTMPI::Address ();
use FTMPI::Net     ();

sub host
{
	my ($name, $local, $ssh, @interfaces) = @_;
	return {
		name       => $name,
		local      => $local,
		ssh        => $ssh,
		interfaces => [ [ 'lo', '127.0.0.1' ], [ 'lo', '::1' ],
			map { [ split /=/ ] } @interfaces ],
	};
}

sub chosen
{
	my ($hosts, %arg) = @_;
	return join ' ', FTMPI::Address::choose(hosts => $hosts, towards => sub { undef }, %arg);
}

my $here = host('here', 1, '', 'docker0=172.17.0.1', 'eth0=10.0.0.1', 'eth0=fe80::1',
	'eth0=fd00::1');
my $a    = host('a',    0, '10.0.0.2', 'eth1=192.168.7.2', 'eth0=10.0.0.2', 'eth0=fd00::2');
my $b    = host('b',    0, 'fd00::3',  'eth0=10.0.0.3',    'eth0=fd00::3');
my $c    = host('c',    0, '127.0.0.1', 'docker0=172.17.0.1', 'eth0=10.0.0.4');
my $six  = host('six',  0, 'fd00::6',  'eth0=fe80::6', 'eth0=fd00::6');
my $bare = host('bare', 0, '');

is(chosen([$here]), '127.0.0.1', 'a job on one host stays on it');
is(chosen([$a]),    '127.0.0.1', '... also on another one');
is(chosen([ $a, $c ]), '10.0.0.2 10.0.0.4',
	'the address ssh arrived at; a loopback or a bridge of containers is none');
is(chosen([ $here, $a ], towards => sub { $_[0] eq '10.0.0.2' ? '10.0.0.77' : undef }),
	'10.0.0.77 10.0.0.2', 'this machine: the address it uses towards the others');
is(chosen([ $here, $a ]), '10.0.0.1 10.0.0.2', '... or its best one, if there is no telling');
is(chosen([ $a, $b ]), '10.0.0.2 10.0.0.3', 'one family for all: IPv4 if ssh took both');
is(chosen([ $a, $six ]), 'fd00::2 fd00::6', '... IPv6 if one has nothing else');
is(chosen([ $b, $six ]), 'fd00::3 fd00::6', '... and where ssh took IPv6, that');
is(chosen([ $bare, $bare ]), '127.0.0.1 127.0.0.1', 'nothing but loopback is better than nothing');
is(chosen([ $here, $a ], iface => 'eth0'), '10.0.0.1 10.0.0.2', '-iface by name');
is(chosen([ $here, $a ], iface => 'fd00::/64'), 'fd00::1 fd00::2', '... by network');
is(chosen([$here], iface => '10.0.0.1'), '10.0.0.1', '... by address, also on one host');
eval { chosen([ $here, $a ], iface => 'eth1') };
is($@->text,
	'host here: no interface or address matches -iface eth1 (it has lo 127.0.0.1, lo ::1,'
		. ' docker0 172.17.0.1, eth0 10.0.0.1, eth0 fe80::1, eth0 fd00::1)',
	'a host where none matches is named, with what it has');
is($@->status, 1, '... and that is a failure');

is(FTMPI::Address::normal('::ffff:10.0.0.1'), '10.0.0.1', 'IPv4 in IPv6');
is(FTMPI::Address::normal('FD00:0:0::1'),     'fd00::1',  'one spelling of IPv6');

is(FTMPI::Address::normal('::FFFF:a00:1'), '10.0.0.1', 'IPv4 in IPv6 clothes, in whatever digits');
is(FTMPI::Address::family("127.0.0.1\0x"), undef, 'nothing stands behind an address');
is_deeply({ FTMPI::Address::reported('nowhere', [qw(lo eth0 eth1)], [ '127.0.0.1', 'x', '' ]) },
	{ ssh => '', interfaces => [ [ 'lo', '127.0.0.1' ] ] }, 'words of an agent that are no addresses');

my %mine = map { $_->[1] => $_->[0] } @{ FTMPI::Net::interfaces() };
is($mine{'127.0.0.1'}, 'lo', 'the loopback interface is found');
my $is_local = FTMPI::Net::local_test();
for my $name ('localhost', '127.0.0.1', '127.9.9.9', '::1', FTMPI::Net::hostname(), keys %mine) {
	ok($is_local->($name), "$name is this machine");
}
for my $name ('203.0.113.77', '2001:db8::77', 'root@localhost', 'no-such-host.invalid') {
	ok(!$is_local->($name), "$name is not");
}
is(FTMPI::Net::source_towards('127.0.0.1'), '127.0.0.1', 'the address used towards another');

my ($one, $first) = FTMPI::Net::listen_on('127.0.0.1', 0, 0);
ok($first, 'a free port');
my ($two, $same) = FTMPI::Net::listen_on('127.0.0.1', $first, $first);
ok(!$two, 'a port that is taken is not given again');
SKIP: {
	skip 'no IPv6 here', 1 if !$mine{'::1'};
	my ($six, $port) = FTMPI::Net::listen_on('::1', 0, 0);
	ok($port, 'a port of IPv6');
}

done_testing;
