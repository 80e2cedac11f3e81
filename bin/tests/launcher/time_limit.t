#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Ends from which -restore goes on: -time-limit, SIGTERM, -stop-after-ckpt.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use FTMPI::Control ();
use LauncherTest;

my $work = scratch() . '/runs';
my @images = (qw(-image -n 2 -workdir), $work);

sub words { return ($^X, $RANK, @_) }

my $asked  = qr/: a recovery line is made, then the job is ended\.\n/;
my $goes_on = qr/^ftmpirun: -restore goes on from line 1 of session \S+\.\n/m;

my $job = ftmpirun([ qw(-time-limit 2), @images, words(qw(join lines:1 hang)) ]);
is($job->{status}, 75, 'a job with images comes to its time limit');
like($job->{err}, qr/^ftmpirun: the time limit of 2 s \(-time-limit\) is near$asked/m, '... it is said');
like($job->{err}, qr/^ftmpirun: the time limit of 2 s \(-time-limit\) is near; the job is ended\.\n/m, '... and that it ends');
like($job->{err}, qr/^ftmpirun: the recovery line that -time-limit asked for is committed\.\n/m, '... and who asked for the line');
like($job->{err}, $goes_on, '... and what -restore goes on from');
nobody_left();

# The program makes its lines itself: it is told, and rank 0 says when there is one.
$job = ftmpirun([ qw(-time-limit 2 -n 2 -workdir), $work, words(qw(join told_due 0:line:1 hang)) ]);
is($job->{status}, 75, 'a program that makes lines itself is told that one is due');
like($job->{err}, $goes_on, '... and its line counts');

$job = ftmpirun([ qw(-time-limit 1 -n 1 -workdir), $work, words(qw(join hang)) ]);
is($job->{status}, 124, 'one that makes none in time has nothing to go on from');
like($job->{err}, qr/is near; no recovery line was made within [\d.]+ s; the job is ended\.\n.*no recovery line was made from which -restore could go on\.\n\z/s, '... which is said');

$job = ftmpirun([ qw(-time-limit 60 -n 1), words(qw(init finalize)) ]);
is("$job->{status} $job->{err}", '0 ', 'one that is over before hears nothing of it');

$job = begin([ $FTMPIRUN, qw(-time-limit 1h), @images, words(qw(join say:ready lines:1 hang)) ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'TERM', $job->{pid};
wait_end($job);
is($job->{status}, 75, 'SIGTERM in a job with a time limit');
like($job->{err}, qr/^ftmpirun: SIGTERM came$asked/m, '... makes a line, too');
like($job->{err}, qr/^ftmpirun: the recovery line that SIGTERM asked for is committed\.\n/m, '... which is said of it');
nobody_left();

$job = begin([ $FTMPIRUN, qw(-time-limit 1h), @images, words(qw(join say:ready hang)) ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'TERM', $job->{pid};
wait_for($job, 'err', qr/SIGTERM came$asked/);
kill 'TERM', $job->{pid};
wait_end($job);
is($job->{status}, 143, '... a second one does not wait for it');
nobody_left();

$job = begin([ $FTMPIRUN, @images, words(qw(join say:ready hang)) ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'TERM', $job->{pid};
wait_end($job);
is($job->{status}, 143, 'SIGTERM in a job without a time limit ends it');
nobody_left();

$job = begin([ $FTMPIRUN, qw(-time-limit 1h -term-ranks 5), @images, qw(sh -c), 'trap "echo told; exit 0" TERM; echo ready; while :; do sleep 0.05; done' ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'TERM', $job->{pid};
wait_end($job);
is($job->{out}, "ready\nready\ntold\ntold\n", 'with -term-ranks it is the ranks\'');
nobody_left();

$job = begin([ $FTMPIRUN, qw(-stop-after-ckpt), @images, words(qw(join say:ready lines:1 hang)) ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'USR2', $job->{pid};
wait_end($job);
is($job->{status}, 75, '-stop-after-ckpt: SIGUSR2 ends the job after a line');
like($job->{err}, qr/^ftmpirun: SIGUSR2 came \(-stop-after-ckpt\)$asked/m, '... which is said');
like($job->{err}, $goes_on, '... as what -restore goes on from');
nobody_left();

# What ends it meanwhile is no failure to come back from.
$job = begin([ $FTMPIRUN, qw(-time-limit 1h), @images, words(qw(join say:ready lines:1 say:made hang)) ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'USR2', $job->{pid};
wait_for($job, 'err', qr/SIGUSR2 asked for is committed/);
kill 'TERM', $job->{pid};
wait_for($job, 'err', qr/SIGTERM came$asked/);
kill 'KILL', (map { /^(\d+):/ } grep { /\(perl\).*launcher\/rank join/ } left_over())[0];
wait_end($job);
is($job->{status}, 75, 'a rank that is killed while the last line is made');
like($job->{err}, qr/^ftmpirun: SIGTERM came; rank \d on \S+ was killed by signal 9 \(Killed\); the job is ended\.\n/m, '... is not waited for');
nobody_left();

# A rank that cannot be held is asked again.
$job = begin([ $FTMPIRUN, qw(-time-limit 1h), @images, words(qw(join say:ready save held:busy lines:1 hang)) ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'TERM', $job->{pid};
wait_end($job);
is($job->{status}, 75, 'a line that is refused at first is asked for again') or diag $job->{err};
like($job->{err}, qr/: busy/, '... though it was');
nobody_left();

# Nothing can be saved of ranks that have not called MPI_Init.
$job = begin([ $FTMPIRUN, qw(-time-limit 1h), @images, words(qw(say:ready hang)) ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'TERM', $job->{pid};
wait_end($job);
is($job->{status}, 143, 'a job whose ranks have not all begun is ended');
like($job->{err}, qr/^ftmpirun: SIGTERM came; the job is ended\.\n/m, '... and no line is waited for');
nobody_left();

# One that is nearly over ends by itself.
$job = begin([ $FTMPIRUN, qw(-time-limit 1h), @images, words('join', '0:finalize', 'say:ready', '1:await:' . scratch() . '/through', '1:finalize') ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'TERM', $job->{pid};
text_file('through', '');
wait_end($job);
is($job->{status}, 0, 'a job whose first rank is through ends by itself') or diag $job->{err};
nobody_left();

$job = begin([ $FTMPIRUN, qw(-time-limit 1h), @images, words(qw(join say:ready save), 'held:' . FTMPI::Control::IN_FINALIZE, 'await:' . scratch() . '/leave', 'finalize') ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'USR2', $job->{pid};
wait_for($job, 'err', qr/MPI_Finalize/);
kill 'TERM', $job->{pid};
text_file('leave', '');
wait_end($job);
is($job->{status}, 0, '... and one of which a rank says that it is there') or diag $job->{err};
unlike($job->{err}, qr/a recovery line is made/, '... as no line can be made');
nobody_left();

# Each rank has its own.
$job = ftmpirun([ qw(-coord msglog -image -time-limit 2 -n 2 -workdir), "$work/alone", words(qw(join hang)) ]);
is($job->{status}, 124, 'under message logging, without a checkpoint');
like($job->{err}, qr/is near: ranks make checkpoints, then the job is ended\.\n/, '... it is asked for');
nobody_left();

done_testing;
