#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Machine files, -host lists, and which rank goes where.
use strict;
use warnings;

use Test::More;

use FTMPI::Cli::Machines ();

sub shown
{
	my ($hosts) = @_;
	return join ' ', map { "$_->{name}=$_->{slots}" } @$hosts;
}

is(shown(FTMPI::Cli::Machines::parse_file('f', <<'EOT')),
# a comment

node1
node2 slots=4   # and one here
	node3:8
node1:2
localhost
10.0.0.1:3
[fd00::1]:5
[fd00::2]
fd00::3
fd00::3 slots=2
user@node4
EOT
	'node1=3 node2=4 node3=8 localhost=1 10.0.0.1=3 fd00::1=5 fd00::2=1 fd00::3=3 user@node4=1',
	'every way to write a host');
is(shown(FTMPI::Cli::Machines::parse_file('f', "a:2\r\nb\r\n")), 'a=2 b=1',
	'line ends of another world');
is(shown(FTMPI::Cli::Machines::parse_list('-host', 'a,b:4,[::1]:2,a')), 'a=2 b=4 ::1=2', 'a list');

for my $bad (
	[ "a\nb slots=x\n",
		qr/^machine file f, line 2: 'slots=x' does not give a number of slots/ ],
	[ "a slots=0\n",           qr/line 1: 'slots=0' does not give/ ],
	[ "a slots\n",             qr/line 1: 'slots' does not give/ ],
	[ "a:b\n",                 qr/line 1: 'a:b' does not give/ ],
	[ "a:\n",                  qr/line 1: 'a:' does not give/ ],
	[ "a:99999999\n",          qr/line 1: 'a:99999999' does not give/ ],
	[ "a:2 slots=2\n",         qr/line 1: the number of slots is given twice/ ],
	[ "a\n\nb max=3\n",        qr/line 3: 'max' is not known here \(write slots=4\)/ ],
	[ "a 4\n",                 qr/line 1: '4' is not known here/ ],
	[ "-oProxyCommand=x\n",    qr/line 1: '-oProxyCommand=x' is not a host name/ ],
	[ "a;b\n",                 qr/line 1: 'a;b' is not a host name/ ],
	[ "\x01\x02\n",            qr/line 1: '' is not a host name/ ],
	[ "[a]:4\n",               qr/line 1: 'a' is not an IPv6 address/ ],
	[ "a:b:c\n",               qr/line 1: 'a:b:c' is neither host:slots nor an IPv6 address/ ],
	[ ('x' x 256) . "\n",      qr/line 1: 'x+' is longer than 255 characters/ ],
	[ "# nobody\n",            qr/^the machine file f names no host$/ ],
	[ '',                      qr/^the machine file f names no host$/ ],
	)
{
	my ($text, $message) = @$bad;
	eval { FTMPI::Cli::Machines::parse_file('f', $text) };
	is(ref $@ && $@->status, 2, 'refused as wrong use');
	like(ref $@ && $@->text, $message, '... in a sentence that names the line');
}
eval { FTMPI::Cli::Machines::parse_list('-host', 'a,,b') };
like($@->text, qr/^-host a,,b: '' is not a host name/, 'a hole in a list');

eval { FTMPI::Cli::Machines::parse_list('-host', "a\nb,\e[31m") };
like($@->text, qr/^-host a b,[^\n\e]* is not a host name\z/, 'one line, whatever it quotes');

sub placed
{
	my ($text, $n, $by) = @_;
	return join ' ', map { "$_->{name}:" . join ',', @{ $_->{ranks} } }
		@{ FTMPI::Cli::Machines::place(FTMPI::Cli::Machines::parse_list('-host', $text), $n, $by) };
}

is(placed('a:2,b:3', 5),   'a:0,1 b:2,3,4',               'by slot');
is(placed('a:2,b:3', 2),   'a:0,1 b:',                    'hosts without ranks are spares');
is(placed('a:2,b:3', 8),   'a:0,1,5,6 b:2,3,4,7',         'round again when all are full');
is(placed('a,b,c',   7),   'a:0,3,6 b:1,4 c:2,5',         'and again');
is(placed('a:2,b:3,c:1', 4, 'node'),  'a:0,3 b:1 c:2',         'by node');
is(placed('a:2,b:3,c:1', 6, 'node'),  'a:0,3 b:1,4,5 c:2',     '... past a host that is full');
is(placed('a:2,b:3,c:1', 9, 'node'),  'a:0,3,6 b:1,4,5,7 c:2,8', '... round again when all are full');
is(placed('a:2,b:3',     1, 'node'),  'a:0 b:',                '... with spares');
is(placed('a:65536', 65536, 'node'),  'a:' . join(',', 0 .. 65535), '... and as many as there may be');

done_testing;
