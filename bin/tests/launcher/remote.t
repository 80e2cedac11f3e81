#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Several hosts, over an ssh that runs the command here: start, table, environment, and what goes
# wrong.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Cwd qw(abs_path);
use Test::More;

use LauncherTest;

my $ssh = fake_ssh();
my @run = ('-ssh', $ssh);
delete $ENV{SSH_CONNECTION};

# What is said of a program that speaks MPI.
my $none = 'the program makes no checkpoints (FTMPI_Perform_Checkpoint), so the job cannot go on;'
	. ' -restart-from-start would begin again; with -image its processes would have been saved.';

my $job = ftmpirun([ @run, qw(-n 6 -host a:2,b,c:3 sh -c),
	'echo $FTMPI_RANK $FTMPI_LOCAL_RANK $FAKE_HOST' ]);
is($job->{status}, 0, 'three hosts') or diag $job->{err};
is(join('', sort split /^/, $job->{out}), "0 0 a\n1 1 a\n2 0 b\n3 0 c\n4 1 c\n5 2 c\n",
	'ranks are where they belong');
is($job->{err}, '', 'without a word');

$job = ftmpirun([ @run, '-vv', qw(-n 3 -host a,localhost,b), $RANK, qw(init table finalize) ]);
is($job->{status}, 0, 'with this machine among them') or diag $job->{err};
my %hosts = map { $_ => 1 } $job->{out} =~ /hosts=(\S+)/g;
is(scalar keys %hosts, 1, 'all have the same table');
like((keys %hosts)[0], qr{^a/[0-9a-f.:]+/0,localhost/[0-9a-f.:]+/1,b/[0-9a-f.:]+/2\z},
	'... by rank, with host numbers');

$job = ftmpirun([ qw(-n 2 -host a,b -x ONLY=here pwd) ], env => { FTMPI_SSH => $ssh },
	dir => scratch());
is($job->{out}, (abs_path(scratch()) . "\n") x 2, 'FTMPI_SSH, and the working directory');
my $argument = q(it's "odd" $HOME `x` \\ ! *);
$job = ftmpirun([ @run, qw(-n 1 -host a printf %s), $argument ]);
is($job->{out}, $argument, 'odd arguments arrive as they are');
$job = ftmpirun([ @run, qw(-n 1 -host a -x), "A=$argument", 'sh', '-c', 'printf %s "$A"' ]);
is($job->{out}, $argument, '... in the environment, too');
$job = ftmpirun([ @run, qw(-n 2 -host chatty,b echo x) ]);
is($job->{out}, "x\nx\n", 'login scripts may print');
SKIP: {
	skip 'no csh here', 1 if !grep { -x "$_/csh" } split /:/, $ENV{PATH};
	is(ftmpirun([ @run, qw(-n 2 -host csh,b echo x) ])->{out}, "x\nx\n",
		'a login shell of another kind');
}
$job = ftmpirun([ @run, qw(-n 2 -host a,b cat) ], stdin => "to rank 0\n");
is($job->{out}, "to rank 0\n", 'input');
nobody_left();

for my $bad (
	[ 'unknown', qr/host unknown: cannot start: ssh: Could not resolve hostname unknown: Name or service not known/ ],
	[ 'refuse',  qr/host refuse: cannot start: Permission denied \(publickey\)\./ ],
	[ 'noperl',  qr/host noperl: cannot start: sh: 1: perl: not found/ ],
	)
{
	my ($host, $sentence) = @$bad;
	$job = ftmpirun([ @run, '-n', 2, '-host', "a,$host", 'sleep', 60 ]);
	is($job->{status}, 1, "a host that does not answer well: $host");
	like($job->{err}, qr/^ftmpirun: $sentence\n\z/, '... one sentence');
	nobody_left('... nobody is left');
}
$job = ftmpirun([ qw(-ssh /no/such/ssh -n 1 -host a true) ]);
like($job->{err},
	qr{^ftmpirun: host a: cannot start: cannot run /no/such/ssh: No such file or directory\n\z},
	'no ssh');
$job = ftmpirun([ qw(-ssh true -n 1 -host a true) ]);
like($job->{err}, qr/^ftmpirun: host a: cannot start: it ended without a word; see what this prints: true a perl -v\n\z/,
	'an ssh that does nothing');
$job = ftmpirun([ @run, qw(-n 2 -host a,b -wdir), '/no such', 'true' ]);
like($job->{err}, qr{^ftmpirun: host [ab]: cannot enter the working directory /no such: No such},
	'no directory');
$job = ftmpirun([ @run, qw(-n 4 -host a:2,b:2), $RANK, qw(init 3:kill:KILL hang) ]);
is($job->{err},
	"ftmpirun: rank 3 on b was killed by signal 9 (Killed); $none\n", 'a rank dies');
nobody_left();

# A connection is cut: the ssh of one host is killed.
for my $case ([ $none, $RANK, qw(init say:ready hang) ],
	[ 'the job is ended.', qw(sh -c), 'echo ready; sleep 1000' ]) {
	my ($end, @program) = @$case;
	my $cut = begin([ $FTMPIRUN, @run, '-n', 2, '-host', 'a,b', @program ]);
	wait_for($cut, 'out', qr/(?:ready\n){2}/);
	my ($agent) = map { /^(\d+):/ } grep { /\(ftmpi-agent\).*agent on b/ } left_over();
	kill 'KILL', $agent;
	wait_end($cut);
	is($cut->{status}, 1, 'an agent is killed');
	is($cut->{err}, "ftmpirun: lost the connection to host b; $end\n",
		'... one sentence');
	nobody_left('... nobody is left on any host');
}
my $cut = begin([ $FTMPIRUN, @run, qw(-n 4 -host a:2,b:2 sh -c), 'echo ready; sleep 1000' ]);
wait_for($cut, 'out', qr/(?:ready\n){4}/);
kill 'INT', $cut->{pid};
is(wait_end($cut)->{status}, 130, 'an interrupt');
nobody_left('... ends ranks on all hosts');

# What is typed at the terminal must not end ssh before the ranks.
my $typed = begin([ $FTMPIRUN, @run, qw(-n 2 -host relay,a sh -c),
	'trap "echo got TERM; exit" TERM; echo ready; while :; do sleep 0.1; done' ]);
wait_for($typed, 'out', qr/(?:ready\n){2}/);
kill 'INT', -$typed->{pid};
is(wait_end($typed)->{status}, 130, 'an interrupt at the terminal');
is($typed->{out}, "ready\nready\ngot TERM\ngot TERM\n", '... reaches ranks as SIGTERM only');
nobody_left();

done_testing;
