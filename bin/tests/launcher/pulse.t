#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What is done about a keeper that does not answer.
use strict;
use warnings;

use Test::More;

use FTMPI::Launcher::Pulse ();

# What comes of it: asked (a), a turn in which the process is in the state of that letter (_: it has gone), answered (+).
# Each word with the number of the step.
sub told
{
	my ($steps, %arg) = @_;
	my $pulse = FTMPI::Launcher::Pulse->new(silent => 3, hung => 6, %arg);
	my ($n, @told) = (0);
	for my $step (split //, $steps) {
		$n++;
		if ($step eq 'a') {
			$pulse->asked;
		} elsif ($step eq '+') {
			push @told, "$n again" if $pulse->answered;
		} else {
			my $verdict = $pulse->turn($step eq '_' ? undef : $step) // next;
			push @told, "$n $verdict->[0]: $verdict->[1]";
		}
	}
	return \@told;
}

my $silent = 'say: does not answer for 3 s';
for my $case (
	[ 'a+a+a+',        [],                                                'it answers' ],
	[ 'aSS+aSS+aRR+',  [],                                                '... a little late' ],
	[ 'aTT+',          [],                                                '... and was stopped for a moment' ],
	[ 'aTTT',          ['4 kill: was stopped, and does not answer for 3 s'], 'it is stopped' ],
	[ 'attt',          ['4 kill: was stopped, and does not answer for 3 s'], '... by a debugger' ],
	[ 'aSST',          ['4 kill: was stopped, and does not answer for 3 s'], '... not from the beginning' ],
	[ 'aTTSS',         ["4 $silent"],                                     'it was stopped, and goes on' ],
	[ 'aSSST',         [ "4 $silent", '5 kill: was stopped, and does not answer for 4 s' ], 'it hangs, and is stopped' ],
	[ 'aSSSS+',        [ "4 $silent", '6 again' ],                        'it answers in the end' ],
	[ 'aSSS+aSS+aSSS', [ "4 $silent", '5 again', "13 $silent" ],          '... and not the next time' ],
	[ 'aSRSRSR',       [ "4 $silent", '7 kill: hangs, and does not answer for 6 s' ], 'it hangs' ],
	[ 'aDDD',          ["4 $silent: it waits for its disk"],              'it waits for its disk' ],
	[ 'a' . 'D' x 90 . '+', [ "4 $silent: it waits for its disk", '92 again' ], '... for as long as that takes' ],
	[ 'a' . 'SSSSSD' x 9, ["4 $silent"],                                  '... now and then' ],
	[ 'aDSSSSSS',      [ "4 $silent", '8 kill: hangs, and does not answer for 7 s' ], '... and then hangs' ],
	[ 'aDDDTTT',       [ "4 $silent: it waits for its disk", '5 kill: was stopped, and does not answer for 4 s' ], 'it waits for its disk, and is stopped' ],
	[ 'a' . 'Z' x 90,  ["4 $silent"],                                     'it has ended, and its debugger keeps that to itself' ],
	[ 'a' . '_' x 90,  ["4 $silent"],                                     'there is no such process' ],
	[ 'attttttttt',    [ '4 kill: was stopped, and does not answer for 3 s', '7 say: was killed, and is still there after 3 s: a debugger holds it' ],
		'it was killed, and stays' ],
	[ 'aTTTDDDDDD',    [ '4 kill: was stopped, and does not answer for 3 s', '7 say: was killed, and is still there after 3 s: it waits for its disk' ],
		'... for its disk' ],
	[ 'aTTTS+aSS',     ['4 kill: was stopped, and does not answer for 3 s'], 'its last answer comes after that' ],
	[ 'attttttt+',     [ '4 kill: was stopped, and does not answer for 3 s', '7 say: was killed, and is still there after 3 s: a debugger holds it' ],
		'... or later: it is still to end' ],
	)
{
	my ($steps, $want, $name) = @$case;
	is_deeply(told($steps), $want, $name);
}

my $pulse = FTMPI::Launcher::Pulse->new;
ok(!$pulse->is_open, 'at first nothing is asked');
$pulse->asked;
ok($pulse->is_open, 'a question is open');
$pulse->answered;
ok(!$pulse->is_open, '... until it is answered');

done_testing;
