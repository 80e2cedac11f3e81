#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Lines out of bytes.
use strict;
use warnings;

use Test::More;

use FTMPI::Launcher::OutputLines ();

my $plain = FTMPI::Launcher::OutputLines->new(tag => 0, interactive => 0);
is($plain->add(1, 1, 'ab',        0), '',       'a partial line is held');
is($plain->add(2, 1, "other\n",   0), "other\n", 'another rank passes it');
is($plain->add(1, 2, "err\n",     0), "err\n",  'so does the other stream');
is($plain->add(1, 1, "c\nd\nef",  0), "abc\nd\n", 'whole lines go on');
is_deeply([ $plain->finish(1) ], [ [ 1, 'ef' ] ], 'the rest goes when the rank ends');
is_deeply([ $plain->finish(1) ], [],              'once');
is($plain->add(3, 1, 'x' x 65535, 0), '', 'a long line is held');
is(length $plain->add(3, 1, 'x', 0), 65536, 'but not longer than 64 KiB');
$plain->add(4, 1, 'four', 0);
$plain->add(5, 2, 'five', 0);
is_deeply([ grep { @$_ > 1 } map { [ $_, $plain->finish($_) ] } $plain->ranks ], [ [ 4, [ 1, 'four' ] ], [ 5, [ 2, 'five' ] ] ], 'all that is left');

$plain->add(6, 1, 'step 7: ', 0);
$plain->add(6, 2, 'oops', 0);
is_deeply([ $plain->finish(6, 1) ], [ [ 2, 'oops' ] ], 'of a rank whose next process goes on, standard output is held');
is($plain->add(6, 1, "9 done\n", 0), "step 7: 9 done\n", '... and goes on');

my $prompt = FTMPI::Launcher::OutputLines->new(tag => 0, interactive => 0);
is($prompt->idle_time, undef, 'nothing to wait for');
$prompt->add(1, 1, 'half', 10);
is($prompt->idle_time, undef, 'nor for the half line of another rank');
$prompt->add(0, 1, 'name? ', 10);
is($prompt->idle_time, 10.1, 'a prompt is due after a while');
$prompt->add(1, 1, '!', 10.05);
is($prompt->idle_time, 10.15, 'when nothing came in between');
is_deeply([ $prompt->idle(10.14) ], [], 'not before');
is_deeply([ $prompt->idle(10.15) ], [ [ 1, 'name? ' ] ], 'then it is shown');
is($prompt->idle_time, undef, 'once');
is($prompt->add(0, 1, "Bob\n", 11), "Bob\n", 'and its line goes on');

my $tagged = FTMPI::Launcher::OutputLines->new(tag => 1, interactive => 0);
is($tagged->add(7, 1, "a\n\nb\nc", 0), "[7] a\n[7] \n[7] b\n", 'every line has a tag');
is_deeply([ $tagged->finish(7) ], [ [ 1, "[7] c\n" ] ], 'and ends');
$tagged->add(0, 1, 'name? ', 0);
is_deeply([ $tagged->idle(1) ], [ [ 1, '[0] name? ' ] ], 'a prompt has one');
is($tagged->add(0, 1, "Bob\nnext\n", 1), "Bob\n[0] next\n", 'the rest of its line has none');

my $second  = 10;
my $stamped = FTMPI::Launcher::OutputLines->new(tag => 1, stamp => sub { 'at ' . $second++ }, interactive => 0);
is($stamped->add(7, 1, "a\nb\nc", 0), "[7] at 10 a\n[7] at 10 b\n", 'every line has a tag and a time');
is($stamped->add(7, 1, "d\n", 0),    "[7] at 11 cd\n",             '... a line one time');
$stamped->add(0, 1, 'name? ', 0);
is_deeply([ $stamped->idle(1) ], [ [ 1, '[0] at 12 name? ' ] ], '... a prompt, too');
is($stamped->add(0, 1, "Bob\n", 1), "Bob\n", '... once');
$stamped = FTMPI::Launcher::OutputLines->new(tag => 0, stamp => sub { 'at 3' }, interactive => undef);
is($stamped->add(7, 1, 'x' x 65536, 0) . $stamped->add(7, 1, "y\n", 0), 'at 3 ' . 'x' x 65536 . "y\n", '... also one that is longer than what is held');
$stamped->add(7, 1, 'no end', 0);
is_deeply([ $stamped->finish(7) ], [ [ 1, 'at 3 no end' . "\n" ] ], '... and ends');

done_testing;
