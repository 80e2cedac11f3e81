#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What agents are told of addresses, sockets and ranks, without agents.
use strict;
use warnings;

use Test::More;

use FTMPI::Control             ();
use FTMPI::Launcher::AgentLink ();
use FTMPI::Launcher::Fleet     ();
use FTMPI::Wire                ();

# An agent that keeps what it is told.
my %told;
{
	no warnings 'redefine';
	*FTMPI::Launcher::AgentLink::start     = sub { return };
	*FTMPI::Launcher::AgentLink::_ping     = sub { return };
	*FTMPI::Launcher::AgentLink::tell      = sub { my ($self, @message) = @_; push @{ $told{ $self->{name} } }, \@message; return };
	*FTMPI::Launcher::AgentLink::connected = sub { return !$_[0]{closed} };
	*FTMPI::Launcher::AgentLink::close     = sub { $_[0]{closed} = 1; return };
	*FTMPI::Launcher::AgentLink::signal    = sub { push @{ $told{ $_[0]{name} } }, [ signal => $_[1] ]; return 1 };
}

package Loop;
sub new    { return bless {}, shift }
sub cancel { return }

package main;

sub told
{
	my ($name) = @_;
	return [ splice @{ $told{$name} // [] } ];
}

my (@frames, @lost, @logged);
my $fleet = FTMPI::Launcher::Fleet->new(
	plan => {
		hosts => [ map { { name => $_, ranks => [0] } } qw(a b c) ], size => 3, heartbeat => 100, timeout_heartbeat => 1000, silence => 5000,
		wdir  => '/', prog => ['p'], env => [],
	},
	loop     => Loop->new,
	patience => sub { 1 },
	on_log   => sub { push @logged, $_[1] },
	on_frame => sub { push @frames, join ' ', $_[0]->index, $_[1] },
	on_lost  => sub { push @lost, $_[0]->index });

# An agent says this.
sub says
{
	my ($agent, @message) = @_;
	my (undef, $type, undef, $body) = unpack 'V v v a*', FTMPI::Control::encode(@message);
	$agent->_frame($type, $body);
	return;
}

sub here
{
	my ($index, $address) = @_;
	$fleet->start($index);
	says($fleet->agent($index), 'HERE', 4, '', ['eth0'], [$address]);
	return $fleet->agent($index);
}

sub unpacked
{
	my ($table) = @_;
	return [ map { join ' ', @$_ } FTMPI::Wire::unpack_rows(FTMPI::Control::ROW, $table) ];
}

my ($a, $b) = (here(0, '10.0.0.1'), here(1, '10.0.0.2'));
is_deeply([ splice @frames ], [ '0 HERE', '1 HERE' ], 'agents are here');
is(told('a')->[0][2], 5000, '... and know how long to believe in a silent launcher');
told('b');
$fleet->bind([ [ 0, 0 ], [ 1, 1, 2 ] ], 0, 1);
is_deeply([ told('a'), told('b') ],
	[ [ [ 'BIND', '10.0.0.1', 2, 0, 0 ] ], [ [ 'BIND', '10.0.0.2', 4, 0, 0 ] ] ], 'two sockets a rank, at its address');
says($a, 'PORTS', [ 1, 2 ]);
says($b, 'PORTS', [ 3, 4, 5, 6 ]);
my %ranks = (0 => [0], 1 => [ 1, 2 ], 2 => []);
my $of = sub { return @{ $ranks{ $_[0] } } };
$fleet->place($of, 0, 1);
$fleet->run($of, ['head'], ['setting'], 0, 1);
my $run = told('b')->[0];
is_deeply([ @$run[ 0 .. 2, -2 ] ], [ 'RUN', 'head', [ 1, 2 ], ['setting'] ], 'ranks are told to run');
is_deeply(unpacked($run->[-1]),
	[ 'a 10.0.0.1 1 2 0 4', 'b 10.0.0.2 3 5 1 4', 'b 10.0.0.2 4 6 1 4' ], '... with the table of all');
is(told('a')->[0][-1], $run->[-1], '... which is the same everywhere');

# The host b is replaced: the address of a stays, and c has its own.
$fleet->drop(1);
is_deeply(told('b'), [ [ signal => 'KILL' ] ], 'an agent out of reach is ended here');
is_deeply([ splice @logged ], [ 'host a: rank 0 at 10.0.0.1, ports 1-2', 'host b: ranks 1-2 at 10.0.0.2, ports 3-6' ],
	'... whose sockets were logged');
$b->bind([ 0, 0 ], 1);
says($b, 'PONG');
says($b, 'PORTS', [ 3, 4 ]);
$b->_lose('gone');
is_deeply([ @lost, @logged, grep { /PONG/ } splice @frames ], [], '... and not heard any more');
told('b');
my $c = here(2, '10.0.0.3');
told($_) for qw(a c);
@ranks{ 0 .. 2 } = ([ 0, 2 ], [], [1]);
$fleet->bind([ [ 0, 2 ], [ 2, 1 ] ], 0, 2);
is_deeply([ told('a'), told('c') ],
	[ [ [ 'BIND', '10.0.0.1', 2, 0, 0 ] ], [ [ 'BIND', '10.0.0.3', 2, 0, 0 ] ] ],
	'new sockets beside the old ones, and on a new host');
says($a, 'PORTS', [ 7, 8 ]);
says($c, 'PORTS', [ 9, 10 ]);
$c->{here}{cores} = 8;
$fleet->take($of, ['head'], ['setting'], [ 1, 2 ], '0,1,1', 0, 2);
for my $name (qw(a c)) {
	my ($run, $moved) = @{ told($name) };
	is_deeply([ @$run[ 0, 1 ] ], [qw(RUN head)], "ranks that move are told to $name, which takes some");
	is_deeply([ @$moved[ 0 .. 2 ] ], [ 'MOVED_ALL', [ 1, 2 ], '0,1,1' ], '... and that they are there');
	is_deeply([ map { unpacked($_->[-1]) } $run, $moved ], [ ([ 'a 10.0.0.1 1 2 0 4', 'c 10.0.0.3 9 10 1 4', 'a 10.0.0.1 7 8 1 4' ]) x 2 ],
		'... with the nodes, and the processors, of before');
}
$c->{here}{cores} = 4;
is_deeply([ $fleet->place($of, 0, 2) ], [ [ 0, 4 ], [ 1, 4 ], [ 0, 4 ] ], 'in the next epoch places are new ones');
$fleet->run($of, [], [], 0, 2);
is_deeply(unpacked(told('c')->[0][-1]),
	[ 'a 10.0.0.1 1 2 0 4', 'c 10.0.0.3 9 10 1 4', 'a 10.0.0.1 7 8 0 4' ],
	'... the table has old ports and new, and hosts without a gap');
told('a');

# A job that goes on under message logging keeps the places of before, wherever ranks are.
for my $case ([ [ [ 1, 2 ], [ 0, 8 ], [ 1, 2 ] ], 'as they were' ], [ [ [ 0, 2 ], [ 1, 8 ], [ 2, 2 ] ], 'together that were not' ],
	[ [ [ 0, 2 ], [ 0, 2 ], [ 1, 2 ] ], 'not together that were', 'apart=1' ]) {
	my ($places, $name, @apart) = @$case;
	local $fleet->{plan}{goes_on} = { places => $places };
	is_deeply([ $fleet->place($of, 0, 2) ], $places, "places of before, ranks are $name");
	$fleet->run($of, [], ['setting'], 0, 2);
	my ($run) = @{ told('c') };
	is_deeply([ map { [ (split)[ 4, 5 ] ] } @{ unpacked($run->[-1]) } ], $places, '... are in the table');
	is_deeply($run->[-2], [ 'setting', @apart ], '... and what memory can be shared is told');
	told('a');
	$fleet->take($of, [], ['setting'], [1], '0,1,0', 0, 2);
	is_deeply(told('c')->[0][-2], [ 'setting', @apart ], '... also when a host takes more of them');
	told('a');
}

# Where this machine is reached: the keeper of a job listens there.
{
	no warnings 'redefine';
	local *FTMPI::Net::source_towards = sub { return { '10.0.0.1' => '10.0.0.9', '10.0.0.3' => '10.0.0.8' }->{ $_[0] } };
	is($fleet->own_address(0, 2), '10.0.0.9', 'our address is the one towards the first of other hosts');
	is($fleet->own_address(2),    '10.0.0.8', '... also when there is only one');
	$_->{here}{local} = 1 for $a, $c;
	is($fleet->own_address(0), '127.0.0.1', '... and needs no network without others');
	$_->{here}{local} = 0 for $a, $c;
}

# An agent says what it is first, and once.
{
	my @refused;
	no warnings 'redefine';
	local *FTMPI::Launcher::AgentLink::refuse = sub { push @refused, $_[0]->index };
	$fleet->start(2);
	splice @frames;
	says($fleet->agent(2), 'STRAINED', 700, 120);
	is("@refused @frames", '2 ', 'a word before that is refused');
	says($fleet->agent(2), 'HERE', 4, '', ['eth0'], ['10.0.0.3']) for 1, 2;
	is("@refused @frames", '2 2 2 HERE', '... and so is the same again');
}

done_testing;
