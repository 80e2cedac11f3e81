# SPDX-License-Identifier: BSD-3-Clause
#
# Unauthenticated connections to the ports of a running job: a peer that does not prove that it belongs to the
# job is turned away, with a line that says why and from where it came, and the job goes on undisturbed. The
# secret that the proof needs is visible nowhere.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use MIME::Base64 qw(encode_base64);
use Test::More;
use Time::HiRes qw(time);

use FTMPI::Test::ConnectLater ();
use FTMPI::Test::Process  qw(must_run process_name);
use FTMPI::Test::Stranger qw(call port_of say_to heard last_words hello proof frame CHALLENGE);

use constant { RANKS => 4, DEADLINE => 60 };

my $ring = FTMPI::Test::ConnectLater->start(RANKS, deadline => 200);
$ring->ready or BAIL_OUT('the job does not start');
$ring->connect($_) for 1, 2;
my $job    = $ring->job;
my $key    = $ring->key;
my @before = $ring->descriptors;

my $foreign = qr/it does not speak our protocol, or means another rank/;

# name, what it says (`me` is the rank it pretends to be, `to` the one it calls), and why it is
# turned away. The session is no secret: it goes over the network.
my @at_once = (
	['garbage', sub { join '', map { chr(($_ * 7919) % 251) } 1 .. 5000 }, $foreign],
	['a web browser in a few bytes', sub { "GET /\r\n" }, $foreign],
	['zeros', sub { "\0" x 100 }, $foreign],
	['a frame of a huge length', sub { frame('EAGER', seq => 1, length => ~0) }, $foreign],
	['another version', sub { hello($key, @_, version => 2) }, $foreign],
	['an impossible rank', sub { hello($key, RANKS, $_[1]) }, $foreign],
	['the rank itself', sub { hello($key, $_[1], $_[1]) }, $foreign],
	['a call for another rank', sub { hello($key, $_[0], $_[0]) }, $foreign],
	['another session', sub { hello($key, @_, session => 'x' x 16) }, qr/it belongs to another job/],
	['another epoch', sub { hello($key, @_, epoch => 1) }, qr/the peer belongs to another epoch/],
);

# These say a good hello, are challenged, and answer this.
my @challenged = (
	['a wrong secret', sub { proof({secret => 'y' x 32}, @_) },
		qr/it does not know the secret of this job/],
	['the challenge sent back', sub { substr $_[1], -32 },
		qr/it does not know the secret of this job/],
	['a rank that is connected already', sub { proof($key, @_) },
		qr/that rank has a connection already/],
);

my @slow = (
	['silence', '', 0, qr/it said nothing for too long/],
	['one byte', 'F', 0, qr/it stopped in the middle of the handshake/],
	['half a hello', substr(hello($key, 2, 3), 0, 30), 0, qr/it stopped in the middle/],
	['no proof', hello($key, 2, 3), CHALLENGE, qr/as rank 2: it stopped in the middle/],
	['half a proof', hello($key, 2, 3), CHALLENGE, qr/as rank 2: it stopped in the middle/, 'p' x 9],
);

# The job has said about the connection of this port of ours why it was closed. The system may give a port again.
my %turned;

sub turned_away
{
	my ($port, $why, $name) = @_;
	ok($job->wait_for(err => qr/turned away a stranger at \S+ port $port\b.*\n/, ++$turned{$port}), "$name: a line");
	my @lines = $job->err =~ /(turned away a stranger at \S+ port $port\b.*)/g;
	like($lines[ $turned{$port} - 1 ] // '', $why, "$name: the reason");
	return;
}

subtest 'turned away at once' => sub {
	my $rank = 0;
	for my $case (@at_once) {
		my ($name, $words, $why) = @$case;
		my $to   = $rank++ % RANKS;
		my $s    = call($ring->at($to));
		my $port = port_of($s);
		say_to($s, $words->(($to + 1) % RANKS, $to));
		is(last_words($s, time + DEADLINE), '', "$name: the connection is closed without a word");
		turned_away($port, $why, $name);
	}
};

subtest 'turned away after the challenge' => sub {
	for my $case (@challenged) {
		my ($name, $answer, $why) = @$case;
		my $s     = call($ring->at(2));
		my $port  = port_of($s);
		my $hello = hello($key, 1, 2);
		say_to($s, $hello);
		my $challenge = heard($s, CHALLENGE, time + DEADLINE);
		is(length($challenge // ''), CHALLENGE, "$name: challenged");
		say_to($s, $answer->($hello, $challenge));
		is(last_words($s, time + DEADLINE), '', '... and closed without a verdict');
		turned_away($port, qr/as rank 1: $why/, $name);
	}
};

subtest 'a port scan' => sub {
	my @ports = map {
		my $s = call($ring->at($_));
		port_of($s)
	} 0 .. RANKS - 1;
	turned_away($_, qr/it closed the connection/, 'a call without a word') for @ports;
};

subtest 'those who keep others waiting are closed in time' => sub {
	my @held;
	for my $case (@slow) {
		my ($name, $words, $expect, $why, $more) = @$case;
		my $s = call($ring->at(3));
		say_to($s, $words);
		heard($s, $expect, time + DEADLINE);
		say_to($s, $more // '');
		push @held, [$name, $s, port_of($s), $why];
	}
	my $until = time + DEADLINE;
	for my $held (@held) {
		my ($name, $s, $port, $why) = @$held;
		is(last_words($s, $until), '', "$name: closed") or next;
		turned_away($port, $why, $name);
	}
};

subtest 'the job has not noticed' => sub {
	my $rounds = $ring->rounds;
	ok($ring->connect(1), 'it goes on');
	cmp_ok($ring->rounds, '>', $rounds, 'the number has gone round all the time');
	is_deeply([$ring->descriptors], \@before, 'no descriptor is left open');
};

# Everything about the job's processes and files that others can see.
sub visible
{
	my %seen = ('the output' => $job->out, 'the log' => $job->err);
	for my $pid ($job->pids) {
		my $name = process_name($pid);
		$seen{"$_ of $name"} = FTMPI::Test::Process::slurp("/proc/$pid/$_") for qw(cmdline environ comm);
		$seen{"the programs and files of $name"} =
			join "\n", map { readlink // () } glob "/proc/$pid/{exe,cwd,fd/*}";
	}
	$seen{'file names'} = join "\n", glob "/tmp/{,.}* /dev/shm/* $ring->{dir}/{,*/}* {,.}*";
	$seen{'the work directory'} =
		join "\n", map { FTMPI::Test::Process::slurp($_) } glob "$ring->{dir}/work/*";
	return %seen;
}

subtest 'the secret is nowhere' => sub {
	my %seen   = visible();
	my $secret = $key->{secret};
	my $hex    = unpack 'H*', $secret;
	my $tail   = substr encode_base64($secret, ''), 0, 20;
	my $forms  = join '|', map { quotemeta } substr($secret, 0, 8), substr($hex, 0, 16), $tail;
	is(length $secret, 32, 'the secret is known here');
	is_deeply([grep { $seen{$_} =~ /$forms/i } sort keys %seen], [], 'and not to be seen')
		or diag('looked at ', join "\n", sort keys %seen);
	my $all = join "\n", keys %seen;
	like($all, qr/environ of .*$_/, "looked at $_") for 'agent on here', '/connect_later ', '/ftmpirun ', 'tee ';
};

subtest 'nobody but the ranks listens' => sub {
	my %rank = map { $_ => 1 } $ring->pids;
	my %mine = map { $_ => 1 } $job->pids;
	is(scalar keys %rank, RANKS, 'all ranks are known');
	cmp_ok(scalar keys %mine, '>=', RANKS + 3, 'so are launcher, agent and guard');
	my @listen;
	for my $line (split /\n/, must_run(qw(ss -H -l -n -p -t -u -x))) {
		push @listen, $line if grep { $mine{$_} } $line =~ /pid=(\d+)/g;
	}
	is(scalar(grep { /^tcp/ } @listen), 2 * RANKS, 'two sockets a rank');
	my @others = grep {
		my %name = reverse /\("([^"]*)",pid=(\d+)/g;
		grep { !$rank{$_} && $name{$_} ne 'ftmpi-agent' } keys %name
	} @listen;
	is_deeply(\@others, [], 'and none of others than the ranks and their agent');
};

$ring->end_well('in the end');
done_testing();
