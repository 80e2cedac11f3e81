#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What to think of ranks that show no life.
use strict;
use warnings;

use Test::More;

use FTMPI::Verdict ();

# hosts: the host of each rank; silent: host => seconds; suspicions "observer>rank" at time 0, judged at
# `now`. The judgement in words.
sub judged
{
	my ($hosts, $silent, $suspicions, $now) = @_;
	my @home = split //, $hosts;
	my $verdict = FTMPI::Verdict->new(period => 0.1, timeout => 1, size => scalar @home);
	for my $word (split ' ', $suspicions) {
		my ($observer, $rank, $ms) = $word =~ /^(\d+)>(\d+)(?:=(\d+))?\z/;
		$verdict->suspect($observer, $rank, $ms // 1000, 0);
	}
	my $judgement = $verdict->judge($now // 0.1, sub { $home[ $_[0] ] }, sub { $silent->{ $_[0] } // 0 });
	return 'nothing' if !$judgement;
	return join ' ', map { ref $_ ? join(',', @$_) : $_ } @$judgement;
}

for my $case (
	# rank 2 is stopped
	[ '0011',   {},                '0>2 3>2=1050', 'fence 2 1050',      'a rank that nobody hears' ],
	[ '0011',   {},                '3>2',          'fence 2 1000',      '... one beside it says so' ],
	[ '0011',   {},                '0>2',          'nothing',           'one word from afar is not enough' ],
	[ '0011',   {},                '0>2',          'apart 0 2 1000', '... for a while', 0.5 ],
	[ '01',     {},                '0>1',          'fence 1 1000',      '... but for two ranks, when it is the only one' ],
	[ '0122',   {},                '0>1 2>1 3>1',  'fence 1 1000',      'three words' ],
	# its host is gone
	[ '0011',   { 1 => 0.5 },      '0>2',          'host 1 1000',       'a host whose agent is silent, too' ],
	[ '0011',   { 1 => 0.4 },      '0>2',          'nothing',           '... but it was just heard' ],
	[ '001122', { 1 => 1, 2 => 1 }, '0>2 1>4=1100', 'host 1,2 1100',    'two hosts at once' ],
	[ '0011',   { 1 => 1 },        '0>2 0>1 2>1',  'host 1 1000',       '... settles the other suspicions' ],
	# the observer's host is gone or stuck
	[ '0011',   { 1 => 1 },        '3>0',          'nothing',           'the word of a silent host does not count' ],
	[ '001122', { 1 => 1 },        '3>0 4>0',      'nothing',           '... also beside another' ],
	[ '001122', { 1 => 1 },        '3>0 4>0',      'apart 4 0 1000',    '... which counts after a while', 0.5 ],
	[ '001122', { 1 => 1 },        '3>0 1>0',      'fence 0 1000',      '... or if it is beside it' ],
	# two hosts do not reach each other
	[ '01',     {},                '0>1 1>0=1100', 'link 0,1 0 1 1100', 'two ranks that do not hear each other' ],
	[ '001122', {},                '1>2 3>0',      'link 0,1 0 1 1000', 'two hosts of three' ],
	[ '001122', {},                '1>2 3>0 2>4 5>2', 'link 1 0 1 1000', 'one that two others do not hear' ],
	[ '001122', {},                '1>2 3>0 3>2',  'fence 2 1000',      'it is not the link when one beside it says so' ],
	[ '0011',   { 1 => 1 },        '0>2 3>0',      'host 1 1000',       'nor when one of them is silent' ],
	)
{
	my ($hosts, $silent, $suspicions, $want, $name, $now) = @$case;
	is(judged($hosts, $silent, $suspicions, $now), $want, $name);
}

my $verdict = FTMPI::Verdict->new(period => 0.1, timeout => 1, size => 4);
my @rules = (sub { $_[0] }, sub { 0 });
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
