#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# -ckpt-interval auto: the formula, what it is fed with, and what comes of it in a job.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use List::Util qw(min);
use Test::More;

use FTMPI::Launcher::AutoInterval ();
use FTMPI::Launcher::Lines        ();
use LauncherTest;

sub near { my ($got, $want, $what) = @_; return ok(abs($got - $want) <= 0.005 * $want, $what) || diag "got $got, expected $want" }

# The worked example of section 5.8: a line costs 4 minutes, the job fails every 50.
near(FTMPI::Launcher::AutoInterval::young(4, 50), 20, 'the formula of section 5.8');
near(FTMPI::Launcher::AutoInterval::daly(4, 50), 20 * (1 + sqrt(0.04) / 3 + 0.04 / 9) - 4, 'that of Daly');
is(FTMPI::Launcher::AutoInterval::daly(10, 4), 4, '... where a line costs more than the time between two failures allows');

# What either says is close to the best of all where the whole time is reckoned without approximations: work of `cost`-ly lines, failures that
# are distributed exponentially (Daly 2006, equation 20, without a restart).
sub whole { my ($interval, $cost, $mtbf) = @_; return (exp(($interval + $cost) / $mtbf) - 1) * $mtbf / $interval }
for my $case ([ 1, 3600 ], [ 1, 100 ], [ 1, 10 ], [ 2, 6 ]) {
	my ($cost, $mtbf) = @$case;
	my $best  = min(map { whole($_ * $mtbf / 1000, $cost, $mtbf) } 1 .. 5000);
	my $found = whole(FTMPI::Launcher::AutoInterval::best($cost, $mtbf), $cost, $mtbf);
	cmp_ok($found, '<=', 1.05 * $best, "a line of $cost s, a failure every $mtbf s: within 5 % of the best") or diag "$found, $best";
}
is(FTMPI::Launcher::AutoInterval::best(1e-6, 1), 0.1, 'no interval is shorter than the bound');
is(FTMPI::Launcher::AutoInterval::best(100, 1e9), 86400, '... nor longer');
is(FTMPI::Launcher::AutoInterval::best(5, 1), 5, 'lines do not cost more than half of the time');

sub committed { my ($auto, $now, $stood, $lines) = @_; return $auto->note($now, 'line_committed', { stood_longest => $stood, stood_lines => $lines // 1 }) }

my $auto = FTMPI::Launcher::AutoInterval->new(mtbf => 3600);
is($auto->interval, 10, 'the first line comes after 10 s');
is(FTMPI::Launcher::AutoInterval->new(mtbf => 20)->interval, 2, '... or sooner where failures are frequent');
$auto->note(0, 'ready', {});
is($auto->note(5, 'line_committed', {}), undef, 'a line of which nothing is known changes nothing');
my $better = committed($auto, 10, 6, 3);
near($better->{seconds}, sqrt(2 * 2 * 3610), 'then it follows from the cost of one line, and what the user expects');
is_deeply([ @$better{qw(cost failures)} ], [ 2, 0 ], '... which is told');
is($auto->interval, $better->{seconds}, '... and counts');
is(committed($auto, 130, 2), undef, 'one that is nearly the same is not told');
$better = $auto->note(130, 'failure', { decision => 'restart', ranks => [1] });
near($better->{mtbf}, (3600 + 130) / 2, 'a failure is one more beside the one that was expected');
is($auto->note(140, 'failure', { decision => 'end' }), undef, 'what ends the job is none');
$auto->note(150, 'back', {});
committed($auto, 250, 2) for 1;
$better = $auto->note(250, 'failure', { decision => 'restart' });
near($better->{mtbf}, (3600 + 130 + 100) / 3, 'time in which the ranks came back does not count');

$auto = FTMPI::Launcher::AutoInterval->new;
$auto->note(0, 'ready', {});
near(committed($auto, 10, 0.5)->{mtbf}, 86400 + 10, 'what nobody has said is assumed');
for my $n (1 .. 10) {
	my $told = $auto->note(10 + 100 * $n, 'failure', { decision => 'restart' });
	$better = $told if $told;
	$auto->note(10 + 100 * $n, 'back', {});
}
near($better->{mtbf}, 110, '... until failures are seen');
committed($auto, 2000 + $_, 5) for 1 .. 20;
near(committed($auto, 2030, 50)->{cost}, (7 * 5 + 50) / 8, 'of the costs the last ones count');

# A job that fails more often than a first line comes would never have one.
$auto = FTMPI::Launcher::AutoInterval->new;
for my $n (0 .. 1) {
	$auto->note(10 * $n, 'ready', {});
	$better = $auto->note(10 * $n + 4, 'failure', { decision => 'restart' });
	is_deeply($better, $n ? undef : { seconds => 0.4, mtbf => 4, failures => 1 }, $n ? 'the same again changes nothing' : 'failures before the first line bring it forward');
}
is($auto->interval, 0.4, '... to a tenth of the time between them');
is($auto->note(15, 'failure', { decision => 'restart' }), undef, 'one before the ranks are there tells nothing');
$auto->note(20, 'ready', {});
$auto->note(20.1, 'failure', { decision => 'restart' });
near($auto->interval, 8.1 / 3 / 10, '... as it is by then');
$auto->note(30, 'ready', {});
near(committed($auto, 31, 0.5)->{cost}, 0.5, '... until a line tells what one costs');
$auto = FTMPI::Launcher::AutoInterval->new(mtbf => 86400);
$auto->note(0, 'ready', {});
is($auto->note(4, 'failure', { decision => 'restart' }), undef, 'what the user expects counts there, too');

# Who makes the lines is told when.
my $hosts = bless {}, 'Hosts';
sub Hosts::size { return 2 }
my $lines = FTMPI::Launcher::Lines->new(hosts => $hosts, image => { interval => 10, patience => 60, program => 1 });
my ($first) = $lines->all_inited;
is_deeply([ @$first[ 0 .. 2 ] ], [ timer => 'line_due', 10 ], 'a program that makes its lines itself');
my @actions = $lines->due($first->[3]);
is_deeply([ map { $_->[0] } @actions ], [qw(save_all timer)], '... is told when one is due');
is_deeply([ $lines->interval(30) ], [], '... while it makes one another interval is for later');
is_deeply([ map { [ @$_[ 0 .. 2 ] ] } $lines->committed(1) ], [ [ 'timer', 'line_due', 30 ] ], '... which begins with its line');
is_deeply([ map { [ @$_[ 0 .. 2 ] ] } $lines->interval(5) ], [ [ 'timer', 'line_due', 5 ] ], 'an interval that has begun is another one at once');
my $stamp = ($lines->interval(5))[0][3];
@actions = $lines->due($stamp);
$stamp = $actions[1][3];
is_deeply([ map { $_->[0] } $lines->due($stamp) ], [qw(save_all timer)], 'one that does not make it is told again, without a word');

# ---- jobs ----

my $work = scratch() . '/runs';
my $job = ftmpirun([ qw(-record -v -ckpt-interval auto -mtbf 5 -n 1 -workdir), $work, $^X, $RANK, split(/ /, "join told_due cost:1,500000,500000 line:1 told_due line:2 finalize") ]);
is($job->{status}, 0, 'a job') or diag $job->{err};
like($job->{err}, qr/ a recovery line is made every 2(?:\.\d+)? s from now on: one costs 0\.5 s, and the job fails every [\d.]+ s \(0 failures seen\)\n/, '... -v tells of it');
$job = ftmpirun([ qw(-v -ckpt-interval auto -n 1 -inject kill:0@0 -workdir), "$work.failing", $^X, $RANK, split(/ /, 'join told_due line:1 told_due finalize') ]);
like($job->{err}, qr/ a recovery line is made every 0\.1 s from now on: there is none yet, and the job fails every [\d.]+ m?s \(1 failure seen\)\n/, 'one that fails before its first line');
my ($record) = glob "$work/*/events.jsonl";
if (ok(defined $record, 'the job has a record')) {
	open my $file, '<', $record or die "$record: $!\n";
	like(join('', <$file>), qr/"event":"interval"/, '... with it');
}
for my $case ([ [qw(-mtbf 5 -n 1 p)], qr/-mtbf has no meaning without -ckpt-interval auto/ ], [ [qw(-coord msglog -ckpt-interval auto -n 1 p)], qr/-ckpt-interval auto has no meaning with -coord msglog/ ]) {
	my ($words, $sentence) = @$case;
	$job = ftmpirun($words);
	is($job->{status}, 2, "@$words");
	like($job->{err}, $sentence, '... is refused');
}

done_testing;
