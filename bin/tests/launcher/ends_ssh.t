#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# An ssh that hangs, chatters, lies or asks, and a host that falls silent: one sentence, and nobody
# left. Those that take their time (30 s to an answer, 20 s of silence) run all at once.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use LauncherTest;

my $path = text_file('odd-ssh', <<'EOS');
#!/bin/sh
host=$1
shift
case $host in
silent) exec sleep $LONG;;
deaf) trap "" TERM; sleep $LONG & echo waits >&2; wait; sleep $LONG;;
wrapper) sleep $LONG; exit;;
asks) printf 'Password: '; exec sleep $LONG;;
endless) exec yes garbage;;
liar) printf '\0FTMPI agent 1\nGET / HTTP/1.0 and other things\n'; exec sleep 1000;;
half) printf '\0FTMPI agent 1\n\1\0'; exit;;
terminal) exec 2>&1; read answer </dev/tty; exit 255;;
slow) sleep 1;;
banner) i=0; while [ $i -lt 900 ]; do echo "Welcome to line $i of the banner of this very large machine"; i=$((i+1)); done;
	printf '\0FTMPI agent \0FTMPI agent 2\n\377\376\0FTMPI agent 1';;
relay) cat | sh -c "$*" | cat; exit;;
dribble) sh -c "$*" | dd bs=1 2>/dev/null; exit;;
esac
exec sh -c "$*"
EOS
chmod 0755, $path;
my @run = ($FTMPIRUN, '-ssh', $path);
$ENV{LONG} = 1000;

# Stop the agent of a job over two hosts when it runs: both ranks wait.
sub frozen
{
	my ($host) = @_;
	my $job = begin([ @run, qw(-starved-limit 0 -n 2 -host), "a,$host", 'sh', '-c', 'echo ready; sleep 1000' ]);
	wait_for($job, 'out', qr/(?:ready\n){2}/);
	my @agents = map { /^(\d+):/ } grep { /\(ftmpi-agent\).*agent on $host/ } left_over();
	is(scalar @agents, 1, "the agent on $host is there");
	kill 'STOP', @agents;
	return $job;
}

my $see = qr/; see what this prints: \Q$path\E/;
my @patient = map { [ $_, begin([ @run, '-n', 2, '-host', "a,$_", 'sleep', 60 ]) ] }
	qw(silent deaf wrapper asks);
my %late = (
	silent  => qr/host silent: cannot start: no answer within 30 s$see silent perl -v/,
	deaf    => qr/host deaf: cannot start: no answer within 30 s after 'waits'$see deaf perl -v/,
	wrapper => qr/host wrapper: cannot start: no answer within 30 s$see wrapper perl -v/,
	asks    => qr/host asks: cannot start: no answer within 30 s after 'Password:'$see asks perl -v/,
);
for my $host (qw(b relay)) {
	$late{"frozen $host"} =
		qr/lost the connection to host $host \(no answer for 20 s\); the job is ended\./;
	push @patient, [ "frozen $host", frozen($host) ];
}

for my $bad (
	[ endless  => qr/host endless: cannot start: it prints without end instead of starting/ ],
	[ liar     => qr/host liar: cannot start: a frame of version \d+ instead of 1/ ],
	[ half     => qr/host half: cannot start: it ended in the middle of a message/ ],
	[ terminal => qr{host terminal: cannot start: \S+: \d+: cannot open /dev/tty: No such device or address} ],
	)
{
	my ($host, $sentence) = @$bad;
	my $job = wait_end(begin([ @run, '-n', 2, '-host', "a,$host", 'sleep', 60 ]));
	is($job->{status}, 1, "an ssh of the kind '$host'");
	like($job->{err}, qr/^ftmpirun: $sentence\n\z/, '... one sentence');
}
# Slow as they are, no agent takes ftmpirun for gone.
for my $good (qw(slow banner dribble relay)) {
	my $job = wait_end(begin([ @run, qw(-timeout-heartbeat 5000 -n 2 -host), "a,$good", 'echo', 'x' ]));
	is("$job->{status} $job->{out}$job->{err}", "0 x\nx\n", "an ssh of the kind '$good'");
}

# Ctrl-C does not wait for an ssh that hangs; nor for one that will not go, when it comes twice.
sub of_this { return grep { /sleep 1001/ } left_over() }

for my $case ([ 'silent', 1 ], [ 'wrapper', 1 ], [ 'deaf', 1 ], [ 'deaf', 2 ]) {
	my ($host, $times) = @$case;
	local $ENV{LONG} = 1001;
	my $job = begin([ @run, '-vv', '-n', 2, '-host', "a,$host", 'sleep', 60 ]);
	wait_for($job, 'err', qr/^ftmpirun: session /m);
	ok(eventually(sub { of_this() }, sub { join "\n", left_over() }), 'an ssh hangs');
	kill 'INT', -$job->{pid};
	if ($times > 1) {
		wait_for($job, 'err', qr/SIGINT came; the job is ended/);
		kill 'INT', -$job->{pid};
	}
	wait_end($job);
	is($job->{status}, 130, "Ctrl-C while ssh hangs ($host, $times times)");
	ok(eventually(sub { !of_this() }, sub { join "\n", of_this() }), '... nobody is left of it');
}

for my $wait (@patient) {
	my ($name, $job) = @$wait;
	wait_end($job);
	is($job->{status}, 1, $name);
	like($job->{err}, qr/^ftmpirun: $late{$name}\n\z/, '... one sentence');
}
nobody_left('nobody is left of any of them');

done_testing;
