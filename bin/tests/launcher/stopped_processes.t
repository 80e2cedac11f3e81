#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Which processes are stopped, and for how long.
use strict;
use warnings;

use Test::More;

use FTMPI::StoppedProcesses ();

# A story in words: "stop7", "go7", "pause", "on", or a number of turns. What was reported, as
# "process:limits" after the turn.
sub reported
{
	my ($story) = @_;
	my $stopped = FTMPI::StoppedProcesses->new;
	my ($turns, @told) = (0);
	for my $word (split ' ', $story) {
		if ($word =~ /^(stop|go)(\d+)\z/) {
			$stopped->$1($2);
		} elsif ($word =~ /^(?:pause|on)\z/) {
			$stopped->pause($word eq 'pause');
		} else {
			for (1 .. $word) {
				$turns++;
				push @told, map { "$_->[0]:$_->[1]\@$turns" } $stopped->turn;
			}
		}
	}
	return join ' ', @told;
}

for my $case (
	[ 'stop7 8',               '',                   'not before the limit, as the first turn may be short' ],
	[ 'stop7 9',               '7:1@9',              'after the limit' ],
	[ 'stop7 30',              '7:1@9 7:2@17 7:3@25', '... and after each one more, as what was told may come to nothing' ],
	[ '20 stop7 8',            '',                   'turns before it was stopped do not count' ],
	[ 'stop7 8 go7 20',        '',                   'one that is continued in time is never heard of' ],
	[ 'stop7 9 go7 20',        '7:1@9',              '... or not any more' ],
	[ 'stop7 8 go7 stop7 8 go7 stop7 8', '',         'stopped and continued by turns' ],
	[ 'stop7 8 stop7 8 stop7 8', '',                 '... also where only the stops were seen' ],
	[ 'stop7 3 stop5 2 stop9 7', '7:1@9 5:1@12', 'each for itself' ],
	[ 'stop7 stop5 9',         '5:1@9 7:1@9',        'two at once' ],
	[ 'stop7 stop5 4 go7 9',   '5:1@9',              '... of which one goes on' ],
	[ 'go7 9',                 '',                   'one that goes on and was never stopped' ],
	[ 'pause stop7 99',        '',                   'stopped on purpose' ],
	[ 'pause stop7 9 on go7 20', '',                 '... and continued' ],
	[ 'stop7 8 pause 20 on 8', '',                   'after a pause it is counted anew' ],
	[ 'stop7 8 pause 20 on 9', '7:1@37',             '... to the end' ],
	)
{
	my ($story, $want, $name) = @$case;
	is(reported($story), $want, "$name: $story");
}

my $stopped = FTMPI::StoppedProcesses->new;
my @counting;
for my $step ([ 'go', 1 ], [ 'stop', 1 ], [ 'pause', 1 ], [ 'pause', 0 ], [ 'go', 1 ]) {
	my ($what, $which) = @$step;
	$stopped->$what($which);
	push @counting, $stopped->is_counting ? 1 : 0;
}
is("@counting", '0 1 0 1 0', 'turns are of use only while one is stopped that should not be');

for my $case (
	[ 'heartbeat=100 heartbeat-timeout=300', 300,  'the timeout of heartbeats' ],
	[ 'heartbeat=100',                       1000, '... by default' ],
	[ 'heartbeat=100 heartbeat-timeout=300 debug=0', 300, '... without -debug' ],
	[ 'heartbeat=100 heartbeat-timeout=300 debug=1', 0, 'off with -debug' ],
	[ 'heartbeat=0 heartbeat-timeout=300',   0,    'off without heartbeats' ],
	[ 'keep=2',                              0,    '... which is the default of the settings' ],
	[ 'heartbeat=100 heartbeat-timeout=0',   0,    'no time at all' ],
	[ 'heartbeat=100 heartbeat-timeout=x',   0,    'a time that is none' ],
	[ 'heartbeat=-1 heartbeat-timeout=300',  0,    'a period that is none' ],
	)
{
	my ($settings, $want, $name) = @$case;
	is(FTMPI::StoppedProcesses::limit(split ' ', $settings), $want, "$name: $settings");
}

done_testing;
