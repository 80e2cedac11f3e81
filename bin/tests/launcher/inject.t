#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Whole jobs with -inject: agents bring the failures about, and the launcher says so. The ranks do what their words say, over an ssh that
# runs the command here.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use LauncherTest;

my $ssh = fake_ssh();
delete $ENV{SSH_CONNECTION};

sub words { my ($options, @words) = @_; return [ '-ssh', $ssh, @$options, $^X, $RANK, @words ] }
sub job   { return ftmpirun(words(@_)) }

# What was told, in lines, without times.
sub told
{
	my ($job) = @_;
	(my $err = $job->{err}) =~ s/\d+ ms/N ms/g;
	return [ split /^/, $err ];
}

sub state_of { my ($pid) = @_; open my $file, '<', "/proc/$pid/stat" or return ''; return (<$file> // '') =~ /^.*\) (\S) /s ? $1 : '' }

my $again = "ftmpirun: all 4 ranks run again, N ms after the failure was noticed.\n";

# A kill, of the rank and of what it started.
my $job = job([qw(-n 4 -host a:2,b:2 -inject kill:2@0)], qw(2:child join 2:@0:hang @0:obey finalize));
is($job->{status}, 0, 'a rank is killed') or diag $job->{err};
is_deeply(told($job), [ "ftmpirun: injected: rank 2 on b is killed (kill:2\@0)\n",
	"ftmpirun: rank 2 on b was killed by signal 9 (Killed); restart 1 of 3 from the beginning.\n", $again ], '... which is said, and then what came of it');
nobody_left();

# A stop without an end that matters; nobody notices it without heartbeats.
$job = begin([ $FTMPIRUN, @{ words([qw(-n 2 -heartbeat 0 -inject stop:1@0+1h)], qw(join facts 1:hang hang)) } ]);
wait_for($job, 'out', qr/pid=\d+ local=1/);
wait_for($job, 'err', qr/^ftmpirun: injected: rank 1 on \S+ is stopped for 1 h \(stop:1\@0\+1h\)$/m);
my ($pid) = $job->{out} =~ /pid=(\d+) local=1/;
ok(eventually(sub { state_of($pid) eq 'T' }, sub { "state " . state_of($pid) }), 'a rank is stopped');
kill 'INT', $job->{pid};
is(wait_end($job)->{status}, 130, '... and ended with all others');
nobody_left();

# It goes on: the file comes when it was stopped.
my $file = scratch() . '/stopped';
$job = begin([ $FTMPIRUN, @{ words([qw(-n 2 -heartbeat 0 -inject stop:1@0+100ms)], 'join', "await:$file", 'finalize') } ]);
wait_for($job, 'err', qr/is stopped for 0\.1 s/);
text_file('stopped', '');
is(wait_end($job)->{status}, 0, 'a rank that was stopped goes on') or diag $job->{err};
unlike($job->{err}, qr/restart/, '... and nobody begins again');

# A stop that is too long.
$job = job([qw(-n 4 -host a:2,b:2 -inject stop:3@0+1h)], qw(join 3:@0:hang @0:obey finalize));
is($job->{status}, 0, 'a rank that is stopped for too long') or diag $job->{err};
is_deeply(told($job), [ "ftmpirun: injected: rank 3 on b is stopped for 1 h (stop:3\@0+1h)\n",
	"ftmpirun: rank 3 on b showed no life for N ms (stopped or hung) and was killed; restart 1 of 3 from the beginning.\n", $again ], '... is killed, and all begin again');
nobody_left();

# A host without power: nothing is heard of it, not even an end.
$job = job([qw(-n 4 -host a:2,b:2 -inject host:b@0)], qw(2:child join 2:@0:hang 3:@0:hang @0:obey finalize));
is($job->{status}, 0, 'a host is lost') or diag $job->{err};
my $told = told($job);
is($told->[0], "ftmpirun: injected: host b is lost, with ranks 2-3 (host:b\@0)\n", '... as is said');
like($told->[1], qr/^ftmpirun: lost the connection to host b \(no answer for \S+ s\); ranks 2-3 go to a; restart 1 of 3 from the beginning\.$/, '... and noticed by its silence');
is($told->[2], $again, '... and done without');
nobody_left();

# This machine, where ftmpirun stays.
$job = job([qw(-n 4 -host localhost:2,b:2 -inject host:localhost@0)], qw(0:child join 0:@0:hang 1:@0:hang @0:obey finalize));
is($job->{status}, 0, 'the host of ftmpirun is lost') or diag $job->{err};
$told = told($job);
is($told->[0], "ftmpirun: injected: host localhost is lost, with ranks 0-1 (host:localhost\@0)\n", '... as is said');
like($told->[1], qr/^ftmpirun: lost the connection to host localhost\b.*; ranks 0-1 go to b; restart 1 of 3 from the beginning\.$/, '... and noticed');
nobody_left();

# What ranks are told of a full disk, also when they begin again.
$job = job([qw(-n 2 -inject diskfull@0)], qw(join fault 1:@0:kill:KILL @0:obey finalize));
is($job->{status}, 0, 'a full disk') or diag $job->{err};
is_deeply([ sort split /^/, $job->{out} ], [ map { ("fault=$_ 1 0 4294967295\n") x 2 } 0, 1 ], '... is told to all ranks, and again in the next epoch');

# ... and of a cut.
$job = job([qw(-n 3 -host a,b,c -inject cut:2-0@0+1500ms)], qw(join 0:fault 2:fault finalize));
is($job->{status}, 0, 'a cut') or diag $job->{err};
is_deeply([ sort split /^/, $job->{out} ], [ "fault=0 2 0 1500\n", "fault=0 2 2 1500\n" ], '... is told to both ranks');
is($job->{err}, "ftmpirun: injected: the connection between ranks 2 and 0 is cut for 1.5 s (cut:2-0\@0+1500ms)\n", '... and said');

# Nothing is left to fail.
$job = job([qw(-n 2 -inject kill:1@1h,corrupt:0@last)], qw(join finalize));
is($job->{status}, 0, 'failures that do not come') or diag $job->{err};
is($job->{err}, "ftmpirun: not injected, as the job was over before: kill:1\@1h\n"
		. "ftmpirun: not injected, as there was no restart with a recovery line: corrupt:0\@last\n", '... are said at the end');

# At random, until there is no restart left.
$job = job([qw(-n 2 -inject-random 10/s,42 -max-restarts 2)], qw(join @0:obey @1:obey hang));
is($job->{status}, 137, 'at random') or diag $job->{err};
like($job->{err}, qr/^ftmpirun: injected: rank [01] on \S+ is killed \(-inject-random 10\/s,42, at \d+\.\d{3} s\)$/m, '... as is said');
nobody_left();

# What cannot be meant is refused before anything starts.
my $started = scratch() . '/started';
for my $case (
	[ 'kill:2@1s', q(-inject, failure 1, 'kill:2@1s': there is no rank 2: the job has ranks 0 to 1) ],
	[ 'kill:1@1s, host:c@1s', q(-inject, failure 2, 'host:c@1s': the job has no host of that name, but a, b) ],
	[ 'stop:1@1s', q(-inject, failure 1, 'stop:1@1s': it does not say for how long; write it as stop:1@3s+2s) ],
	)
{
	my ($list, $why) = @$case;
	$job = ftmpirun([ '-ssh', $ssh, qw(-n 2 -host a,b -inject), $list, 'touch', $started ]);
	is($job->{status}, 2, "$list is refused");
	is($job->{err}, "ftmpirun: $why; try ftmpirun -help\n", '... with a sentence');
}
ok(!-e $started, '... and nothing is started');

done_testing();
