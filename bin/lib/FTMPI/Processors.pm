# SPDX-License-Identifier: BSD-3-Clause
#
# The processors of this machine: which ones this process may use, which of them are one core, how much of
# them its cgroup grants, how a process is bound to some, and how it gives way to others there. A processor is what Linux numbers as one, with
# hyperthreads one of a core's threads. Linux alone. Where a file is read, `root` (default: none) stands
# before its path.
package FTMPI::Processors;

use strict;
use warnings;

use Config ();
use Errno qw(ENOSYS);
use POSIX ();

# Processors have lower numbers than this: Linux is built for fewer.
use constant NUMBERS_MAX => 1 << 16;

# sched_setaffinity, by the kind of machine that perl was built for.
my %SETAFFINITY = (x86_64 => 203, aarch64 => 122, riscv64 => 122, loongarch64 => 122, powerpc64le => 222, ppc64le => 222, s390x => 239);

# sched_setscheduler and sched_getscheduler, in the same way; two of the policies.
my %SCHEDULER = (x86_64 => [ 144, 145 ], aarch64 => [ 119, 120 ], riscv64 => [ 119, 120 ], loongarch64 => [ 119, 120 ],
	powerpc64le => [ 156, 157 ], ppc64le => [ 156, 157 ], s390x => [ 156, 157 ]);
use constant { SCHED_OTHER => 0, SCHED_BATCH => 3 };

# This process has the second policy, and had the first.
my $gives_way = 0;

# The numbers of "0-2,5", in their order; nothing when it is no such list.
sub numbers
{
	my ($list) = @_;
	my %is_in;
	for my $range (split /,/, $list) {
		my ($from, undef, $to) = $range =~ /^\s*([0-9]{1,6})(-([0-9]{1,6}))?\s*\z/ or return;
		$to //= $from;
		return if $from > $to || $to >= NUMBERS_MAX;
		@is_in{ $from .. $to } = ();
	}
	return sort { $a <=> $b } keys %is_in;
}

# Ascending numbers as Linux and taskset(1) write them: "0-2,5".
sub text
{
	my @ranges;
	for my $n (@_) {
		if (@ranges && $ranges[-1][1] == $n - 1) {
			$ranges[-1][1] = $n;
		} else {
			push @ranges, [ $n, $n ];
		}
	}
	return join ',', map { $_->[0] == $_->[1] ? $_->[0] : "$_->[0]-$_->[1]" } @ranges;
}

sub _read
{
	my ($path) = @_;
	open my $file, '<', $path or return;
	local $/;
	return scalar <$file>;
}

# The numbers of those that this process may use, ascending; nothing when that cannot be told. Its mask may have
# processors that are switched off, or are not there.
sub allowed
{
	my ($root) = (@_, '');
	my @allowed = numbers(_mask($root));
	my %online = map { $_ => 1 } _online($root);
	return %online ? grep { $online{$_} } @allowed : @allowed;
}

# The same as a list, with those.
sub _mask { return ((_read("$_[0]/proc/self/status") // '') =~ /^Cpus_allowed_list:\s*(\S+)/m)[0] // '' }

sub _online
{
	my ($root) = @_;
	return numbers(_read("$root/sys/devices/system/cpu/online") // '');
}

# Whether this machine has more than this process may use.
sub is_restricted
{
	my ($root) = (@_, '');
	my ($there, $mine) = ([ _online($root) ], [ allowed($root) ]);
	return @$there > @$mine;
}

# How many this process may use.
sub count { return scalar(my @allowed = allowed(@_)) || 1 }

# How many processes can compute here at a time: where the cgroup grants the time of fewer processors than may be
# used (docker --cpus=2), as many as that time is, begun ones counted.
sub at_once
{
	my ($count, $limit) = (count(@_), limit(@_));
	return $count if !defined $limit || $limit >= $count;
	return POSIX::ceil($limit) || 1;
}

# The cores of those that this process may use: [processor, ...] each, with what it may use of that core. In the
# order of sockets, and in a socket of their first processors. What Linux does not tell is a core of its own.
sub cores
{
	my ($root) = (@_, '');
	my @allowed = allowed($root);
	my %left = map { $_ => 1 } @allowed;
	my @cores;
	for my $first (@allowed) {
		next if !$left{$first};
		my $topology = "$root/sys/devices/system/cpu/cpu$first/topology";
		my ($socket) = (_read("$topology/physical_package_id") // '') =~ /^(\d+)/;
		my @core = grep { delete $left{$_} } $first, grep { $_ != $first } numbers(_read("$topology/thread_siblings_list") // '');
		push @cores, [ $socket // 0, @core ];
	}
	return map { my (undef, @core) = @$_; \@core } sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @cores;
}

# How many processors' time the cgroup of this process may take (1.5, say), or undef if there is no limit: the
# least that it or one above it has. For both versions of cgroups, where systems have them.
sub limit
{
	my ($root) = (@_, '');
	my $least;
	for my $line (split /\n/, _read("$root/proc/self/cgroup") // '') {
		my ($controllers, $path) = $line =~ /^\d+:([^:]*):(.*)/ or next;
		next if length $controllers && !grep { $_ eq 'cpu' } split /,/, $controllers;
		my $top = "$root/sys/fs/cgroup" . (length $controllers ? '/cpu' : '');
		my @folders = grep { length } split m{/}, $path;
		for my $depth (0 .. @folders) {
			my $here = _limit_of(join '/', $top, @folders[ 0 .. $depth - 1 ]) // next;
			$least = $here if !defined $least || $here < $least;
		}
	}
	return $least;
}

# That of one cgroup: quota and period in us.
sub _limit_of
{
	my ($folder) = @_;
	my $text = _read("$folder/cpu.max") // join ' ', map { _read("$folder/cpu.cfs_${_}_us") // '' } qw(quota period);
	my ($quota, $period) = $text =~ /^(\d{1,15})\s+([1-9]\d{0,14})\s*\z/ or return;
	return $quota / $period;
}

# Why no process can be bound here, or nothing: this one is bound to what it may use anyhow.
sub cannot_bind
{
	my @allowed = allowed();
	return 'the processors of this machine are not known' if !@allowed;
	return bind_to(@allowed) ? () : "sched_setaffinity: $!";
}

# Bind this process to these, one or more. False, with $! set, where that cannot be.
sub bind_to
{
	my (@processors) = @_;
	my @words = (0) x (1 + $processors[-1] / 64);
	$words[ $_ / 64 ] |= 1 << $_ % 64 for @processors;
	return _set_affinity(pack 'Q*', @words);
}

sub _set_affinity
{
	my ($mask) = @_;
	my $number = $SETAFFINITY{ _machine() };
	if (!defined $number) {
		$! = ENOSYS;
		return 0;
	}
	return syscall($number, 0, length $mask, $mask) == 0;
}

# Leave the processor on which this child of ours was put to the child, if that is the one where we run, and another one is idle: Linux puts a
# child beside its parent as often as not, and parts them only some milliseconds later. root: of what
# is said of the load.
sub leave_to
{
	my ($pid, $root) = (@_, '');
	my ($mine, $its) = map { _is_on($_) } 'self', $pid;
	return if !defined $mine || !defined $its || $mine != $its;
	my ($before, @online) = (_mask(''), allowed());
	my @others = grep { $_ != $mine } @online;
	return if !@others || _running($root) > @online || !bind_to(@others);
	# Who may use all that there are follows when they become more (cpusets); who was bound before is so again.
	_set_affinity("\xff" x (NUMBERS_MAX / 8));
	bind_to(numbers($before)) if _mask('') ne $before;
	return;
}

# Threads that run on this machine now, or wait for a processor.
sub _running { return ((_read("$_[0]/proc/loadavg") // '') =~ m{ ([0-9]{1,9})/})[0] // 0 }

# The processor where this process runs, or ran last.
sub _is_on { return ((_read("/proc/$_[0]/stat") // '') =~ /^.*\)(?: \S+){36} ([0-9]{1,5}) /s)[0] }

# When this process wakes up it does not interrupt one that computes, as those of the job do: it waits until that
# one waits, or has had its turn (some milliseconds). A policy that the user has chosen stays.
sub give_way
{
	my $numbers = $SCHEDULER{ _machine() } // return;
	return if syscall($numbers->[1], 0) != SCHED_OTHER;
	$gives_way = _set_policy(SCHED_BATCH);
	return;
}

# What this child of ours becomes does not.
sub give_way_no_more
{
	$gives_way = !_set_policy(SCHED_OTHER) if $gives_way;
	return;
}

sub _set_policy
{
	my ($policy, $priority) = (@_, pack 'i', 0);
	return syscall($SCHEDULER{ _machine() }[0], 0, $policy, $priority) == 0;
}

sub _machine { return $Config::Config{archname} =~ /^(\w+)/ ? $1 : '' }

1;
