#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Whole jobs under message logging of ranks that make checkpoints of their data, as their words say: from where one that begins again
# goes on, and from where a job does. A real keeper.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/../../lib", "$FindBin::RealBin/lib";
use Test::More;

use FTMPI::Test::File qw(write_file);
use LauncherTest;

my $ssh  = fake_ssh();
my $work = scratch() . '/runs';
delete $ENV{SSH_CONNECTION};
my @data = (qw(-coord msglog -workdir), $work, '-ssh', $ssh);

sub words { my (@words) = @_; return ($^X, $RANK, 'start', @words) }

sub job { my ($options, @words) = @_; return ftmpirun([ @data, @$options, words(@words) ], stdin => 'some words') }

sub left { return map { s{.*/}{}r } glob "$work/*" }

sub nothing_left
{
	my ($name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	nobody_left("$name: nobody is left");
	return ok(eventually(sub { !left() }, sub { join ' ', left() }), '... and no file');
}

my @join = qw(program:1 inited);
my $by9  = 'was killed by signal 9 (Killed)';

# A checkpoint in words. (`save` prints what the rank is told, in the process that makes it and in the one that restores it.)
sub makes { my ($n) = @_; return ("stands:$n", 'save', 'saved:1') }

# A rank goes on from its checkpoint.
my $job = job([qw(-vv -n 2 -ckpt-interval 60)], @join, 'raw:beginning ', '1:+0:raw:lost ', (map { "1:+0:$_" } makes(1)), '1:raw:middle ', '1:+0:kill:KILL',
	(map { "1:+1:$_" } 'restored:1', 'stands:1', 'save'), '1:raw:end', 'facts', 'image', 'end');
is($job->{status}, 0, 'a rank goes on from its data') or diag $job->{err};
like($job->{err}, qr/^ftmpirun: $_$/m, '... which is told with -v')
	for 'checkpoint 1 of rank 1 is committed', 'rank 1 goes on from its checkpoint 1(?: \(.* was noticed\))?';
like($job->{err}, qr/^ftmpirun: rank 1 on \S+ \Q$by9\E; it begins again alone \(restart 1 of 3\)\.$/m, '... with one sentence');
unlike($job->{err}, qr/goes on from its checkpoint.*goes on from its checkpoint/s, '... once');
like($job->{out}, qr/ settings=.*\bckpt-interval=60000\b/, 'ranks know the interval');
unlike($job->{out}, qr/image=1|printed=/, '... and that there are no images');
nothing_left('a rank that goes on');

# Exactly once, whatever lies in the pipe.
$job = job([qw(-n 1)], @join, 'raw:beginning ', '+0:raw:lost ', (map { "+0:$_" } makes(1)), '+0:raw:middle ', '+0:kill:KILL',
	'+1:restored:1', '+1:stands:1', '+1:save', '+1:raw:middle ', '+1:raw:end', 'end');
is($job->{out}, "beginning lost save=0 1 1\nmiddle end", 'what it prints comes once') or diag $job->{err};
is($job->{status}, 0, '... and the job ends well');
nothing_left('what it prints');

# Input, from the beginning, also before MPI_Init.
$job = job([qw(-n 2)], '0:+1:take:5', @join, '0:+0:take:5', (map { "0:+0:$_" } makes(1)), qw(0:+0:take:3 0:+0:kill:KILL), (map { "0:+1:$_" } 'restored:1', 'stands:1', 'save', 'take:3', 'input'), 'end');
is($job->{status}, 0, 'rank 0 goes on from its data') or diag $job->{err};
is($job->{out}, "took=some ;\nsave=0 1 1\ntook=wor;\ninput=ds;\n", '... with its input from the beginning');
unlike($job->{err}, qr/not known/, '... without a word');

# A host: what was printed there, and at the checkpoint, is known elsewhere.
my $there = scratch() . '/there';
$job = begin([ $FTMPIRUN, @data, qw(-vv -n 2 -host a:1,b:1,c:1), words(@join, '1:raw:one' . "\n", (map { "1:+0:$_" } 'raw:two' . "\n", makes(1)), '1:+0:say:ready', '1:+0:hang',
	'1:restored:1', '1:stands:1', '1:save', '1:say:ready', '1:say:three', "1:touch:$there", "0:await:$there", 'end') ]);
wait_for($job, 'out', qr/^ready$/m);
my ($agent) = map { /^(\d+):/ } grep { /\(ftmpi-agent\).*agent on b/ } left_over();
kill 'KILL', $agent // die "no agent on b\n";
is(wait_end($job)->{status}, 0, 'a host is lost') or diag $job->{err};
is($job->{out}, "one\ntwo\nsave=0 1 1\nready\nsave=0 1 1\nready\nthree\n", '... and its rank prints again elsewhere what it had printed behind its checkpoint') or diag $job->{err};
nothing_left('a host is lost');

# SIGUSR2.
my $go = scratch() . '/go';
$job = begin([ $FTMPIRUN, @data, qw(-n 1), words(@join, 'say:ready', "await:$go", 'end') ]);
wait_for($job, 'out', qr/ready/);
kill 'USR2', $job->{pid};
wait_for($job, 'err', qr/^ftmpirun: SIGUSR2 has no effect without -image: the program says itself when its ranks make checkpoints \(FTMPI_Perform_Checkpoint\)\.$/m);
write_file($go, '');
is(wait_end($job)->{status}, 0, 'SIGUSR2 does nothing') or diag $job->{err};

# ---- -restore ----

# The session of the job, which has a record, and the rank's checkpoint, as the library would have made it.
sub session { my ($job) = @_; return $job->{err} =~ /^ftmpirun: session (\S+):/m }

sub saves
{
	my ($session, $rank) = @_;
	my $folder = sprintf '%s/%s/rank-%05d', $work, $session, $rank;
	mkdir $folder;
	write_file("$folder/ckpt-00000001.i0000", '');
	return;
}

unlink $go;
my @words = words(@join, 'raw:beginning ', qw(0:+0:stands:1 0:+0:save 0:+0:saved:1), "+0:await:$go", qw(0:+1:restored:1 0:+1:stands:1 0:+1:save), '0:+1:input', '+1:facts', 'end');
my $begins = sub {
	my (@more) = @_;
	my $begun = begin([ $FTMPIRUN, @data, '-vv', @more, qw(-n 2), @words ], stdin => 'some words');
	wait_for($begun, 'err', qr/^ftmpirun: checkpoint 1 of rank 0 is committed$/m);
	return $begun;
};
for my $case ([ 'KILL', 137 ], [ 'TERM', 143 ]) {
	my ($signal, $status) = @$case;
	$job = $begins->();
	my ($session) = session($job);
	my $record = do { local (@ARGV, $/) = "$work/$session/job.record"; <> };
	like($record, qr/^session [0-9a-f]{32} [0-9a-f]{64}\nkind data$/m, 'the job has a record from its beginning');
	saves($session, 0);
	# these ranks tell the keeper nothing, so it would leave nothing for another one
	my $kept = scratch() . '/keeper-kept';
	system('cp', '-r', "$work/keeper-$session", $kept) == 0 or die "cp\n";
	kill $signal, $job->{pid};
	is(wait_end($job)->{status}, $status, "SIG$signal to ftmpirun");
	like($job->{err}, qr/^ftmpirun: -restore goes on from the ranks' checkpoints \(session $session\)\.$/m, '... which says that -restore goes on') if $signal eq 'TERM';
	nobody_left();
	is(join(' ', left()), $session, '... the session stays');
	rename $kept, "$work/keeper-$session" or die "rename: $!\n";
	$job = ftmpirun([ @data, qw(-image -n 2), @words, '-restore' ]);
	is("$job->{status} $job->{err}", "1 ftmpirun: -restore: session $session holds data that the program has saved, and no images of processes: leave -image out to go on from it\n",
		'... and no images do');
	$job = ftmpirun([ @data, qw(-vv -n 2), @words, '-restore' ], stdin => 'some words');
	is($job->{status}, 0, '-restore goes on') or diag $job->{err};
	is((session($job))[0], $session, '... in the same session');
	like($job->{err}, qr/^ftmpirun: rank 0 goes on from its checkpoint 1$/m, '... from the checkpoint of one rank');
	is(scalar(() = $job->{out} =~ / incarnations=1,1\b/g), 2, '... both in their next incarnation') or diag $job->{out};
	like($job->{out}, qr/^input=some words;$/m, '... with the input from its beginning');
	unlike($job->{err}, qr/not known/, '... without a word');
	nothing_left("-restore after SIG$signal");
}

# Nobody has one.
for my $signal (qw(KILL TERM)) {
	$job = begin([ $FTMPIRUN, @data, qw(-n 2 -vv), words(@join, 'say:ready', 'hang') ]);
	wait_for($job, 'out', qr/(?:ready\n){2}/);
	ok(-e "$work/@{[ session($job) ]}/job.record", 'a job that has no checkpoint has a record');
	kill $signal, $job->{pid};
	wait_end($job);
	nothing_left("SIG$signal without a checkpoint");
}
$job = job([qw(-n 2)], @join, '1:exit:3', 'end');
is($job->{status}, 3, 'a job that fails');
nothing_left('a job that fails without a checkpoint');

done_testing;
