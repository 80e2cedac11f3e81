#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What -inject and -inject-random say, and when which failure is due.
use strict;
use warnings;
no warnings 'qw';

use Test::More;

use FTMPI::Cli::Injections     ();
use FTMPI::Cli::Options        ();
use FTMPI::Launcher::Injection ();

sub parsed { return FTMPI::Cli::Injections::parse($_[0], '-inject') }

# The sentence of what is refused; nothing when it is not.
sub sentence
{
	my ($do) = @_;
	return if eval { $do->(); 1 };
	die $@ if !ref $@;
	is($@->status, 2, '... with status 2');
	return $@->text;
}

# ---- what is meant ----

is_deeply(parsed('kill:2@5s, stop:1@3s+2s,host:node3@10s ,cut:0-3@8s+1s,diskfull@20s,diskfull@1m+500ms,corrupt:1@30,corrupt:0@last'), [
	{ text => 'kill:2@5s', kind => 'kill', rank => 2, at => 5 },
	{ text => 'stop:1@3s+2s', kind => 'stop', rank => 1, at => 3, for => 2 },
	{ text => 'host:node3@10s', kind => 'host', host => 'node3', at => 10 },
	{ text => 'cut:0-3@8s+1s', kind => 'cut', rank => 0, peer => 3, at => 8, for => 1 },
	{ text => 'diskfull@20s', kind => 'diskfull', at => 20 },
	{ text => 'diskfull@1m+500ms', kind => 'diskfull', at => 60, for => 0.5 },
	{ text => 'corrupt:1@30', kind => 'corrupt', rank => 1, at => 30 },
	{ text => 'corrupt:0@last', kind => 'corrupt', rank => 0, at => 'last' },
], 'each kind of failure');
is(parsed('kill:0@1m30s')->[0]{at}, 90, 'a time in several units');
is(parsed($_)->[0]{at}, 0, "$_ is at once") for qw(kill:0@0 kill:0@0s kill:0@0ms);
is(parsed('host:[fd00::1]@1s')->[0]{host}, '[fd00::1]', 'a host by its address');
is(scalar @{ parsed(join ',', ('kill:0@1s') x 1000) }, 1000, 'a thousand failures');

# ---- what cannot be meant ----

my $help = '; try ftmpirun -help';
for my $case (
	[ 'kill:2@5s,,stop:1@3s+2s', q(failure 2, '': nothing is written here; write a failure such as kill:2@5s) ],
	[ '', q(failure 1, '': nothing is written here; write a failure such as kill:2@5s) ],
	[ 'kil:2@5s', q(failure 1, 'kil:2@5s': 'kil' is none of kill, stop, host, cut, diskfull, corrupt (did you mean kill?)) ],
	[ 'kill:2', q(failure 1, 'kill:2': it does not say when; write it as kill:2@5s) ],
	[ 'kill@5s', q(failure 1, 'kill@5s': it does not say of which rank; write it as kill:2@5s) ],
	[ 'kill:@5s', q(failure 1, 'kill:@5s': it does not say of which rank; write it as kill:2@5s) ],
	[ 'kill:x@5s', q(failure 1, 'kill:x@5s': 'x' is not a rank; write it as kill:2@5s) ],
	[ 'kill:-1@5s', q(failure 1, 'kill:-1@5s': '-1' is not a rank; write it as kill:2@5s) ],
	[ 'kill:2@soon', q(failure 1, 'kill:2@soon': 'soon' is not a time such as 5s, 1m30s or 500ms; write it as kill:2@5s) ],
	[ 'kill:2@', q(failure 1, 'kill:2@': '' is not a time such as 5s, 1m30s or 500ms; write it as kill:2@5s) ],
	[ 'kill:2@5s+1s', q(failure 1, 'kill:2@5s+1s': it has no end, as nothing mends it but a restart; write it as kill:2@5s) ],
	[ 'kill:2@last', q(failure 1, 'kill:2@last': 'last' is not a time such as 5s, 1m30s or 500ms; write it as kill:2@5s) ],
	[ 'kill:2@4000001', q(failure 1, 'kill:2@4000001': '4000001' is not a time from 0 to 4000000 s; write it as kill:2@5s) ],
	[ 'stop:1@3s', q(failure 1, 'stop:1@3s': it does not say for how long; write it as stop:1@3s+2s) ],
	[ 'stop:1@3s+0s', q(failure 1, 'stop:1@3s+0s': '0s' is not a time from 0.001 to 4000000 s; write it as stop:1@3s+2s) ],
	[ 'stop:1@3s+x', q(failure 1, 'stop:1@3s+x': 'x' is not a time such as 5s, 1m30s or 500ms; write it as stop:1@3s+2s) ],
	[ 'host@10s', q(failure 1, 'host@10s': it does not say of which host; write it as host:node3@10s) ],
	[ 'kill:0@1s, cut:3@8s+1s', q(failure 2, 'cut:3@8s+1s': '3' is not two ranks; write it as cut:0-3@8s+1s) ],
	[ 'cut:3-3@8s+1s', q(failure 1, 'cut:3-3@8s+1s': it needs two different ranks; write it as cut:0-3@8s+1s) ],
	[ 'cut:0-3@8s', q(failure 1, 'cut:0-3@8s': it does not say for how long; write it as cut:0-3@8s+1s) ],
	[ 'diskfull:1@3s', q(failure 1, 'diskfull:1@3s': it is of all ranks; write it as diskfull@20s, or diskfull@20s+5s) ],
	[ 'corrupt:1@3s+1s', q(failure 1, 'corrupt:1@3s+1s': it has no end, as nothing mends it but a restart; write it as corrupt:1@30s, or corrupt:1@last) ],
	)
{
	my ($value, $why) = @$case;
	is(sentence(sub { parsed($value) }), "-inject, $why$help", "'$value' is refused");
}
is(sentence(sub { parsed(join ',', ('kill:0@1s') x 1001) }), '-inject names 1001 failures, more than 1000', 'more than a thousand are refused');

sub checked { my ($value, %job) = @_; return sentence(sub { FTMPI::Cli::Injections::check(parsed($value), size => 4, %job) }) }

is(checked('kill:3@1s,cut:0-3@1s+1s,corrupt:1@last'), undef, 'ranks of the job');
is(checked('kill:3@1s,stop:4@1s+1s'), "-inject, failure 2, 'stop:4\@1s+1s': there is no rank 4: the job has ranks 0 to 3$help", 'a rank that is not in the job');
is(checked('cut:0-4@1s+1s'), "-inject, failure 1, 'cut:0-4\@1s+1s': there is no rank 4: the job has ranks 0 to 3$help", '... the second of two');
is(checked('kill:1@1s', size => 1), "-inject, failure 1, 'kill:1\@1s': there is no rank 1: the job has rank 0 alone$help", '... in a job of one');
is(checked('kill:1@1s,corrupt:1@last', alone => 1), "-inject, failure 2, 'corrupt:1\@last': with -coord msglog a rank has no checkpoint before its latest to go back to,"
		. " so nothing would go on; leave it out$help", 'a damaged checkpoint under message logging');
is(sentence(sub { FTMPI::Cli::Injections::check_hosts(parsed('kill:0@1s,host:c@1s'), qw(a b)) }),
	"-inject, failure 2, 'host:c\@1s': the job has no host of that name, but a, b$help", 'a host that is not in the job');
is(sentence(sub { FTMPI::Cli::Injections::check_hosts(parsed('host:b@1s'), qw(a b)) }), undef, '... and one that is');

# ---- at random: what is meant ----

sub rate { return FTMPI::Cli::Injections::parse_random($_[0], '-inject-random') }

for my $case ([ '6,1' => 600 ], [ '6/h,1' => 600 ], [ '1/10m,1' => 600 ], [ '2.5/d,1' => 34560 ], [ '10/s,1' => 0.1 ]) {
	my ($value, $mean) = @$case;
	is_deeply(rate($value), { text => $value, mean => $mean, seed => 1 }, "$value: every $mean s");
}
my $right = "; write RATE,SEED, as 6/h,42 or 1/10m,42$help";
for my $case (
	[ '6/h', 'it does not have a rate and a seed' ],
	[ '6/h,1,2' => 'it does not have a rate and a seed' ],
	[ 'often,1', q('often' is not a rate of failures) ],
	[ '6/x,1', q('x' is not a time such as h, 10m or 30s) ],
	[ '0/h,1', 'it has no failures' ],
	[ '11/s,1', 'failures come every 0.0909 s then, and they have to be from 0.1 to 4000000 s apart' ],
	[ '1/100d,1', 'failures come every 8.64e+06 s then, and they have to be from 0.1 to 4000000 s apart' ],
	[ '6/h,x', q('x' is not a seed from 0 to 4294967295) ],
	[ '6/h,4294967296', q('4294967296' is not a seed from 0 to 4294967295) ],
	)
{
	my ($value, $why) = @$case;
	is(sentence(sub { rate($value) }), "-inject-random: '$value': $why$right", "'$value' is refused");
}

# ---- when ----

# Time and rank of so many.
sub drawn
{
	my ($n, %arg) = @_;
	my $injection = FTMPI::Launcher::Injection->new(%arg);
	return map { my $fault = $injection->next_fault; "$fault->{at} $fault->{rank}" } 1 .. $n;
}

my $injection = FTMPI::Launcher::Injection->new(size => 4, faults => parsed('kill:2@5s,stop:1@3s+2s,corrupt:1@last,kill:3@5s,kill:0@0'));
is_deeply([ map { $_->{text} } $injection->at_restart ], ['corrupt:1@last'], 'one waits for a restart');
is_deeply([ map { $injection->next_fault->{text} } 1 .. 3 ], [ 'kill:0@0', 'stop:1@3s+2s', 'kill:2@5s' ], 'the others come by their times, and as they were written');
is_deeply([ map { $_->{text} } $injection->left ], ['kill:3@5s'], 'what has not come is known');
is($injection->next_fault->{rank}, 3, '... and comes');
is($injection->next_fault, undef, '... as the last');

# These are for ever: a seed that a user wrote down means the same.
is_deeply([ drawn(6, size => 8, random => rate('1/10m,42')) ], [ '1027.762 2', '1196.623 5', '1991.582 5', '2013.826 0', '2170.112 6', '3819.941 1' ], 'seed 42');
is_deeply([ drawn(3, size => 8, random => rate('1/10m,0')) ], [ '1723.763 6', '3434.44 7', '3828.108 6' ], 'seed 0');
is_deeply([ drawn(3, size => 8, random => rate('1/10m,2654435769')) ], [ '943.447 0', '2499.686 1', '2852.995 1' ], 'a seed that leaves nothing of the state');
isnt((drawn(1, size => 8, random => rate('1/10m,42')))[0], (drawn(1, size => 8, random => rate('1/10m,43')))[0], 'another seed, another time');

# Exponential: of so many the mean, the part that is shorter than it (1 - 1/e), and every rank as often.
my @all = drawn(20000, size => 5, random => rate('1/1000s,7'));
my ($before, $shorter, %of) = (0, 0);
for (@all) {
	my ($at, $rank) = split ' ';
	$shorter++ if $at - $before < 1000;
	$before = $at;
	$of{$rank}++;
}
cmp_ok(abs($before / @all - 1000), '<', 30, 'the mean is that of the rate') or diag $before / @all;
cmp_ok(abs($shorter / @all - (1 - exp -1)), '<', 0.015, '... and times are exponential') or diag $shorter / @all;
is_deeply([ sort keys %of ], [ 0 .. 4 ], 'each rank comes');
cmp_ok(abs($of{$_} / @all - 0.2), '<', 0.015, "... rank $_ as often as others") for 0 .. 4;

# Both together.
$injection = FTMPI::Launcher::Injection->new(size => 2, faults => parsed('stop:1@1s+1s,stop:0@3h+1s'), random => rate('1/10m,42'));
my @both = map { $injection->next_fault } 1 .. 40;
is_deeply([ map { $_->{at} } @both ], [ sort { $a <=> $b } map { $_->{at} } @both ], 'a list and random ones: by their times');
is(scalar(grep { !$_->{is_random} } @both), 2, '... all of both');

# ---- options ----

my $got = FTMPI::Cli::Options::parse(qw(-n 4 -inject kill:2@5s -inject-random 6/h,1 prog));
is($got->{inject}[0]{rank}, 2, '-inject is an option');
is($got->{'inject-random'}{mean}, 600, '-inject-random, too');
is(sentence(sub { FTMPI::Cli::Options::parse('-n', 4, '-inject', 'kill:2@5s', '-inject', 'kill:3@5s', 'prog') }), "-inject is given twice$help", 'one list');

done_testing();
