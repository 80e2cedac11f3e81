#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# ftmpi-ckpt now: a job that runs is asked for a line; nobody else is told anything.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/../../lib", "$FindBin::RealBin/../lib", "$FindBin::RealBin/lib";
use Test::More;

use FTMPI::Launcher::Record ();
use FTMPI::Test::Job qw(program);
use LauncherTest;

my $work = scratch() . '/runs';

sub now
{
	my (@words) = @_;
	my $job = begin([ program('ftmpi-ckpt'), 'now', @words ]);
	wait_end($job);
	return $job;
}

# A folder of a session with a line, as far as names go, and this record.
sub session
{
	my ($name, %record) = @_;
	mkdir "$work/$name" or die "$work/$name: $!\n";
	open my $file, '>', "$work/$name/line-00000001.manifest" or die "$work/$name: $!\n";
	FTMPI::Launcher::Record::save("$work/$name", { ranks => 2, began => 1, parts => [ [ 2, 'prog' ] ], %record });
	return "$work/$name";
}

my $job = begin([ $FTMPIRUN, qw(-v -image -n 2 -workdir), $work, $^X, $RANK, qw(join say:ready lines:2 finalize) ]);
wait_for($job, 'out', qr/(?:ready\n){2}/);
kill 'USR2', $job->{pid};
wait_for($job, 'err', qr/SIGUSR2 asked for is committed/);
# the ranks of this test write no files, so the job's session is made here
my ($name) = $job->{err} =~ /session (\S+):/;
session($name, launcher => FTMPI::Launcher::Record::running_process($job->{pid}));
my $asked = now($work);
is("$asked->{status} $asked->{err}", '0 ', 'a job that runs is asked');
like($asked->{out}, qr/\A\S+: ftmpirun, process $job->{pid}, is asked for a recovery line \(SIGUSR2\)\n\z/, '... which is said');
wait_end($job);
is($job->{status}, 0, '... and makes its line') or diag $job->{err};
is(() = $job->{err} =~ /SIGUSR2 asked for is committed/g, 2, '... which it tells');
system 'rm', '-r', "$work/$name";

# Nobody is told anything of a record that is not of a process that runs.
my $me = FTMPI::Launcher::Record::running_process($$);
my $told = 0;
local $SIG{USR2} = sub { $told++ };
my %not = (
	'20260101-000000-00000001' => { launcher => $me, end => [ 0, 2, '' ] },
	'20260101-000000-00000002' => { launcher => [ $me->[0], $me->[1] + 1, $me->[2] ] },
	'20260101-000000-00000003' => { launcher => [ @$me[ 0, 1 ], $me->[2] =~ tr/0-9a-f/1-9a-f0/r ] },
	'20260101-000000-00000004' => {},
	'20260101-000000-00000005' => { launcher => [ 4194304, 1, $me->[2] ] },
);
session($_, %{ $not{$_} }) for sort keys %not;
$asked = now($work);
is($asked->{status}, 1, 'jobs that do not run');
like($asked->{err}, qr/\Aftmpi-ckpt: \S+: no job that has a recovery line runs there with its ftmpirun on this host; /, '... it is said');
is("$told$asked->{out}", '0', '... and nobody is told anything');
my $mine = session('20260101-000000-00000006', launcher => $me);
is(now($mine)->{status}, 0, 'one that does, by its session');
is($told, 1, '... is told');
like(now('-json', $mine)->{out}, qr/"pid": ?$$/, '... for programs');
like(now('-line', 3, $work)->{err}, qr/-line does not belong to now/, 'an odd option');

done_testing;
