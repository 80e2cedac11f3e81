#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What to think of ranks that show no life.
use strict;
use warnings;

use Test::More;

use FTMPI::Launcher::Verdict ();

# hosts: the host of each rank; silent: host => seconds; suspicions "observer>rank" at time 0, and those
# that are taken back "observer<rank", judged at `now`. With words, "rank:word" as agents say and the hosts
# "starved=0,1", starved ones may be silent for 60 s. The judgement in words.
sub judged
{
	my ($hosts, $silent, $suspicions, $now, $words) = @_;
	my @home = split //, $hosts;
	my $verdict = FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => scalar @home, starved => defined $words ? 60 : 0);
	for my $word (split ' ', $suspicions) {
		my ($observer, $what, $rank, $ms) = $word =~ /^(\d+)([<>])(\d+)(?:=(\d+))?\z/;
		$verdict->suspect($observer, $rank, $ms // 1000, 0) if $what eq '>';
		$verdict->heard($observer, $rank) if $what eq '<';
	}
	$verdict->to_ask(0);
	my ($starved) = ($words // '') =~ /starved=(\S+)/;
	my %starved = map { $_ => 1 } split /,/, $starved // '';
	$verdict->told($1, $2, 0.1) while ($words // '') =~ /(\d+):(\w+)/g;
	my $judgement = $verdict->judge($now // 0.1, sub { $home[ $_[0] ] }, sub { $silent->{ $_[0] } // 0 },
		sub { $starved{ $_[0] } ? 60 : 0 });
	return 'nothing' if !$judgement;
	return join ' ', map { ref $_ ? join(',', @$_) : $_ } @$judgement;
}

for my $case (
	# rank 2 is stopped
	[ '0011',   {},                '0>2 3>2=1050', 'fence 2 1050 unknown', 'a rank that nobody hears' ],
	[ '0011',   {},                '3>2',          'fence 2 1000 unknown', '... one beside it says so' ],
	[ '0011',   {},                '0>2',          'nothing',           'one word from afar is not enough' ],
	[ '0011',   {},                '0>2',          'apart 0 2 1000', '... for a while', 0.5 ],
	[ '01',     {},                '0>1',          'fence 1 1000 unknown', '... but for two ranks, when it is the only one' ],
	[ '0122',   {},                '0>1 2>1 3>1',  'fence 1 1000 unknown', 'three words' ],
	# its host is gone
	[ '0011',   { 1 => 0.5 },      '0>2',          'host 1 1000',       'a host whose agent is silent, too' ],
	[ '0011',   { 1 => 0.4 },      '0>2',          'nothing',           '... but it was just heard' ],
	[ '001122', { 1 => 1, 2 => 1 }, '0>2 1>4=1100', 'host 1,2 1100',    'two hosts at once' ],
	[ '0011',   { 1 => 1 },        '0>2 0>1 2>1',  'host 1 1000',       '... settles the other suspicions' ],
	# the observer's host is gone or stuck
	[ '0011',   { 1 => 1 },        '3>0',          'nothing',           'the word of a silent host does not count' ],
	[ '001122', { 1 => 1 },        '3>0 4>0',      'nothing',           '... also beside another' ],
	[ '001122', { 1 => 1 },        '3>0 4>0',      'apart 4 0 1000',    '... which counts after a while', 0.5 ],
	[ '001122', { 1 => 1 },        '3>0 1>0',      'fence 0 1000 unknown', '... or if it is beside it' ],
	# two hosts do not reach each other
	[ '01',     {},                '0>1 1>0=1100', 'link 0,1 0 1 1100', 'two ranks that do not hear each other' ],
	[ '001122', {},                '1>2 3>0',      'link 0,1 0 1 1000', 'two hosts of three' ],
	[ '001122', {},                '1>2 3>0 2>4 5>2', 'link 1 0 1 1000', 'one that two others do not hear' ],
	[ '001122', {},                '1>2 3>0 3>2',  'fence 2 1000 unknown', 'it is not the link when one beside it says so' ],
	[ '0011',   { 1 => 1 },        '0>2 3>0',      'host 1 1000',       'nor when one of them is silent' ],
	)
{
	my ($hosts, $silent, $suspicions, $want, $name, $now) = @$case;
	is(judged($hosts, $silent, $suspicions, $now), $want, $name);
}

# What agents see.
for my $case (
	[ '0011', {}, '0>2',     '2:stopped',            'fence 2 1000 stopped', 'one that its agent sees stopped: one word is enough' ],
	[ '0011', {}, '0>2',     '2:hung 0:runs',        'fence 2 1000 hung', '... or that hangs' ],
	[ '0011', {}, '0>2 3>2', '0:runs 3:runs',        'nothing', 'its agent is asked first' ],
	[ '0011', {}, '0>2 3>2', '0:runs 3:runs',        'nothing', '... and waited for', 59 ],
	[ '0011', {}, '0>2 3>2', '0:runs 3:runs',        'fence 2 1000 unknown', '... but not for ever', 60 ],
	[ '0011', {}, '0>2 3>2', '2:starved 0:runs 3:runs', 'nothing', 'one that gets no processor' ],
	[ '0011', {}, '0>2 3>2', '2:starved 0:runs 3:runs', 'nothing', '... may be silent for long', 59 ],
	[ '0011', {}, '0>2 3>2', '2:starved 0:runs 3:runs', 'fence 2 61000 starved', '... but not for ever', 60 ],
	[ '0011', {}, '0>2 3>2', '2:gone 0:runs 3:runs', 'nothing', 'the end of one that is gone will be told' ],
	[ '0011', {}, '0>2 3>2', '2:unknown 0:runs 3:runs', 'fence 2 1000 unknown', 'one that nothing can be told of' ],
	[ '0011', {}, '0>2 3>2', '2:runs 0:runs 3:runs', 'nothing', 'one that runs may be heard yet', 1 ],
	[ '0011', {}, '0>2 3>2', '2:runs 0:runs 3:runs', 'apart 0 2 1000', '... and if it is not, the way is broken', 1.1 ],
	[ '0011', {}, '0>2 3>2', '2:runs 0:starved 3:starved', 'nothing', '... unless those who observe it get no processor', 50 ],
	[ '0011', {}, '0>2 3>2', '2:runs 0:starved 3:starved', 'apart 0 2 1000', '... for as long as such may be silent', 60 ],
	[ '0011', {}, '0>2 3>2', '2:runs 0:starved 3:runs', 'apart 3 2 1000', '... or one of them does', 1.1 ],
	[ '0011', {}, '0>2 3>2', '2:runs',               'nothing', '... which is asked', 50 ],
	[ '0011', {}, '0>2 3>2 0<2 3<2', '2:runs 0:runs 3:runs', 'nothing', 'who is heard again is not suspected', 50 ],
	[ '0011', {}, '0>2 3>2 3<2', '2:runs 0:runs 3:runs', 'apart 0 2 1000', '... by the one that hears it', 50 ],
	[ '01',   {}, '0>1 1>0', '0:runs 1:runs',        'link 0,1 0 1 1000', 'two that run and do not hear each other' ],
	[ '01',   {}, '0>1 1>0', '0:starved 1:runs',     'nothing', '... of which one gets no processor', 50 ],
	[ '01',   {}, '0>1 1>0', '0:runs',               'nothing', '... of which one is not known' ],
	[ '0011', { 1 => 1 }, '0>2', '0:runs',           'host 1 1000', 'a silent host' ],
	[ '0011', { 1 => 1 }, '0>2', '0:runs starved=0', 'host 1 1000', '... beside one that is short of processors' ],
	[ '0011', { 1 => 59 }, '0>2', '0:runs starved=1', 'nothing', '... that was short of them itself' ],
	[ '0011', { 1 => 60 }, '0>2', '0:runs starved=1', 'host 1 1000', '... but not for ever' ],
	[ '0011', { 1 => 5 }, '3>0', '0:runs starved=1', 'nothing', 'nor does its word count then', 50 ],
	)
{
	my ($hosts, $silent, $suspicions, $words, $want, $name, $now) = @$case;
	is(judged($hosts, $silent, $suspicions, $now, $words), $want, $name);
}

# Each observer counts from its own word on.
{
	my $verdict = FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => 4, starved => 60);
	my $judge = sub { join ' ', @{ $verdict->judge($_[0], sub { 0 }, sub { 0 }, sub { 0 }) // ['nothing'] } };
	for my $i (0 .. 20) {
		$verdict->suspect(0, 2, 1000, 3 * $i + 1);
		$verdict->heard(3, 2);
		$verdict->to_ask(3 * $i + 1);
		$verdict->told(2, 'starved', 3 * $i + 1.1);
		$verdict->suspect(3, 2, 1000, 3 * $i + 2.5);
		$verdict->heard(0, 2);
	}
	is($judge->(62), 'nothing', 'one that is heard by each observer every three seconds is not too long away');
	is($judge->(122.5), 'fence 2 61000 starved', '... and one is that a single one does not hear any more');
}

# A word of now and then is not the reason of a long silence.
{
	my $verdict = FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => 4, starved => 60);
	my $judge = sub { join ' ', @{ $verdict->judge($_[0], sub { 0 }, sub { 0 }, sub { 0 }) // ['nothing'] } };
	$verdict->suspect(0, 2, 1000, 0);
	$verdict->to_ask(0);
	$verdict->told(2, 'starved', 61);
	is($judge->(61), 'nothing', 'one that was starved just now was not so for a minute');
	$verdict->leaves(2);
	$verdict->suspect(0, 2, 1000, 62);
	is_deeply([ $verdict->to_ask(62) ], [2], 'what was told of a process before does not hold for the next: it is asked');
}

# What cannot be mended does not hide what can.
{
	my $verdict = FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => 4);
	my @home = (0, 0, 1, 1);
	$verdict->suspect(@$_, 1000, 0) for [ 0, 2 ], [ 2, 0 ], [ 1, 3 ], [ 2, 3 ];
	is(join(', ', map { join ' ', map { ref ? "@$_" : $_ } @$_ } $verdict->judgements(1, sub { $home[ $_[0] ] }, sub { 0 }, sub { 0 })),
		'link 0 1 0 1 1000, fence 3 1000 unknown, apart 2 0 1000, apart 0 2 1000, apart 1 3 1000', 'all judgements, the most serious first');
}

# One that gets a processor again is given time to be heard.
{
	my $verdict = FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => 4, starved => 60);
	my $judged = sub { return $verdict->judge($_[0], sub { $_[0] < 2 ? 0 : 1 }, sub { 0 }, sub { 0 }) };
	$verdict->suspect($_, 2, 1000, 0) for 0, 3;
	$verdict->to_ask(0);
	$verdict->told($_, 'runs', 0.2) for 0, 3;
	$verdict->told(2, 'starved', 0.2);
	$verdict->told(2, 'runs', 5);
	ok(!$judged->(5.9), 'one that runs again is not blamed at once');
	is($judged->(6)->[0], 'apart', '... but when it is not heard for a while');
	$verdict->told($_, 'starved', 7) for 0, 3;
	$verdict->told($_, 'runs', 8) for 0, 3;
	ok(!$judged->(8.9), 'nor when those run again who observe it');
	is($judged->(9)->[0], 'apart', '... and do not hear it');
}

# Who is asked about, and when.
{
	my $verdict = FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => 4, starved => 60);
	my $asked = sub { join ' ', $verdict->to_ask($_[0]) };
	is($asked->(0), '', 'while nobody is suspected nobody is asked about');
	$verdict->suspect(0, 2, 1000, 0);
	is($asked->(0), '0 2', 'both ends are');
	$verdict->suspect(3, 2, 1000, 0);
	is($asked->(9), '3', '... once');
	$verdict->told($_, 'starved', 10) for 2, 3;
	is($asked->(10.4), '', '... until some time after the answer');
	is($asked->(10.5), '2 3', '... and again');
	$verdict->told($_, 'starved', 11) for 0, 1, 2, 3;
	is($verdict->gather_time, 0.25, 'who is excused is seldom looked at');
	$verdict->leaves(3);
	$verdict->suspect(1, 0, 1000, 12);
	is($asked->(12), '0 1 2', 'one that is through is none of them, what was said of a rank that nobody suspected is nothing');
	$verdict->leaves(2);
	$verdict->leaves(1);
	ok(!$verdict->is_open, 'it is neither suspected any more, nor does it suspect');
}

my $verdict = FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => 4);
my @rules = (sub { $_[0] }, sub { 0 }, sub { 0 });
ok(!$verdict->is_open, 'nobody is suspected');
ok(!$verdict->judge(0, @rules), '... or judged');
$verdict->suspect(0, 2, 1000, 0);
$verdict->suspect(0, 2, 1000, 0);
ok($verdict->is_open, 'somebody is');
ok(!$verdict->judge(0.1, @rules), 'the same word twice is one');
$verdict->suspect(3, 2, 1000, 0);
$verdict->forget(2);
ok(!$verdict->judge(0.1, @rules), 'what is settled is forgotten');
$verdict->suspect($_, 2, 1000, 0) for 0, 3;
$verdict->clear;
ok(!$verdict->judge(0.1, @rules) && !$verdict->is_open, '... and all of it in a new epoch');

done_testing;
