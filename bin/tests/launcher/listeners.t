#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The listening sockets of a host's ranks: whose they are, and which are closed.
use strict;
use warnings;

use Socket qw(inet_aton pack_sockaddr_in unpack_sockaddr_in PF_INET SOCK_STREAM);
use Test::More;

use FTMPI::Agent::Listeners ();
use FTMPI::Control          ();
use FTMPI::Net              ();
use FTMPI::Wire             ();

my $address = '127.0.0.1';

sub table
{
	return join '', map { FTMPI::Wire::pack_fields(FTMPI::Control::ROW, 'h', $address, @$_, 0, 1) } @_;
}

sub port_of { return (unpack_sockaddr_in(getsockname $_[0]))[0] }

# Ports on which this process listens.
sub listening
{
	my %mine;
	for my $path (glob '/proc/self/fd/*') {
		my ($inode) = (readlink $path // '') =~ /^socket:\[(\d+)\]/ or next;
		$mine{$inode} = 1;
	}
	open my $file, '<', '/proc/net/tcp' or die "/proc/net/tcp: $!\n";
	my @ports = map { hex((split /:/, $_->[1])[1]) } grep { ($_->[3] // '') eq '0A' && $mine{ $_->[9] } }
		map { [ split ' ' ] } <$file>;
	return join ' ', sort { $a <=> $b } @ports;
}

sub call
{
	my ($port) = @_;
	socket(my $socket, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
	connect($socket, pack_sockaddr_in($port, inet_aton($address))) or die "connect: $!\n";
	return $socket;
}

sub in_order { return join ' ', sort { $a <=> $b } @_ }

my $listeners = FTMPI::Agent::Listeners->new;
my @ports     = $listeners->bind($address, 4, 0, 0);
is(scalar @ports, 4, 'four sockets are bound');
is(listening(), in_order(@ports), '... and listen');
my @rows = ([ @ports[ 0, 2 ] ], [ 1, 2 ], [ @ports[ 1, 3 ] ]);
is($listeners->assign(table(@rows), 0, 2), undef, 'they belong to the ranks that the table says');
is(join(' ', map { port_of($_) } $listeners->of(0)), "@ports[0, 2]", '... for data and for heartbeats');
is(join(' ', map { port_of($_) } $listeners->of(2)), "@ports[1, 3]", '... each its own');

my @more = $listeners->bind($address, 2, 0, 0);
$rows[1] = \@more;
is($listeners->assign(table(@rows), 0, 1, 2), undef, 'a rank more');
is(join(' ', map { port_of($_) } $listeners->of(2)), "@ports[1, 3]", '... the others keep theirs');
is(listening(), in_order(@ports, @more), '... all listen');
# who was connected lingers at the port
{
	my ($listen) = $listeners->of(2);
	my $call = call($ports[1]);
	accept(my $answered, $listen) or die "accept: $!\n";
	close $answered;
}
$listeners->hang_up(2);
is(listening(), in_order(@ports[ 0, 2, 3 ], @more), 'a rank that has ended listens no more for data');
is($listeners->assign(table(@rows), 0 .. 2), undef, 'it is to run again');
is($listeners->reopen, undef, '... and can');
is(listening(), in_order(@ports, @more), '... at the same port');
$listeners->hang_up(2);
{
	my ($thief) = FTMPI::Net::listen_on($address, $ports[1], $ports[1]);
	like($listeners->reopen, qr/^cannot listen again on port $ports[1] at \S+: Address already/,
		'... unless another has taken it');
}
is($listeners->reopen, undef, '... or has gone again');
my @unused = $listeners->bind($address, 2, 0, 0);
is($listeners->assign(table(@rows), 0 .. 2), undef, 'the same ranks again');
is(listening(), in_order(@ports, @more), '... what nobody needs is closed');

for my $bad (
	[ 'damaged',       table(@rows) . 'x',   qr/^the table of ranks is damaged: / ],
	[ 'without a row', table(@rows[ 0, 1 ]), qr/^rank 2 is not in the table of ranks$/ ],
	[ 'with an odd port', table(@rows[ 0, 1 ], [ $unused[0], 0 ]),
		qr/^rank 2 has a port that was not bound: 127\.0\.0\.1 $unused[0]$/ ],
	)
{
	my ($how, $table, $why) = @$bad;
	like($listeners->assign($table, 0 .. 2), $why, "a table $how is refused");
	is(listening(), in_order(@ports, @more), '... and changes nothing');
}

is($listeners->assign(table(map { [ $_->[0], 0 ] } @rows), 0 .. 2), undef, 'no heartbeats');
is(join(' ', map { scalar(my @s = $listeners->of($_)) } 0 .. 2), '1 1 1', '... one socket each');
is(listening(), in_order(map { $_->[0] } @rows), '... the others are closed');

my ($free) = $listeners->bind($address, 1, 0, 0);
my $now = listening();
ok(!$listeners->bind($address, 3, $free, $free), 'a range that is too small');
like($listeners->why,
	qr/^of the ports $free-$free \(-ports\) only 0 can be had at 127\.0\.0\.1, and its ranks need 3 /,
	'... is told');
is(listening(), $now, '... and nothing of it is kept');
ok(!$listeners->bind('192.0.2.1', 1, 0, 0), 'an address of another machine');
my $error = "$!";
is($listeners->why, undef, '... is the system\'s doing');
like($error, qr/assign/, '... which says why');

done_testing;
