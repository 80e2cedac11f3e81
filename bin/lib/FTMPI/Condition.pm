# SPDX-License-Identifier: BSD-3-Clause
#
# The condition of a process whose heartbeats are missed, from /proc. Pure: texts of /proc in, a word out.
#
#	stopped  by a signal, or by a debugger
#	starved  it would run, but gets no processor, or waits in the kernel for memory or a disk
#	hung     its heartbeats' thread sleeps through its own timer: another thread, or a lock, has it
#	runs     that thread runs: its beats are lost on the way, or read too late
#	gone     there is no such process
#	unknown  nothing can be told
#
# What a single look shows of a thread may be chance, so there are two, some time apart; but a process
# that is stopped is known by one.
package FTMPI::Condition;

use strict;
use warnings;

# The thread of the library whose beats are missed (lib/heartbeat).
use constant BEAT_THREAD => 'ftmpi-beat';

# A thread that waited for a processor for so large a part of the time between two looks is starved.
use constant WAITED_PART => 0.25;

use constant NS => 1e9;

# What a word is in a message.
my @WORDS = qw(unknown stopped starved hung runs gone);
my %NUMBER = map { $WORDS[$_] => $_ } 0 .. $#WORDS;

sub number { return $NUMBER{ $_[0] } }
sub word   { return $WORDS[ $_[0] ] // 'unknown' }

# A thread from the text of its `stat` and `schedstat`: name, state, ran and waited (ns), turns on a
# processor; nothing when they make no sense. A kernel that counts no turns (schedstat is missing, or
# all zero) has times of 10 ms.
sub thread
{
	my ($stat, $schedstat) = @_;
	my ($name, $state, @rest) = ($stat // '') =~ /^\d+ \((.*)\) ([A-Za-z]) (.*)/s or return;
	my ($user, $system) = (split ' ', $rest[0])[ 10, 11 ];
	return if ($system // '') !~ /^\d+\z/ || $user !~ /^\d+\z/;
	my ($ran, $waited, $turns) = ($schedstat // '') =~ /^(\d+) (\d+) (\d+)\s*\z/;
	($ran, $waited, $turns) = (($user + $system) * NS / 100, 0, $user + $system) if !$turns;
	return { name => $name, state => $state, ran => $ran, waited => $waited, turns => $turns };
}

# The load of the machine, in hundredths, from the text of /proc/loadavg; 0 when it makes no sense.
sub load
{
	my ($text) = @_;
	return ($text // '') =~ /^(\d{1,6})\.(\d\d) / ? 100 * $1 + $2 : 0;
}

# A look is { at => seconds, threads => { number => thread } }. What the first one tells already, or
# nothing.
sub at_once
{
	my ($look) = @_;
	my @threads = values %{ $look->{threads} };
	return 'gone' if !grep { $_->{state} !~ /[XZ]/ } @threads;
	my ($beat) = _beat($look);
	return 'stopped' if !grep { $_->{state} !~ /[TtXZ]/ } $beat // @threads;
	return;
}

# What two looks tell.
sub judge
{
	my ($before, $after) = @_;
	my $once = at_once($after);
	return $once if defined $once;
	my $limit = ($after->{at} - $before->{at}) * NS * WAITED_PART;
	my ($beat, $id) = _beat($after);
	my $was = defined $id ? $before->{threads}{$id} : undef;
	return _is_kept($before, $after) ? 'starved' : 'unknown' if !$was;
	return 'starved' if _is_waiting($was, $beat) || $beat->{waited} - $was->{waited} >= $limit;
	return 'runs' if $beat->{turns} != $was->{turns} || $beat->{ran} != $was->{ran};
	return _is_kept($before, $after) ? 'starved' : 'hung';
}

sub _beat
{
	my ($look) = @_;
	my $threads = $look->{threads};
	my ($id) = grep { $threads->{$_}{name} eq BEAT_THREAD } sort { $a <=> $b } keys %$threads;
	return defined $id ? ($threads->{$id}, $id) : ();
}

# It is in the kernel's hands, or has had no turn since. How long a thread has waited is counted when
# its turn comes, so that does not show here.
sub _is_waiting
{
	my ($was, $is) = @_;
	return 1 if $is->{state} eq 'D';
	return $is->{state} eq 'R' && $is->{turns} == $was->{turns} && $is->{ran} == $was->{ran};
}

# Some thread waits, that may have what others need.
sub _is_kept
{
	my ($before, $after) = @_;
	my $was = $before->{threads};
	return scalar grep { $was->{$_} && _is_waiting($was->{$_}, $after->{threads}{$_}) } keys %{ $after->{threads} };
}

1;
