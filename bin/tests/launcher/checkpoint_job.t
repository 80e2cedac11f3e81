#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Whole jobs under message logging with images, of ranks that make no images: who is asked for checkpoints, and from where
# a rank that begins again goes on. A real keeper.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/../../lib", "$FindBin::RealBin/lib";
use Test::More;

use FTMPI::FixedAddresses ();
use FTMPI::Test::Process qw(patience);
use LauncherTest;

my $why = FTMPI::FixedAddresses::refuses(FTMPI::FixedAddresses::stack_here());
plan skip_all => $why if defined $why;

my $ssh = fake_ssh();
delete $ENV{SSH_CONNECTION};
my @images = (qw(-coord msglog -image -workdir), scratch() . '/runs', '-ssh', $ssh);

sub words { my (@words) = @_; return ($^X, $RANK, 'start', @words) }

sub job { my ($options, @words) = @_; return ftmpirun([ @images, @$options, words(@words) ]) }

my @join = qw(program:0 inited);
my @make = qw(save held save saved:1);
my $by9  = 'was killed by signal 9 (Killed)';

# Nobody is asked any more when the first comes to MPI_Finalize.
my $all = scratch() . '/all';
my $job = job([qw(-vv -n 3 -ckpt-interval 0.05)], @join, 'image', 'facts', @make, "2:touch:$all", "await:$all", 'end');
is($job->{status}, 0, 'a job with checkpoints') or diag $job->{err};
is(join(' ', sort $job->{err} =~ /^ftmpirun: checkpoint (\d of rank \d) is committed$/mg), '1 of rank 0 2 of rank 1 3 of rank 2', 'each rank is asked once, in turn') or diag $job->{err};
is(join('', sort split /^/, $job->{out} =~ s/^(?!save).*\n//mgr), join('', map { "save=0 $_\n" } '1 0', '1 1', '2 0', '2 1', '3 0', '3 1'), '... and all the way');
like($job->{out}, qr/ settings=(?=.* image=1)(?=.* image-patience=10000)(?=.*coord=msglog)/, '... ranks know that it is an image job');
unlike($job->{out}, qr/fixed-addresses|printed/, '... and nothing that does not concern them');
unlike($job->{err}, qr/recovery line|SIGUSR2/, '... and there is no word of lines');
nobody_left();

$job = job([qw(-n 2 -ckpt-interval 60)], @join, 'end');
is("$job->{status} $job->{err}", "0 ftmpirun: note: no rank has made a checkpoint (-ckpt-interval).\n", 'a job that is over before there is one');
my $let_go = scratch() . '/let_go';
$job = job([qw(-n 2 -ckpt-interval 0.05 -image-patience 0.1)], @join, qw(0:save 0:held:descriptor.7 1:save 1:save), "1:touch:$let_go", "await:$let_go", 'end');
is($job->{status}, 0, 'a rank that does not come, and one that cannot') or diag $job->{err};
like($job->{err}, qr/^ftmpirun: no checkpoint is made now: rank 1 on \S+ did not come to a safe point within 0\.1 s \(-image-patience\)\.$/m, '... are told of');
like($job->{err}, qr/^ftmpirun: no checkpoint is made now: rank 0 on \S+: descriptor\.7\.$/m, '... each with its reason');

# It goes on from its checkpoint; its output and input do, too.
my $go = scratch() . '/go';
$job = ftmpirun([ @images, qw(-vv -n 2 -ckpt-interval 0.05), words('0:+1:restored:1', '0:+1:has_read:0,5', '0:+1:raw:save=0 1 1' . "\ntook=wor;\nmore\n", @join, '0:+0:take:5',
	qw(0:+0:save 0:+0:held 0:+0:save 0:+0:saved:1), "0:+0:touch:$go", "1:await:$go", qw(0:+0:take:3 0:+0:kill:KILL 0:+1:input end)) ], stdin => 'some words');
is($job->{status}, 0, 'rank 0 goes on from its checkpoint') or diag $job->{err};
like($job->{err}, qr/^ftmpirun: rank 0 goes on from its checkpoint 1(?: \(.* was noticed\))?$/m, '... which is told with -v');
is($job->{out}, "took=some ;\nsave=0 1 0\nsave=0 1 1\ntook=wor;\nmore\ninput=words;\n", '... prints what it had not printed, and reads on behind what it had read by then');
nobody_left();

$job = ftmpirun([ @images, qw(-n 2 -ckpt-interval 60), words('0:+1:take:6', @join, qw(0:+0:take:5 0:+0:kill:KILL 0:+1:input end)) ], stdin => 'some words');
like($job->{out}, qr/^input=ords;$/m, 'one without a checkpoint reads all of it again, also before MPI_Init') or diag $job->{err};
unlike($job->{err}, qr/goes on from|not known/, '... and that is all');

# SIGUSR2.
my $told = scratch() . '/told';
$job = begin([ $FTMPIRUN, @images, qw(-n 2), words(@join, @make, "1:touch:$told", "await:$told", 'end') ]);
wait_for($job, 'err', qr/^ftmpirun: note: -image without -ckpt-interval: ranks make checkpoints when SIGUSR2 comes to ftmpirun, and when -log-limit wants that\.\n/);
my $until = time + patience(60);
while (time < $until) {
	$job->{err} = '';
	kill 'USR2', $job->{pid};
	wait_for($job, 'err', qr/^ftmpirun: SIGUSR2[^\n]*\n/) or last;
	last if $job->{err} !~ /has no effect now/;
}
wait_for($job, 'err', qr/^ftmpirun: SIGUSR2: every rank has a checkpoint\.$/m);
is(wait_end($job)->{status}, 0, 'all ranks are asked when SIGUSR2 comes') or diag $job->{err};

# A host: what was printed there and at the checkpoint is known elsewhere.
my $there = scratch() . '/there';
$job = begin([ $FTMPIRUN, @images, qw(-vv -ckpt-interval 0.05 -n 2 -host a:1,b:1,c:1),
	words('1:+1:restored:2', '1:+1:raw:save=0 2 1' . "\ntwo\nready\nthree\n", @join, '1:+0:raw:one' . "\n", qw(+0:save +0:held +0:save +0:saved:1), '1:+0:raw:two' . "\n",
		'1:+0:say:ready', '1:+0:hang', "1:touch:$there", "0:await:$there", 'end') ]);
wait_for($job, 'out', qr/^ready$/m);
my ($agent) = map { /^(\d+):/ } grep { /\(ftmpi-agent\).*agent on b/ } left_over();
kill 'KILL', $agent // die "no agent on b\n";
is(wait_end($job)->{status}, 0, 'a host is lost') or diag $job->{err};
my $mine = $job->{out} =~ s/^save=0 1 .*\n//mgr;
is($mine, "one\nsave=0 2 0\nsave=0 2 1\ntwo\nready\nthree\n", '... and what its rank prints again elsewhere is left out') or diag $job->{err};
nobody_left();

done_testing;
