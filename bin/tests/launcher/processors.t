#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What the launcher and its agents find out about processors: on machines that are made of files, and on this one.
use strict;
use warnings;

use File::Basename qw(dirname);
use File::Path     qw(make_path);
use File::Temp     ();
use Test::More;

use FTMPI::Processors ();

# A machine of these files: path => text. Its root.
my @machines;

sub machine
{
	my (%file) = @_;
	my $root = File::Temp->newdir('ftmpi-processors-XXXXXX', TMPDIR => 1);
	push @machines, $root;
	for my $path (keys %file) {
		make_path(dirname("$root/$path"));
		open my $file, '>', "$root/$path" or die "$root/$path: $!\n";
		print $file $file{$path};
		close $file or die "$root/$path: $!\n";
	}
	return "$root";
}

# Its processors by core and socket: number => [list of the core's processors, socket].
sub topology
{
	my (%of) = @_;
	return map {
		my $at = "sys/devices/system/cpu/cpu$_/topology";
		("$at/thread_siblings_list" => "$of{$_}[0]\n", "$at/physical_package_id" => "$of{$_}[1]\n")
	} keys %of;
}

sub may_use { return ('proc/self/status' => "Name:\tperl\nCpus_allowed:\tff\nCpus_allowed_list:\t$_[0]\nMems_allowed:\t1\n") }

sub shown { return join ' ', map { join '+', @$_ } @_ }

# Lists.
for my $case ([ '0', 0 ], [ '0-2,5', 0, 1, 2, 5 ], [ "3,1-2\n", 1, 2, 3 ], [ '7,7', 7 ]) {
	my ($list, @numbers) = @$case;
	is(join(' ', FTMPI::Processors::numbers($list)), "@numbers", "the list $list");
}
for my $list ('', 'all', '2-1', '1-', '-3', '1,,2', '0x3', '0-9999999', '65536') {
	is(scalar(my @none = FTMPI::Processors::numbers($list)), 0, "'$list' is none");
}
is(FTMPI::Processors::text(0, 1, 2, 5, 7, 8), '0-2,5,7-8', 'as a list again');

# Which may be used.
my $root = machine(may_use('0-7'));
is(FTMPI::Processors::text(FTMPI::Processors::allowed($root)), '0-7', 'the mask');
$root = machine(may_use('0-127'), 'sys/devices/system/cpu/online' => "0-1,4\n");
is(FTMPI::Processors::text(FTMPI::Processors::allowed($root)), '0-1,4', '... without those that are not there');
is(FTMPI::Processors::count($root), 3, '... counted');
is(FTMPI::Processors::count(machine()), 1, 'one at least');
for my $case ([ '0-1,4', 0 ], [ '0-127', 0 ], [ '1,4', 1 ]) {
	my ($mask, $is) = @$case;
	is(!!FTMPI::Processors::is_restricted(machine(may_use($mask), 'sys/devices/system/cpu/online' => "0-1,4\n")), !!$is,
		"$mask of 0-1,4: " . ($is ? 'there are more' : 'that is all'));
}
ok(!FTMPI::Processors::is_restricted(machine(may_use('0'))), '... as where nothing is known');

# Cores.
my %eight = map { $_ => [ $_ % 4 . ',' . (4 + $_ % 4), 0 ] } 0 .. 7;
is(shown(FTMPI::Processors::cores(machine(may_use('0-7'), topology(%eight)))), '0+4 1+5 2+6 3+7', 'threads of a core');
is(shown(FTMPI::Processors::cores(machine(may_use('1-4'), topology(%eight)))), '1 2 3 4', '... of which not all may be used');
my %sockets = map { $_ => [ $_, $_ % 2 ] } 0 .. 5;
is(shown(FTMPI::Processors::cores(machine(may_use('0-5'), topology(%sockets)))), '0 2 4 1 3 5', 'sockets, one after the other');
is(shown(FTMPI::Processors::cores(machine(may_use('2,5')))), '2 5', 'nothing is known of cores');
is(shown(FTMPI::Processors::cores(machine())), '', 'nothing is known at all');

# Limits of cgroups.
sub limit { return FTMPI::Processors::limit(machine(@_)) // 'none' }
is(limit('proc/self/cgroup' => "0::/\n"), 'none', 'no limit');
is(limit('proc/self/cgroup' => "0::/\n", 'sys/fs/cgroup/cpu.max' => "150000 100000\n"), 1.5, 'that of a container');
is(limit('proc/self/cgroup' => "0::/a/b\n", 'sys/fs/cgroup/a/b/cpu.max' => "max 100000\n"), 'none', 'max is none');
is(limit('proc/self/cgroup' => "0::/a/b\n", 'sys/fs/cgroup/a/b/cpu.max' => "max 100000\n",
		'sys/fs/cgroup/a/cpu.max' => "400000 100000\n"), 4, 'that of the cgroup above');
is(limit('proc/self/cgroup' => "0::/a/b\n", 'sys/fs/cgroup/a/b/cpu.max' => "200000 100000\n",
		'sys/fs/cgroup/a/cpu.max' => "400000 100000\n"), 2, '... the least');
my $v1 = "4:memory:/m\n3:cpu,cpuacct:/job\n1:name=systemd:/x\n";
is(limit('proc/self/cgroup' => $v1, 'sys/fs/cgroup/cpu/job/cpu.cfs_quota_us' => "300000\n",
		'sys/fs/cgroup/cpu/job/cpu.cfs_period_us' => "100000\n"), 3, 'the first version');
is(limit('proc/self/cgroup' => $v1, 'sys/fs/cgroup/cpu/job/cpu.cfs_quota_us' => "-1\n",
		'sys/fs/cgroup/cpu/job/cpu.cfs_period_us' => "100000\n"), 'none', '... without a limit');
is(limit('proc/self/cgroup' => $v1, 'sys/fs/cgroup/cpu/cpu.cfs_quota_us' => "50000\n",
		'sys/fs/cgroup/cpu/cpu.cfs_period_us' => "100000\n"), 0.5, '... in a container');
is(limit('proc/self/cgroup' => "0::/\n", 'sys/fs/cgroup/cpu.max' => "100000 0\n"), 'none', 'no number');

# How many can compute at a time.
for my $case ([ 'max', 8 ], [ 800000, 8 ], [ 1000000, 8 ], [ 200000, 2 ], [ 250000, 3 ], [ 50000, 1 ]) {
	my ($quota, $n) = @$case;
	my $there = machine(may_use('0-7'), 'proc/self/cgroup' => "0::/\n", 'sys/fs/cgroup/cpu.max' => "$quota 100000\n");
	is(FTMPI::Processors::at_once($there), $n, "of 8 processors, with a quota of $quota in 100000 us");
}
is(FTMPI::Processors::at_once(machine()), 1, 'where nothing is known, one');

# This machine: a process binds itself, and Linux says the same.
my @mine = FTMPI::Processors::allowed();
cmp_ok(scalar @mine, '>=', 1, 'processors of this machine');
is(FTMPI::Processors::text(sort { $a <=> $b } map { @$_ } FTMPI::Processors::cores()), FTMPI::Processors::text(@mine), '... are in its cores');

# What a child of ours may use after it has bound itself to these.
sub bound
{
	my (@processors) = @_;
	my $pid = open(my $out, '-|') // die "fork: $!\n";
	return scalar <$out> if $pid;
	print FTMPI::Processors::bind_to(@processors) ? FTMPI::Processors::text(FTMPI::Processors::allowed()) : "error: $!";
	exit 0;
}

is(bound(@$_), FTMPI::Processors::text(@$_), "bound to @$_") for [ $mine[0] ], [ $mine[-1] ], \@mine;
# Where a process is that has left its processor to a child, on such a load, and what it may use in the end. A machine with other work moves it
# to and fro: it is told that both are on the first processor, and looks where it is while it is bound elsewhere.
sub left_to
{
	my ($running) = @_;
	my $root = machine('proc/loadavg' => "0.50 0.40 0.30 $running/120 4711\n");
	my $pid = open(my $out, '-|') // die "fork: $!\n";
	return split ' ', scalar <$out> // '' if $pid;
	my ($is_on, $bind, @on) = (\&FTMPI::Processors::_is_on, \&FTMPI::Processors::bind_to);
	no warnings 'redefine';
	local *FTMPI::Processors::_is_on = sub { return $mine[0] };
	local *FTMPI::Processors::bind_to = sub { my $done = $bind->(@_); push @on, $is_on->('self'); return $done };
	FTMPI::Processors::leave_to($$, $root);
	print join ' ', $on[0] // 'anywhere', FTMPI::Processors::text(FTMPI::Processors::allowed());
	exit 0;
}

SKIP: {
	skip 'this machine has one processor', 3 if @mine < 2;
	my ($on, $allowed) = left_to(2);
	ok((grep { $_ eq $on } @mine[ 1 .. $#mine ]), 'a process leaves its processor to its child') or diag "it is on $on";
	is($allowed, FTMPI::Processors::text(@mine), '... and may use all in the end');
	is(join(' ', left_to(@mine + 1)), 'anywhere ' . FTMPI::Processors::text(@mine), '... but stays where no processor is idle');
}

like(bound(8000), qr/^error: Invalid argument$/, 'one that is not there is refused');

done_testing;
