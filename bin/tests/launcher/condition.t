#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What /proc says of a process whose heartbeats do not come.
use strict;
use warnings;

use POSIX ();
use Test::More;

use FTMPI::Agent::Examiner ();
use FTMPI::Condition       ();
use FTMPI::Loop            ();

# The text of /proc/PID/task/TID/stat, as the kernel writes it.
sub stat_text
{
	my ($name, $state, $user, $system) = @_;
	return "4711 ($name) $state 1 4700 4700 0 -1 4194368 95 0 7 0 $user $system 0 0 20 0 3 0 5200 3133440 372\n";
}

is_deeply(FTMPI::Condition::thread(stat_text('ftmpi-beat', 'S', 3, 4), "5000 600 70\n"),
	{ name => 'ftmpi-beat', state => 'S', ran => 5000, waited => 600, turns => 70 }, 'a thread');
is(FTMPI::Condition::thread(stat_text('a) R 1 (b', 'D', 3, 4), "5 6 7\n")->{state}, 'D', 'a name that looks like the rest');
for my $case ([ undef, 'no schedstat' ], [ "0 0 0\n", 'one that counts nothing' ], [ "1 2\n", 'one that is cut' ]) {
	my ($schedstat, $name) = @$case;
	is_deeply(FTMPI::Condition::thread(stat_text('x', 'R', 3, 4), $schedstat),
		{ name => 'x', state => 'R', ran => 7e7, waited => 0, turns => 7 }, "$name: times are taken from stat");
}
for my $bad (undef, '', '4711', '4711 (x', '4711 (x) R 1 2 3', '4711 (x) R' . ' a' x 40, 'x (x) R' . ' 1' x 40) {
	is(FTMPI::Condition::thread($bad, '1 2 3'), undef, 'no thread: ' . ($bad // 'nothing'));
}
is(FTMPI::Condition::load("84.07 40.00 20.10 81/400 12345\n"), 8407, 'a load');
is(FTMPI::Condition::load($_), 0, 'no load') for undef, '', 'x', '1', '99999999999.00 ';
is(FTMPI::Condition::word(FTMPI::Condition::number($_)), $_, "$_ is a number in a message")
	for qw(unknown stopped starved hung runs gone);
is(FTMPI::Condition::word(99), 'unknown', '... and any other number says nothing');

# A look: threads as "name:state:ran:waited:turns" in ms.
sub look_of
{
	my ($at, @threads) = @_;
	my %threads;
	for my $i (0 .. $#threads) {
		my ($name, $state, $ran, $waited, $turns) = split /:/, $threads[$i];
		$name = { m => 'program', b => 'ftmpi-beat' }->{$name} // $name;
		$threads{ 100 + $i } = { name => $name, state => $state, ran => 1e6 * $ran, waited => 1e6 * $waited, turns => $turns };
	}
	return { at => $at, threads => \%threads };
}

# 150 ms later.
for my $case (
	[ 'm:T:5:0:1 b:T:5:0:9', '',                     'stopped', 'stopped by a signal' ],
	[ 'm:t:5:0:1 b:t:5:0:9', '',                     'stopped', 'stopped by a debugger' ],
	[ 'm:T:5:0:1',           '',                     'stopped', '... before MPI_Init' ],
	[ 'm:Z:5:0:1',           '',                     'gone',    'it has ended' ],
	[ '',                    '',                     'gone',    '... and was waited for' ],
	[ 'm:Z:5:0:1 b:S:5:0:9', 'm:Z:5:0:1 b:S:6:0:10', 'runs',    'its first thread has ended' ],
	[ 'm:R:5:0:1 b:S:5:0:9', 'm:R:150:0:1 b:S:6:0:11', 'runs',  'its beats are under way' ],
	[ 'm:R:5:0:1 b:R:5:0:9', 'm:R:150:0:1 b:R:150:0:10', 'runs', '... or it is at it' ],
	[ 'm:S:5:0:1 b:S:5:0:9', 'm:S:5:0:1 b:S:5:0:9',  'hung',    'it sleeps through its timer' ],
	[ 'm:R:5:0:1 b:S:5:0:9', 'm:R:90:0:9 b:S:5:0:9', 'hung',    '... while the program runs' ],
	[ 'm:R:5:0:1 b:S:5:0:9', 'm:R:5:0:1 b:S:5:0:9',  'starved', '... or has what it waits for, and no processor' ],
	[ 'm:S:5:0:1 b:S:5:0:9', 'm:D:5:0:1 b:S:5:0:9',  'starved', '... or is in the kernel' ],
	[ 'm:R:5:0:1 b:R:5:0:9', 'm:R:50:0:1 b:R:5:0:9', 'starved', 'it waits for its turn' ],
	[ 'm:S:5:0:1 b:R:5:0:9', 'm:S:5:0:1 b:S:6:40:10', 'starved', 'it has waited, and had it' ],
	[ 'm:S:5:0:1 b:S:5:0:9', 'm:S:5:0:1 b:R:6:37:11', 'runs',   'it has waited a little' ],
	[ 'm:S:5:0:1 b:S:5:0:9', 'm:S:5:0:1 b:D:5:0:9',  'starved', 'it waits for memory or a disk' ],
	[ 'm:S:5:0:1 b:S:5:0:9', 'm:T:5:0:1 b:T:5:0:9',  'stopped', 'it was stopped in between' ],
	[ 'm:S:5:0:1 b:S:5:0:9', '',                     'gone',    'it has ended in between' ],
	[ 'm:S:5:0:1',           'm:S:5:0:1',            'unknown', 'without a thread for it nothing can be told' ],
	[ 'm:S:5:0:1',           'm:S:5:0:1 b:S:5:0:9',  'unknown', '... nor with a new one' ],
	[ 'm:R:5:0:1',           'm:R:5:0:1',            'starved', '... unless it gets no processor' ],
	)
{
	my ($before, $after, $want, $name) = @$case;
	my ($first, $second) = (look_of(7, split ' ', $before), look_of(7.15, split ' ', $after));
	is(FTMPI::Condition::at_once($first) // FTMPI::Condition::judge($first, $second), $want, "$name: $want");
}

# Real ones.
my $loop = FTMPI::Loop->new;
my $examiner = FTMPI::Agent::Examiner->new(loop => $loop);

# The word for this process, from two looks that are so far apart.
sub asked
{
	my ($pid) = @_;
	my ($word, $load);
	$examiner->ask('x', $pid, 0.02, sub { ($word, $load) = @_ });
	$loop->turn while !defined $word;
	like($load, qr/^\d+\z/, 'the load is a number');
	return $word;
}

sub child
{
	my ($do) = @_;
	my $pid = fork // die "fork: $!\n";
	return $pid if $pid;
	$do->();
	POSIX::_exit(0);
}

my $pid = child(sub { sleep 1 while 1 });
my $look = FTMPI::Agent::Examiner::look($pid);
is_deeply([ keys %{ $look->{threads} } ], [$pid], 'its threads are found');
isnt(asked($pid), $_, "a process that sleeps is not $_") for qw(stopped gone);
kill 'STOP', $pid;
waitpid $pid, POSIX::WUNTRACED();
is(asked($pid), 'stopped', 'one that is stopped is');
kill 'KILL', $pid;
waitpid $pid, 0;
is(asked($pid), 'gone', 'one that has ended is gone');
my @answers;
$examiner->ask('y', $$, 60, sub { push @answers, @_ }) for 1, 2;
is(scalar keys %{ $loop->{timers} }, 1, 'who is asked twice looks once');
$examiner->ask('z', $$, 60, sub { push @answers, @_ });
$examiner->forget('z');
is(scalar keys %{ $loop->{timers} }, 1, '... and not at all at a process that has gone, when another has its place');
$examiner->forget;
is(scalar keys %{ $loop->{timers} }, 0, '... or not at all, when that is of no interest any more');

done_testing;
