#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Which processors ranks are bound to, on made-up machines: none shared, none squeezed, and jobs that know nothing
# of each other have room beside each other.
use strict;
use warnings;

use Test::More;

use FTMPI::Agent::Binding ();

# Machines by their cores.
my $two     = [ [0], [1] ];
my $sixteen = [ map { [$_] } 0 .. 15 ];
my $threads = [ map { [ $_, $_ + 4 ] } 0 .. 3 ];    # four cores of two threads

# What is chosen, as "0 1 2-3", or why nothing is.
sub chosen
{
	my ($mode, $cores, @threads) = @_;
	return on($mode, { cores => $cores }, @threads);
}

sub limited
{
	my ($mode, $cores, $limit, @threads) = @_;
	return on($mode, { cores => $cores, limit => $limit }, @threads);
}

sub on
{
	my ($chosen, $why) = FTMPI::Agent::Binding::choose(@_);
	return $chosen ? join ' ', map { join '+', @$_ } @$chosen : $why;
}

sub ones { return (1) x $_[0] }

# auto
is(chosen('auto', $two, 1),          '0+1',     'one rank has all');
is(chosen('auto', $two, 1, 1),       '0 1',     'two have one each');
is(chosen('auto', [ [1] ], 1),       '1',       'what is not given is not used');
is(chosen('auto', $two, 2),          '0+1',     'a rank with two threads');
is(chosen('auto', $two, ones(3)),    'they need 3 processors, and there are 2', 'three ranks are not bound');
is(chosen('auto', [ [1] ], ones(2)), 'they need 2 processors, and there is 1', '... nor are two on one');
is(chosen('auto', $two, 2, 2), 'they need 4 processors (OMP_NUM_THREADS), and there are 2', '... nor are two of two threads');
is(chosen('auto', $sixteen, ones(4)), '0+1+2+3 4+5+6+7 8+9+10+11 12+13+14+15', 'shares, in the order of the ranks');
is(chosen('auto', $sixteen, ones(3)), '0+1+2+3+4 5+6+7+8+9 10+11+12+13+14+15', '... that differ by one core');
is(chosen('auto', $sixteen, 2, 6), '0+1+2+3 4+5+6+7+8+9+10+11+12+13+14+15', '... as large as the numbers of threads ask for');
is(chosen('auto', $threads, ones(4)), '0+4 1+5 2+6 3+7', 'threads of a core belong to its rank');
is(chosen('auto', $threads, ones(2)), '0+1+4+5 2+3+6+7', '... of each of its cores');
is(chosen('auto', $threads, ones(8)), '0 4 1 5 2 6 3 7', 'more ranks than cores: a thread each');
is(chosen('auto', $threads, (2) x 4), '0+4 1+5 2+6 3+7', '... or two');
is(chosen('auto', $threads, ones(9)), 'they need 9 processors, and there are 8', '... and no more');
is(limited('auto', $sixteen, 4, ones(4)), chosen('auto', $sixteen, ones(4)), 'as many ranks as the cgroup grants');
is(limited('auto', $sixteen, 3.5, ones(4)), 'they need 4 processors, and the cgroup there grants the time of 3.5', '... and more');
is(on('auto', { cores => $two, restricted => 1 }, ones(3)),
	'they need 3 processors, and ftmpirun may use 2 there (taskset, cpuset or batch system)', 'who is not given all is told');

# core
is(chosen('core', $sixteen, ones(3)), '0 1 2', 'core: side by side from the first one on');
is(chosen('core', $sixteen, 2, 1, 3), '0+1 2 3+4+5', '... as many as there are threads');
is(chosen('core', $threads, ones(4)), '0+4 1+5 2+6 3+7', '... with all threads of a core');
is(chosen('core', $threads, ones(5)), '0 4 5 2 3', '... or with one, where there are more ranks than cores');
is(chosen('core', $threads, (2) x 4), '0+4 1+5 2+6 3+7', '... or two');
is(chosen('core', $two, ones(3)), 'they need 3 processors, and there are 2', '... but not where there are more than processors');
is(limited('core', $sixteen, 1, ones(2)), '0 1', '... whatever time the cgroup grants');
is(chosen('core', [], 1), 'they need 1 processor, and there are 0', '... nor where nothing is known');

# What holds on every machine, for every number of ranks: nothing is given twice, and each rank has what it needs.
sub is_fair
{
	my ($mode, $cores, @threads) = @_;
	my ($chosen) = FTMPI::Agent::Binding::choose($mode, { cores => $cores }, @threads);
	my (%taken, $bad);
	for my $i (0 .. $#threads) {
		$bad ||= @{ $chosen->[$i] } < $threads[$i] || grep { $taken{$_}++ } @{ $chosen->[$i] };
	}
	my %there = map { $_ => 1 } map { @$_ } @$cores;
	return !$bad && @$chosen == @threads && !grep { !$there{$_} } keys %taken;
}

my @unfair;
for my $p (1 .. 20) {
	for my $siblings (1, 2, 4) {
		my $cores = [ map { my $core = $_; [ map { $core + $_ * $p } 0 .. $siblings - 1 ] } 0 .. $p - 1 ];
		for my $n (1 .. $p * $siblings) {
			my $each = int $p * $siblings / $n;
			for my $mode ('auto', 'core') {
				for my $threads ([ ones($n) ], [ ($each) x $n ], [ map { 1 + $_ % $each } 1 .. $n ]) {
					push @unfair, "$mode, $p cores of $siblings: @$threads" if !is_fair($mode, $cores, @$threads);
				}
			}
		}
	}
}
is_deeply(\@unfair, [], 'no processor is given twice, and every rank has what it needs');

# Two jobs with no more ranks together than cores: each rank can have a core of its own within its share. The ranks whose share
# ends first choose first, the first core that is left.
sub have_room
{
	my (@shares) = @_;
	my %taken;
	for my $share (sort { $a->[-1] <=> $b->[-1] || $b->[0] <=> $a->[0] } @shares) {
		my ($core) = grep { !$taken{$_} } @$share;
		return 0 if !defined $core;
		$taken{$core} = 1;
	}
	return 1;
}

my @crowded;
for my $p (2 .. 24) {
	my $cores = [ map { [$_] } 0 .. $p - 1 ];
	for my $n (1 .. $p - 1) {
		for my $m (1 .. $p - $n) {
			my @shares = map { @{ (FTMPI::Agent::Binding::choose('auto', { cores => $cores }, ones($_)))[0] } } $n, $m;
			push @crowded, "$n and $m ranks on $p cores" if !have_room(@shares);
		}
	}
}
is_deeply(\@crowded, [], 'two jobs do not get into each other\'s way');
ok(!have_room([0], [0], [ 1 .. 3 ]), '(that could be told)');

# OMP_NUM_THREADS
for my $case ([ undef, 1 ], [ '', 1 ], [ 4, 4 ], [ ' 4 ', 4 ], [ '4,2', 8 ], [ '2, 3', 6 ], [ 0, 1 ], [ 'x', 1 ], [ '-2', 1 ], [ '4x', 1 ],
	[ "4\n", 4 ], [ '99999,99999', 65536 ], [ '9999999', 1 ]) {
	my ($value, $n) = @$case;
	is(FTMPI::Agent::Binding::threads($value), $n, 'OMP_NUM_THREADS ' . ($value // 'not set'));
}

done_testing;
