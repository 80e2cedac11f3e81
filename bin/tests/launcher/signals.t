#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Signals to ftmpirun, and to its whole process group as a terminal sends them.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use LauncherTest;

my $polite = 'exec 2>/dev/null; trap "echo \$FTMPI_RANK got TERM; exit 0" TERM; trap "echo got INT" INT; echo ready;'
	. ' while :; do sleep 0.1; done';

for my $case ([ 'INT', 130, 1 ], [ 'TERM', 143, 1 ], [ 'HUP', 129, 1 ], [ 'INT', 130, -1 ], [ 'HUP',
	129, -1 ]) {
	my ($signal, $status, $sign) = @$case;
	my $job = begin([ $FTMPIRUN, '-n', 3, 'sh', '-c', $polite ]);
	wait_for($job, 'out', qr/(?:ready\n){3}/);
	kill $signal, $sign * $job->{pid};
	wait_end($job);
	is($job->{status}, $status, "SIG$signal to " . ($sign > 0 ? 'ftmpirun'
		: 'its process group'));
	is(join('', sort split /^/, $job->{out}),
		"0 got TERM\n1 got TERM\n2 got TERM\n" . "ready\n" x 3,
			'... every rank gets SIGTERM, and nothing else');
	is($job->{err}, "ftmpirun: SIG$signal came; the job is ended.\n", '... which is told');
	nobody_left('... and nobody is left');
}

my $job = begin([ $FTMPIRUN, '-n', 2, $RANK, qw(stubborn say:ready hang) ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'INT', $job->{pid};
wait_end($job);
is($job->{status}, 130, 'ranks that ignore SIGTERM are killed');
nobody_left();

# What is lost is told, and what is not. (INIT: the program makes checkpoints; LINE, RESTORED: of a line.)
for my $case (
	[ 'no line', [qw(join)], qr/no recovery line was made[^\n]*/ ],
	[ 'a line', [qw(join 0:line:4)], qr/-restore goes on from line 4 of session \S+\./ ],
	[ 'a line that was restored', [qw(join 0:restored:3)], qr/-restore goes on from line 3 of session \S+\./ ],
	)
{
	my ($what, $words, $sentence) = @$case;
	my $job = begin([ $FTMPIRUN, '-n', 2, $RANK, @$words, qw(say:ready hang) ]);
	wait_for($job, 'out', qr/(?:ready\n){2}/);
	kill 'TERM', $job->{pid};
	wait_end($job);
	like($job->{err}, qr/^ftmpirun: SIGTERM came; the job is ended\.\nftmpirun: $sentence\n\z/, "SIGTERM: $what");
	nobody_left();
}

# Rank 0 may be lost when the line is there, and before it could tell of it.
{
	my $work = scratch() . '/unheard';
	my $job  = begin([ $FTMPIRUN, '-vv', '-workdir', $work, '-n', 2, $RANK, qw(join say:ready hang) ]);
	wait_for($job, 'out', qr/(?:ready\n){2}/);
	my ($session) = $job->{err} =~ /session (\S+): 2 ranks/ or diag $job->{err};
	mkdir "$work/$session" or die "mkdir: $!\n";
	for my $name ('line-00000001.manifest', 'line-00000002.manifest', 'line-00000012.manifest', 'line-00000013.e0000.manifest.tmp') {
		open my $file, '>', "$work/$session/$name" or die "$name: $!\n";
	}
	kill 'TERM', $job->{pid};
	wait_end($job);
	like($job->{err}, qr/^ftmpirun: -restore goes on from line 12 of session \Q$session\E\.$/m, 'SIGTERM: a line that nobody has told of');
	nobody_left();
}

# -term-ranks: the MPI processes get it, not the shells around them, and have their time.
{
	my $job = begin([ $FTMPIRUN, qw(-term-ranks 60 -n 2 sh -c), '"$@"; echo after', 'sh', $RANK, qw(join catch:9 say:ready hang) ]);
	wait_for($job, 'out', qr/(?:ready\n){2}/);
	kill 'TERM', $job->{pid};
	wait_end($job);
	is($job->{status}, 143, 'SIGTERM with -term-ranks');
	is(join('', sort split /^/, $job->{out}), "after\n" x 2 . "ready\n" x 2 . "saved\n" x 2, '... is the program\'s to act on');
	like($job->{err}, qr/^ftmpirun: SIGTERM came, and is passed to the ranks[^\n]*\nftmpirun: -restore goes on from line 9 of session \S+\.\n\z/,
		'... and what it saved then is told');
	nobody_left();
}
{
	my $job = begin([ $FTMPIRUN, qw(-term-ranks 600 -n 2), $RANK, qw(join stubborn say:ready hang) ]);
	wait_for($job, 'out', qr/(?:ready\n){2}/);
	kill 'TERM', $job->{pid};
	wait_for($job, 'err', qr/SIGTERM came/);
	kill 'TERM', $job->{pid};
	wait_end($job);
	is($job->{status}, 143, 'a second SIGTERM does not wait');
	nobody_left();
}

# Two signals in a row may be seen as one; the second is sent when the ranks have noticed the first.
my $told = 'trap "echo told" TERM; echo ready; while :; do sleep 0.1; done';
$job = begin([ $FTMPIRUN, '-n', 1, 'sh', '-c', $told ]);
wait_for($job, 'out', qr/ready/);
kill 'INT', $job->{pid};
wait_for($job, 'out', qr/told/);
kill 'INT', $job->{pid};
wait_end($job);
is($job->{status}, 130, 'a second interrupt');
nobody_left();

# A rank that was stopped is ended, too.
$job = begin([ $FTMPIRUN, '-n', 1, 'sh', '-c',
	'trap "echo got TERM; exit" TERM; echo ready; kill -STOP $$; sleep 1000' ]);
wait_for($job, 'out', qr/ready/);
kill 'TERM', $job->{pid};
wait_end($job);
is($job->{status}, 143, 'a stopped rank is ended');
is($job->{out}, "ready\ngot TERM\n", '... and gets its chance');
nobody_left();

# nohup: what was ignored stays ignored.
$job = begin([ 'sh', '-c', 'trap "" HUP; exec "$@"', 'sh', $FTMPIRUN, '-n', 1, 'sh', '-c',
	'echo ready; read x; echo $x' ],
	keep_open => 1, stdin => '');
wait_for($job, 'out', qr/ready/);
kill 'HUP', $job->{pid};
syswrite $job->{feed}, "still here\n";
wait_end($job);
is("$job->{status} $job->{out}", "0 ready\nstill here\n", 'an ignored SIGHUP stays ignored');
nobody_left();

# Output that nobody reads when the job is over.
{
	pipe my $reader, my $writer or die "pipe: $!";
	my $job = begin([ $FTMPIRUN, qw(-v -n 2 sh -c), 'head -c 300000 /dev/zero' ], stdout_handle => $writer);
	close $writer;
	wait_for($job, 'err', qr/the job ended with status 0/);
	kill 'TERM', $job->{pid};
	wait_end($job);
	is($job->{status}, 128 + 15, 'a signal before the last output is read');
	my $read = length do { local $/; <$reader> };
	my ($lost) = $job->{err} =~ /^ftmpirun: SIGTERM came before (\d+) bytes of output were written; they are lost\.$/m;
	is($read + ($lost // 0), 600_000, '... says how much is lost') or diag $job->{err};
	nobody_left();
}

done_testing;
