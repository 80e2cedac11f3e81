#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# How local jobs end: the status, the one sentence, and nobody left.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Config;
use POSIX ();
use Test::More;

use LauncherTest;

my $host   = qr/\S+/;
my $others = qr/; the other ranks are ended\./;
my $none   = qr/; the program makes no checkpoints \(FTMPI_Perform_Checkpoint\), so the job cannot go on; -restart-from-start would begin again; with -image its processes would have been saved\./;

sub processes
{
	my ($pattern) = @_;
	return map { /^(\d+):/ } grep { $_ =~ $pattern } left_over();
}

sub ends
{
	my ($name, $words, $status, $sentence) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $job = ftmpirun($words);
	is($job->{status}, $status, $name);
	like($job->{err}, defined $sentence ? qr/^ftmpirun: $sentence\n\z/ : qr/^\z/,
		'... ' . (defined $sentence ? 'in one sentence' : 'quietly'));
	return nobody_left('... leaving nobody');
}

ends('MPI_Init and MPI_Finalize', [ '-n', 3, $RANK, qw(init finalize) ], 0);
ends('programs without MPI', [qw(-n 3 true)], 0);
my $login = text_file('login', qq(#!/bin/sh\nshift\n(exec sleep 300 >/dev/null 2>&1 </dev/null &)\nexec setsid -w sh -c "(exec sleep 300 >/dev/null 2>&1 </dev/null &)\n\$*"\n));
chmod 0755, $login;
{
	my $job = ftmpirun([ '-ssh', $login, qw(-n 1 -host a true) ]);
	is("$job->{status} $job->{err}", '0 ', 'a login script that leaves a process in the session of the agent');
	my @left = left_over();
	is(scalar @left, 1, '... which is ended, as others are not that are none of that session') or diag "@left";
	kill 'KILL', map { /^(\d+):/ } @left;
	nobody_left();
}
ends('processes each of which makes the next and ends', [ qw(-n 2), $^X, '-MPOSIX', '-e', 'setpgrp; for (1 .. 20000) { fork and POSIX::_exit(0) } sleep 300' ], 0);
SKIP: {
	my $exit = { x86_64 => 60, aarch64 => 93 }->{ (POSIX::uname())[4] };
	skip 'no threads in this perl, or another machine', 3 if !$exit || !$Config::Config{useithreads};
	ends('a process whose first thread has ended', [ qw(-n 1), $^X, '-Mthreads', '-e',
		"fork and exit; threads->create(sub { sleep 300 }) for 1 .. 3; close STDOUT; close STDERR; syscall($exit, 0)" ], 0);
}
ends('a process with a line end in its name', [ qw(-n 1), $^X, '-e', 'fork && exit; open my $f, ">", "/proc/self/comm"; syswrite $f, "a\nb"; close STDOUT; close STDERR; sleep 300' ], 0);
ends('a status', [ '-n', 3, $RANK, qw(init 2:exit:3 hang) ], 3,
	qr/rank 2 on $host exited with status 3$others/);
ends('a status of a program without MPI',
	[ qw(-n 2 sh -c), 'test $FTMPI_RANK = 0 || exit 3; sleep 600' ], 3,
	qr/rank 1 on $host exited with status 3$others/);
ends('a signal', [ '-n', 3, $RANK, qw(init 1:kill:KILL hang) ], 137,
	qr/rank 1 on $host was killed by signal 9 \(Killed\)$none/);
ends('a signal without restarts', [ qw(-restart-on none -n 3), $RANK, qw(init 1:kill:KILL hang) ], 137,
	qr/rank 1 on $host was killed by signal 9 \(Killed\)$others/);
ends('... and with none', [ qw(-max-restarts 0 -n 3), $RANK, qw(init 1:kill:KILL hang) ], 137,
	qr/rank 1 on $host was killed by signal 9 \(Killed\)$others/);
ends('a crash', [ '-n', 3, $RANK, qw(init 1:kill:SEGV hang) ], 139,
	qr/rank 1 on $host was killed by signal 11 \(Segmentation fault\)$others/);
ends('no MPI_Finalize', [ '-n', 3, $RANK, qw(init 1:exit:0 hang) ], 1,
	qr/rank 1 on $host exited without calling MPI_Finalize; the job is ended\./);
ends('no MPI_Init', [ '-n', 3, $RANK, qw(1:exit:0 init hang) ], 1,
	qr/rank 1 on $host exited with status 0 without calling MPI_Init, while others wait for it$others/);
ends('MPI_Abort', [ '-n', 3, $RANK, qw(init 1:abort:7 1:exit:7 hang) ], 7,
	qr/rank 1 on $host called MPI_Abort with code 7$others/);
ends('MPI_Abort with a code that is no status', [ '-n', 2, $RANK, qw(init 1:abort:512 hang) ], 1,
	qr/rank 1 on $host called MPI_Abort with code 512$others/);
ends('a status after MPI_Finalize', [ '-n', 2, $RANK, qw(init finalize 1:exit:5) ], 5,
	qr/rank 1 on $host exited with status 5 after MPI_Finalize\./);
my $done = scratch() . '/done';
ends('... does not end the others',
	[ '-n', 2, $RANK, 'init', 'finalize', '1:exit:5', 'await:/dev/null', "touch:$done" ], 5,
	qr/rank 1 on $host exited with status 5 after MPI_Finalize\./);
ok(-e $done, '... the other did its work');
ends('a connection that broke', [ '-n', 2, $RANK, qw(init 1:lost:0 hang) ], 1,
	qr/connection between rank 1 on $host and rank 0 on $host broke: Connection reset by peer$none/);
my $dies = scratch() . '/dies';
ends('a connection that broke because a rank died', [ '-n', 2, $RANK,
	'init', "0:touch:$dies", '0:kill:KILL', "1:await:$dies", qw(1:lost:0 hang) ], 137,
	qr/rank 0 on $host was killed by signal 9 \(Killed\)$none/);
ends('rubbish on the control connection', [ '-n', 2, $RANK, qw(init 1:rubbish hang) ], 1,
	qr/rank 1 on $host broke the rules of its control connection \(a frame of version 30840 instead of 1\)$others/);
ends('an unknown message', [ '-n', 2, $RANK, qw(init 1:odd hang) ], 1,
	qr/rank 1 on $host broke the rules of its control connection \(an unexpected message of type 99\)$others/);
ends('a timeout', [ qw(-timeout 0.5 -n 2), $RANK, qw(init hang) ], 124,
	qr/the job did not end within 0\.5 s \(-timeout\); it is ended\./);
ends('a timeout of ranks that ignore SIGTERM', [ qw(-timeout 0.5 -n 2), $RANK, qw(stubborn hang) ],
	124,
	qr/the job did not end within 0\.5 s \(-timeout\); it is ended\./);
ends('a rank that leaves children behind', [ qw(-n 2 sh -c), 'sleep 1000 & exit 0' ], 0);
my $daemon = scratch() . '/daemon';
ends('a rank that leaves a daemon behind, with a session and an environment of its own',
	[ qw(-n 1 sh -c), qq(setsid sh -c 'touch "$daemon"; exec env -i FTMPI_TEST_TAG=\$FTMPI_TEST_TAG sleep 300' &
		while ! test -e "$daemon"; do sleep 0.01; done) ], 0);
ends('... that hold its output in other process groups', [ qw(-n 2 setsid -w sh -c), 'exit 4' ], 4,
	qr/rank \d on $host exited with status 4(?:; the other ranks are ended)?\./);

my $job = ftmpirun([ qw(-n 2 sh -c), '(sleep 1000; echo never) & echo last words; exit 0' ]);
is($job->{out}, "last words\nlast words\n", 'what a rank said is not lost behind its children');
nobody_left();

# Whatever the agent finds when it looks again: a rank's last message counts before its end.
my ($go, $sent) = map { scratch() . "/$_" } qw(go sent);
$job = begin([ $FTMPIRUN, '-n', 1, $RANK, 'init', 'say:ready', "await:$go", 'finalize',
	"touch:$sent",
	'_exit:5' ]);
wait_for($job, 'out', qr/ready/);
my ($agent) = processes(qr/\(ftmpi-agent\)/);
kill 'STOP', $agent;
text_file('go', '');
ok(eventually(sub { -e $sent && !processes(qr{\(rank\)}) }, sub { join "\n", left_over() }),
	'a rank ends while its agent is stopped');
kill 'CONT', $agent;
wait_end($job);
is($job->{err} =~ s/ on \S+//r, "ftmpirun: rank 0 exited with status 5 after MPI_Finalize.\n",
	'... the agent sees both');

# The launcher, the agent and the guard may all be killed.
for my $who ('the launcher', 'the agent') {
	for my $case ([ $none, $RANK, qw(init say:ready stubborn hang) ],
		[ qr/; the job is ended\./, 'sh', '-c', 'trap "" TERM; echo ready; sleep 1000' ]) {
		my ($end, @program) = @$case;
		my $job = begin([ $FTMPIRUN, '-n', 3, @program ]);
		wait_for($job, 'out', qr/(?:ready\n){3}/);
		my @pids = $who eq 'the launcher' ? $job->{pid} : processes(qr/\(ftmpi-agent\).*agent on /);
		is(scalar @pids, 1, "$who is there");
		kill 'KILL', @pids;
		wait_end($job);
		nobody_left("$who is killed: nobody is left");
		next if $who ne 'the agent';
		is($job->{status}, 1, '... status');
		like($job->{err},
			qr/^ftmpirun: lost the connection to host $host$end\n\z/,
			'... one sentence');
	}
}

done_testing;
