# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks are bound to processors of their own where these suffice, to none outside of those that ftmpirun may use, and
# -vv tells it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib", "$FindBin::Bin/../../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Processors ();
use FTMPI::Test::Job  qw(ftmpirun program);

# All of this test is on two processors of this machine.
my @two = (FTMPI::Processors::allowed())[ 0, 1 ];
plan skip_all => 'one processor is no choice' if !defined $two[1];
FTMPI::Processors::bind_to(@two) or plan skip_all => "no process can be bound here: $!";
my ($one, $other) = @two;
my $both = "$one,$other";
my $too_few = 'and ' . (FTMPI::Processors::is_restricted() ? 'ftmpirun may use 2 there (taskset, cpuset or batch system)' : 'there are 2');
my $dir  = File::Temp->newdir('ftmpi-bound-XXXXXX', TMPDIR => 1);

sub job { return FTMPI::Test::Job->run(@_, env => { OMP_NUM_THREADS => undef }) }

# Ranks find these processors, and -vv says the same.
sub finds
{
	my ($name, $options, @processors) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $job = job([ ftmpirun(), '-vv', @$options, program('bound') ]);
	$job->is_status(0, $name);
	my %on = $job->out =~ /^rank (\d+) process \d+ on (\S+)$/mg;
	is(join(' ', map { $on{$_} // 'nowhere' } 0 .. $#processors), "@processors", '... on these processors')
		or diag $job->saw;
	my %told = map { s/-/,/r } $job->err =~ /^ftmpirun: rank (\d+) on \S+ is bound to processors? (\S+)$/mg;
	return ($job, %told);
}

for my $case (
	[ 'a rank',                    [qw(-n 1)],                      $both ],
	[ 'two ranks',                 [qw(-n 2)],                      $one, $other ],
	[ 'two, of two programs',      [ qw(-n 1), program('bound'), qw(: -n 1) ], $one, $other ],
	[ 'one of two threads',        [qw(-n 1 -x OMP_NUM_THREADS=2)], $both ],
	[ 'a rank, to a core',         [qw(-bind core -n 1)],           $one ],
	[ '... of two threads',        [qw(-bind core -n 1 -x OMP_NUM_THREADS=2)], $both ],
	[ 'two ranks, to cores',       [qw(--bind-to core -n 2)],       $one, $other ],
	)
{
	my ($name, $options, @processors) = @$case;
	my ($job, %told) = finds($name, $options, @processors);
	# ranges of neighbours: 0-1 is 0,1
	is_deeply(\%told, { map { $_ => $processors[$_] } 0 .. $#processors }, '... and so it is told') or diag $job->saw
		if $other == $one + 1;
}

for my $case (
	[ 'three ranks', [qw(-n 3)], "they need 3 processors, $too_few", ($both) x 3 ],
	[ 'two of two threads', [qw(-n 2 -x OMP_NUM_THREADS=2)], "they need 4 processors (OMP_NUM_THREADS), $too_few", ($both) x 2 ],
	[ 'two, one of them of two threads', [ qw(-n 1), program('bound'), qw(: -n 1 -env OMP_NUM_THREADS 2) ],
		"they need 3 processors (OMP_NUM_THREADS), $too_few", ($both) x 2 ],
	[ 'two that are not to be bound', [qw(-bind none -n 2)], undef, ($both) x 2 ],
	)
{
	my ($name, $options, $why, @processors) = @$case;
	my ($job, %told) = finds($name, $options, @processors);
	is_deeply(\%told, {}, '... none is bound');
	$job->err_like(qr/^ftmpirun: the ranks on \S+ are not bound: \Q$why\E\.$/m, '... the reason') if defined $why;
}

{
	my $job = job([ ftmpirun(), qw(-bind core -n 3), program('bound') ]);
	$job->is_status(1, '-bind core with three ranks');
	$job->err_like(qr/\Aftmpirun: host \S+: its ranks cannot be bound \(-bind core\): they need 3 processors, \Q$too_few\E; start fewer, or leave them unbound with -bind none\n\z/,
		'... and why');
	is($job->out, '', '... nothing runs');
	$job->none_left('-bind core');
}

# What is not ours is not used; what ranks run in is bound, too.
for my $case ([ [qw(-n 1)], $other ], [ [qw(-bind core -n 1)], $other ], [ [qw(-n 2)], $other, $other ]) {
	my ($options, @processors) = @$case;
	my $job = job([ 'taskset', '-c', $other, ftmpirun(), '-vv', @$options, 'sh', '-c', program('bound') . '; exit $?' ]);
	my @found = $job->out =~ / on (\S+)$/mg;
	is("@found", "@processors", "taskset: @$options") or diag $job->saw;
	$job->err_like(qr/ not bound: they need 2 processors, and ftmpirun may use 1 there \(taskset, cpuset or batch system\)\.$/m, '... the reason')
		if @processors > 1;
}

# A restart: the survivor keeps its processor, and the other one finds its own again.
{
	my $job = job([ ftmpirun(), qw(-restart-from-start -n 2), program('bound'), '-kill', "$dir/once" ]);
	$job->is_status(0, 'a restart');
	my @found = sort map { s/process \d+ //r } $job->out =~ /^(rank .*)$/mg;
	is_deeply(\@found, [ ("rank 0 on $one") x 2, ("rank 1 on $other") x 2 ], '... each is on its processor again') or diag $job->saw;
}

done_testing;
