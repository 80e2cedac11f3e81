#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Whole jobs under message logging, with ranks that do what their words say and a real keeper: who dies begins again
# alone, and nothing is left of it.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use IO::Socket::INET ();
use Test::More;

use LauncherTest;

my $ssh = fake_ssh();
my @rank = ($^X, $RANK);
my @msglog = ('-coord', 'msglog', '-workdir', scratch() . '/runs');
delete $ENV{SSH_CONNECTION};

sub job
{
	my ($options, @words) = @_;
	return ftmpirun([ '-ssh', $ssh, @msglog, @$options, @rank, @words ]);
}

sub started
{
	my ($options, @words) = @_;
	return begin([ $FTMPIRUN, '-ssh', $ssh, @msglog, @$options, @rank, @words ]);
}

sub told { my ($job) = @_; return [ split /^/, $job->{err} =~ s/\d+ ms/N ms/gr ] }

# What `facts` tells: settings by epoch and process, in the order in which they came.
sub settings { my ($job) = @_; return $job->{out} =~ /^epoch=0 .* settings=(.*)$/mg }

sub folders { my @found = glob scratch() . '/runs/*'; return @found }

sub nothing_left
{
	my ($name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	nobody_left("$name: nobody is left");
	return ok(eventually(sub { !folders() }, sub { join "\n", folders() }), '... and no file');
}

# The process of the keeper, once there is one that is not `before`.
sub keeper
{
	my ($before) = @_;
	my $pid;
	eventually(sub {
		($pid) = grep { $_ ne ($before // '') } map { /^(\d+): \(ftmpi-keeper\)/ } left_over();
		return $pid;
	}, sub { join "\n", left_over() });
	return $pid;
}

my $by9   = 'was killed by signal 9 (Killed)';
my $alone = 'it begins again alone';

# One rank. What its process before has printed is not printed again, whatever it is now.
my $job = job([qw(-n 4 -host a:2,b:2)], qw(join 2:+0:kill:KILL facts end));
is($job->{status}, 0, 'a job that lost a rank ends well') or diag $job->{err};
is_deeply(told($job), ["ftmpirun: rank 2 on b $by9; $alone (restart 1 of 3).\n"], '... with one sentence');
my @settings = settings($job);
is(scalar @settings, 4, '... nobody else begins again') or diag $job->{out};
is(scalar(grep { /\bcoord=msglog\b.* keeper=\d+\.\d+\.\d+\.\d+:\d+/ } @settings), 4, '... all know the keeper');
is_deeply([ map { /incarnations=(\S+)/ ? $1 : () } @settings ], ['0,0,1,0'], '... and the one that came back what it is');
nothing_left('a rank was killed');
$job = job([qw(-n 2)], qw(join facts end));
is_deeply([ map { / keeper=127\.0\.0\.1:\d+/ ? 'near' : $_ } settings($job) ], [ 'near', 'near' ], 'on this machine alone the keeper needs no network');

# Several, and again.
$job = job([qw(-n 4)], qw(join 1:+0:kill:KILL 2:+0:kill:KILL 3:+0:kill:KILL 3:+1:kill:KILL end say:end));
is($job->{status}, 0, 'all but one are killed, and one of them again') or diag $job->{err};
is(scalar(grep { /; \Q$alone\E \(restart [12] of 3\)\.$/ } @{ told($job) }), 4, '... each begins again');
is($job->{out}, "end\n" x 4, '... and all end');
$job = job([qw(-n 2 -max-restarts 2)], qw(join 1:kill:KILL end));
is($job->{status}, 137, 'a rank that fails again and again ends the job');
like($job->{err}, qr/^ftmpirun: rank 1 on \S+ \Q$by9\E; after its 2 restarts without a new checkpoint \(-max-restarts\) the job is ended\.$/m, '... after its restarts');
nothing_left('a rank that fails again and again');

# In MPI_Finalize, and after it.
my $here = scratch() . '/here';
$job = job([qw(-n 3)], 'join', '1:+0:ending', '1:+0:kill:KILL', "1:touch:$here", "0:await:$here", qw(end say:end));
is($job->{status}, 0, 'one that dies in MPI_Finalize') or diag $job->{err};
is($job->{out}, "end\n" x 3, '... is waited for');
$job = job([qw(-n 3)], qw(join end 1:kill:KILL say:end));
is($job->{status}, 137, 'one that dies behind it');
like($job->{err}, qr/\Aftmpirun: rank 1 on \S+ \Q$by9\E after MPI_Finalize\.\n\z/, '... has failed late');

# A line that was begun by one process and is ended by the next.
$job = job([qw(-n 2 -tag-output)], ('join', 'raw:step ', '1:+0:kill:KILL', "raw:9 done\n", 'end'));
is($job->{out}, join('', map { "[$_] step 9 done\n" } $job->{out} =~ /^\[([01])\]/mg), 'a line that was cut by a death is whole') or diag $job->{err};

# Standard input.
my $input = join '', map { "line $_\n" } 1 .. 100_000;
$job = ftmpirun([ @msglog, qw(-n 2), @rank, qw(join 0:input 0:+0:kill:KILL end) ], stdin => $input);
is($job->{status}, 0, 'rank 0 is killed after it read its input') or diag $job->{err};
is($job->{out}, "input=$input;\n", '... and reads all of it again, and prints it once');
$job = ftmpirun([ @msglog, qw(-n 2), @rank, qw(join 0:take:7 0:+0:kill:KILL 0:+1:input end) ], stdin => $input);
is($job->{out}, "took=line 1\n;\n" . 'input=' . substr($input, 7) . ";\n", '... also when it had read a part');

# A rank that is stopped, and one that aborts.
$job = job([qw(-n 2 -timeout-heartbeat 300)], qw(join 1:+0:stop end));
is($job->{status}, 0, 'a rank that is stopped') or diag $job->{err};
is_deeply([ map { s/ on \S+ showed/ showed/r } @{ told($job) } ],
	["ftmpirun: rank 1 showed no life for N ms (stopped or hung) and was killed; $alone (restart 1 of 3).\n"], '... is killed, and begins again');
$job = job([qw(-n 2)], qw(join 1:abort:5 1:exit:5 end));
is($job->{status}, 5, 'MPI_Abort ends the job');
$job = job([qw(-n 2 -restart-on any)], qw(join 1:+0:abort:5 1:+0:exit:5 end));
is($job->{status}, 0, '... but with -restart-on any') or diag $job->{err};
is_deeply([ map { s/ on \S+ / /r } @{ told($job) } ], ["ftmpirun: rank 1 called MPI_Abort with code 5; $alone (restart 1 of 3).\n"],
	'... where the end of its process is no other failure');
nothing_left('ranks that end otherwise');

# A host: its ranks go to another one, and print the rest of what they print.
for my $case ([ b => 'ranks 2-3', qw(2:+0:hang 3:+0:hang) ], [ a => 'ranks 0-1', qw(0:take:7 0:+0:hang 1:+0:hang 0:+1:input) ]) {
	my ($host, $ranks, @words) = @$case;
	my $reads = grep { /^0:/ } @words;
	$job = begin([ $FTMPIRUN, '-ssh', $ssh, @msglog, qw(-n 4 -host a:2,b:2,c:2), @rank, qw(join say:before), @words, qw(say:after end) ],
		env => { RANK_TELLS_MOVES => 1 }, $reads ? (stdin => $input) : ());
	wait_for($job, 'out', qr/(?:before\n.*){4}/s);
	my ($agent) = map { /^(\d+):/ } grep { /\(ftmpi-agent\).*agent on $host/ } left_over();
	kill 'KILL', $agent;
	is(wait_end($job)->{status}, 0, "a host that is lost with $ranks") or diag $job->{err};
	is_deeply(told($job), ["ftmpirun: lost the connection to host $host; $ranks go to c, and begin again alone (restart 1 of 3).\n"], '... is told of');
	is_deeply([ map { scalar(() = $job->{out} =~ /^$_$/mg) } qw(before after) ], [ 4, 4 ], '... each line is printed once') or diag $job->{out};
	my ($from, $to) = $ranks =~ /(\d)-(\d)/;
	my @moved = sort $job->{out} =~ /^(moved=.*) to=\d+(?:\.\d+){3}$/mg;
	is_deeply(\@moved, [ map { ("moved=0 $_ 1") x 2 } $from, $to ], '... and the others are told where they are');
	nothing_left("a host that is lost with $ranks");
}

# The keeper.
my $go = scratch() . '/go';
$job = started([qw(-vv -n 2)], qw(join facts), "await:$go", 'end');
wait_for($job, 'out', qr/(?:.*settings=.*\n){2}/);
my ($at) = map { / keeper=(\S+)/ } settings($job);
my @files = map { s{.*/}{}r } glob scratch() . '/runs/keeper-*/*';
is("@files", 'lock rank-00000.events rank-00001.events', 'the keeper has its files in the work directory');
my $pid = keeper();
for my $n (1 .. 3) {
	kill 'KILL', $pid;
	my $next = keeper($pid);
	isnt($next // $pid, $pid, "a keeper that is killed is followed by another: $n");
	wait_for($job, 'err', qr/^ftmpirun: the keeper is process $next, and listens at \Q$at\E$/m);
	ok(eventually(sub { IO::Socket::INET->new(PeerAddr => $at, Timeout => 1) }, sub { "nobody is at $at" }), '... at the same address');
	$pid = $next;
}
text_file('go', '');
is(wait_end($job)->{status}, 0, '... and the job goes on') or diag $job->{err};
is(scalar(grep { /^ftmpirun: the keeper \Q$by9\E; it is started again\.$/ } @{ told($job) }), 3, '... with a sentence for each');
nothing_left('the keeper was killed');

$job = ftmpirun([ @msglog, qw(-n 2), @rank, qw(join say:ran end) ], env => { FTMPI_LIBDIR => scratch() . '/lib' });
is("$job->{status} $job->{out}", '1 ', 'without a keeper no rank runs');
like($job->{err}, qr{\Aftmpirun: the keeper of the job \(-coord msglog\) cannot be started: cannot run \S+/lib/\.\./bin/ftmpi-keeper: No such file or directory\n\z}, '... and it is said why');

# Ends from outside.
for my $case ([ 'KILL', 137 ], [ 'INT', 130 ]) {
	my ($signal, $status) = @$case;
	$job = started([qw(-n 4 -host a:2,b:2)], qw(join say:ready hang));
	wait_for($job, 'out', qr/(?:ready\n){4}/);
	ok(keeper() && folders(), 'a job with a keeper');
	kill $signal, $job->{pid};
	is(wait_end($job)->{status}, $status, "SIG$signal to ftmpirun");
	nothing_left("SIG$signal");
}

done_testing;
