#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Whole jobs that begin again, with ranks that do what their words say, over an ssh that runs the command
# here.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use LauncherTest;

my $ssh = fake_ssh();
my @rank = ($^X, $RANK);
delete $ENV{SSH_CONNECTION};

sub job
{
	my ($options, @words) = @_;
	return ftmpirun([ '-ssh', $ssh, @$options, @rank, @words ]);
}

# What was told, in lines, without times.
sub told
{
	my ($job) = @_;
	(my $err = $job->{err}) =~ s/\d+ ms/N ms/g;
	return [ split /^/, $err ];
}

# Words for n ranks: in the first epoch `rank` goes on when all others have come here.
my $meetings = 0;

sub meet
{
	my ($rank, $n) = @_;
	my $place = scratch() . '/met' . $meetings++;
	my @others = grep { $_ != $rank } 0 .. $n - 1;
	return ((map { "$_:\@0:touch:$place-$_" } @others), map { "$rank:\@0:await:$place-$_" } @others);
}

my $by9   = 'was killed by signal 9 (Killed)';
my $first = 'restart 1 of 3 from the beginning';
my $again = "ftmpirun: all 4 ranks run again, N ms after the failure was noticed.\n";

# In place, and in a new process for the one that died.
my $job = job([qw(-n 4 -host a:2,b:2)], qw(join facts), meet(2, 4), qw(2:@0:kill:KILL @0:obey finalize));
is($job->{status}, 0, 'a job that lost a rank ends well') or diag $job->{err};
is_deeply(told($job), [ "ftmpirun: rank 2 on b $by9; $first.\n", $again ], '... with two sentences');
my %pids;
push @{ $pids{$2} }, "$1:$3" while $job->{out} =~ /^epoch=(\d) pid=(\d+) local=(\d\/\d) .*$/mg;
is(scalar keys %pids, 5, '... three ranks are the same process, one is another') or diag $job->{out};
like($job->{out}, qr/^epoch=1 .* restarts=1$/m, '... and knows that it is the second time');
nobody_left();

# Through a wrapper: all are started anew.
$job = ftmpirun([ '-ssh', $ssh, qw(-n 2 -host a:2 sh -c), '"$@"; exit $?', 'sh', @rank,
	qw(join facts), meet(1, 2), qw(1:@0:kill:KILL @0:hang finalize) ]);
is($job->{status}, 0, 'through a shell that stays') or diag $job->{err};
%pids = map { $_ => 1 } $job->{out} =~ /pid=(\d+)/g;
is(scalar keys %pids, 4, '... all are other processes');

# Where it goes on.
$job = job([qw(-n 2)], qw(join 0:@0:line:7), '0:@0:touch:' . scratch() . '/line', '1:@0:await:' . scratch() . '/line',
	qw(1:@0:kill:KILL @0:obey 0:@1:restored:7 finalize));
is($job->{status}, 0, 'a job with a line') or diag $job->{err};
is_deeply(told($job), [
	"ftmpirun: rank 1 on $job->{host} $by9; restart 1 of 3 from line 7.\n",
	"ftmpirun: all 2 ranks run again, N ms after the failure was noticed (line 7).\n" ],
	'... begins again from there') if ($job->{host}) = $job->{err} =~ /rank 1 on (\S+)/;

# A line that was told before the failure counts, whichever the agent hears of first.
my @order = map { scratch() . "/order-$_" } qw(stopped told);
$job = job([qw(-n 2)], qw(join 1:@0:stopagent), "1:\@0:touch:$order[0]", "0:\@0:await:$order[0]", '0:@0:line:8',
	"0:\@0:touch:$order[1]", "1:\@0:await:$order[1]", qw(1:@0:kill:KILL @0:obey 0:@1:restored:8 finalize));
is($job->{status}, 0, 'a line and a failure at the same time') or diag $job->{err};
like($job->{err}, qr/; restart 1 of 3 from line 8\.$/m, '... begins again from that line');

# The last words, without why there was no line.
my $mark = scratch() . '/spoken';
$job = ftmpirun([ qw(-n 2 -max-restarts 1), $^X, '-e', <<'EOS', $mark, @rank, qw(join 1:@0:kill:KILL 1:@1:kill:TERM hang) ]);
my $mark = shift;
my $no_line = "rank 1 on x: line 1 is not made: y\nrank 1 on x: FTMPI_Perform_Checkpoint: no line is made: z\n";
print STDERR mkdir($mark) ? "first\nsecond\n\e[31mthird\nfourth\n$no_line" : "rank 0 on x: line 1 is not made: y\nfifth\n" if $ENV{FTMPI_RANK};
exec @ARGV;
EOS
is($job->{status}, 143, 'a job that fails again and again ends with the last failure') or diag $job->{err};
my ($host) = $job->{err} =~ /^ftmpirun: rank 1 on (\S+)/m;
is_deeply([ grep { /^ftmpirun: rank/ } @{ told($job) } ], [
	qq(ftmpirun: rank 1 on $host $by9; its last words: "second / [31mthird / fourth"; restart 1 of 1 from the)
		. " beginning.\n",
	qq(ftmpirun: rank 1 on $host was killed by signal 15 (Terminated); its last words: "rank 0 on x: line 1 is not made: y / fifth"; 1 restart)
		. " (-max-restarts) brought no new recovery line, so the job is ended.\n" ], '... and tells the last words of each');
nobody_left();

# -restart-on.
for my $case ([ 'failure', 139, qw(kill:SEGV) ], [ 'crash', 0, qw(kill:SEGV) ], [ 'crash', 3, qw(exit:3) ],
	[ 'any', 0, qw(exit:3) ], [ 'any', 0, qw(abort:5 exit:5) ], [ 'none', 137, qw(kill:KILL) ]) {
	my ($on, $status, @how) = @$case;
	$job = job([ qw(-n 2 -restart-on), $on ], 'join', (map { '1:@0:' . $_ } @how), qw(@0:obey finalize));
	is($job->{status}, $status, "-restart-on $on, @how") or diag $job->{err};
}

# A program without checkpoints.
my @plain = ('start', 'program:0', 'inited', '1:@0:kill:KILL', '@0:obey', 'finalize');
$job = job([qw(-n 2)], @plain);
is($job->{status}, 137, 'a program without checkpoints is ended');
like($job->{err}, qr/^ftmpirun: rank 1 on \S+ \Q$by9\E; the program makes no checkpoints \(FTMPI_Perform_Checkpoint\), so the job cannot go on; -restart-from-start would begin again; with -image its processes would have been saved\.\n\z/,
	'... in one sentence');
is(job([qw(-n 2 -restart-from-start)], @plain)->{status}, 0, '... or begins again with -restart-from-start');

# A rank that shows no life.
$job = job([qw(-n 4 -host a:2,b:2)], qw(join 2:@0:stop 0:@0:suspect:2 3:@0:suspect:2 @0:obey finalize));
is($job->{status}, 0, 'a rank that is stopped') or diag $job->{err};
is_deeply(told($job), [ "ftmpirun: rank 2 on b showed no life for N ms (stopped or hung) and was killed; $first.\n", $again ],
	'... is killed, and all begin again');
nobody_left();
$job = job([qw(-n 2 -debug)], 'join', '0:suspect:1', 'finalize');
is($job->{status} . $job->{err}, '0', '-debug: nothing is done about it');

# A host is lost: to a spare, packed, with a spare that is not there.
for my $case ([ 'a:2,b:2,c:2', 'c', 'ranks 2-3 go to c' ], [ 'a:2,b:2', 'a', 'ranks 2-3 go to a' ],
	[ 'a:2,b:2,c,d', 'c d', 'rank 2 goes to c; rank 3 goes to d' ],
	[ 'a:2,b:2,refuse:2,d:2', 'd', 'ranks 2-3 go to refuse' ]) {
	my ($hosts, $new, $moved) = @$case;
	$job = begin([ $FTMPIRUN, '-ssh', $ssh, qw(-n 4 -host), $hosts, @rank,
		qw(join say:ready @0:obey facts finalize) ]);
	wait_for($job, 'out', qr/(?:ready\n){4}/);
	my ($agent) = map { /^(\d+):/ } grep { /\(ftmpi-agent\).*agent on b/ } left_over();
	kill 'KILL', $agent;
	wait_end($job);
	is($job->{status}, 0, "a host of $hosts is lost") or diag $job->{err};
	my $told = told($job);
	is(shift @$told, "ftmpirun: lost the connection to host b; $moved; $first.\n", '... it is said where its ranks go');
	is(shift @$told, "ftmpirun: host refuse: cannot start: Permission denied (publickey).; ranks 2-3 go to d.\n",
		'... also when there is nobody') if $hosts =~ /refuse/;
	is_deeply($told, [$again], '... and that all run again');
	nobody_left('... nobody is left');
}

# The last host is tried once more.
$job = begin([ $FTMPIRUN, qw(-n 2), @rank, qw(join say:ready @0:obey facts finalize) ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
my ($agent) = map { /^(\d+):/ } grep { /\(ftmpi-agent\)/ } left_over();
kill 'KILL', $agent;
wait_end($job);
is($job->{status}, 0, 'the only agent is killed: another one is started') or diag $job->{err};
nobody_left();

# Standard input is read again from the beginning.
my $input = join '', map { "line $_\n" } 1 .. 100_000;
$job = ftmpirun([ qw(-n 2), @rank, qw(join 1:@0:hang 0:input 0:@0:kill:KILL finalize) ], stdin => $input);
is($job->{status}, 0, 'rank 0 is killed after it read its input') or diag $job->{err};
is($job->{out}, "input=$input;\n" x 2, '... and reads all of it again');

# An interrupt while it begins again: agents that are slow to come do not matter.
my $slow = text_file('slow ssh', "#!/bin/sh\nhost=\$1; shift\ntest \$host != c || exec sleep 300\nexec sh -c \"\$*\"\n");
chmod 0755, $slow;
$job = begin([ $FTMPIRUN, '-ssh', "'$slow'", qw(-n 4 -host a:2,b:2,c:2), @rank, qw(join say:ready @0:obey finalize) ]);
wait_for($job, 'out', qr/(?:ready\n){4}/);
($agent) = map { /^(\d+):/ } grep { /\(ftmpi-agent\).*agent on b/ } left_over();
kill 'KILL', $agent;
wait_for($job, 'err', qr/ranks 2-3 go to c/);
kill 'INT', $job->{pid};
is(wait_end($job)->{status}, 130, 'an interrupt while a job begins again');
nobody_left();

# The launcher is killed: nobody is left on any host.
$job = begin([ $FTMPIRUN, '-ssh', $ssh, qw(-n 6 -host a:2,b:2,c:2), @rank, qw(join say:ready stubborn hang) ]);
wait_for($job, 'out', qr/(?:ready\n){6}/);
kill 'KILL', $job->{pid};
wait_end($job);
nobody_left('the launcher is killed: nobody is left on three hosts');

done_testing;
