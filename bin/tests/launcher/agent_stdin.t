#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Standard input of rank 0 through restarts: who has read of it is started anew, and gets what the
# launcher sends again from the beginning.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use Test::More;

use AgentTest;
use LauncherTest;

my @rank = ($^X, $RANK);

# What the rank read, to its end.
sub input { my ($agent) = @_; return ($agent->await_text(0, qr/^input=(.*);\n/m))[0] }

sub taken
{
	my ($agent) = @_;
	my $sum = 0;
	$sum += $_ for map { /^STDIN_TAKEN (\d+)/ } $agent->lines;
	return $sum;
}

subtest 'input that was read' => sub {
	my ($agent, @pids) = AgentTest->begun(2, @rank, qw(join facts 0:input obey));
	$agent->order('STDIN', 'some words');
	$agent->await(qr/^STDIN_TAKEN 10$/);
	$agent->again(1);
	is($agent->facts(1)->{pid}, $pids[1], 'others begin again in place');
	isnt($agent->facts(0)->{pid}, $pids[0], '... rank 0 does not');
	$agent->order('STDIN', $_) for 'some words', ', and more';
	$agent->order('STDIN_END');
	is(input($agent), 'some words, and more', '... it gets all from the beginning');
	is(taken($agent), 20, '... which is told as for any rank');
	is_deeply([ $agent->said(qr/CLOSED/) ], [], '... and nothing is told of the old one');
	$agent->again(2);
	$agent->order('STDIN', 'some words, and more');
	$agent->order('STDIN_END');
	is(input($agent), 'some words, and more', '... at every restart');
	$agent->end_well('input');
};

subtest 'input that waited for its reader' => sub {
	my ($agent) = AgentTest->begun(1, @rank, qw(join facts @0:deaf input obey));
	my $much = 'abcdefg' x 40000;
	$agent->order('STDIN', $much);
	$agent->order('PING');
	$agent->await(qr/^PONG/);
	$agent->again(1);
	$agent->order('STDIN', "new $much");
	$agent->order('STDIN_END');
	ok(input($agent) eq "new $much", 'is forgotten when rank 0 begins again');
	$agent->end_well('input that waited');
};

subtest 'no input yet' => sub {
	my ($agent, @pids) = AgentTest->begun(1, @rank, qw(join facts obey));
	$agent->again(1);
	is($agent->facts(0)->{pid}, $pids[0], 'rank 0 begins again in place');
	$agent->end_well('no input yet');

	($agent, @pids) = AgentTest->begun(1, @rank, qw(join facts @0:asked @0:answer @0:again input));
	$agent->restart(1);
	$agent->order('STDIN', 'too early');
	$agent->run(epoch => 1);
	$agent->order('STDIN', 'now');
	$agent->order('STDIN_END');
	is($agent->facts(0)->{pid}, $pids[0], '... also with input to come');
	is(input($agent), 'now', '... which it gets, but for what comes before RUN');
	$agent->end_well('input to come');
};

subtest 'the end of input' => sub {
	my ($agent, @pids) = AgentTest->begun(1, @rank, qw(join facts input obey));
	$agent->order('STDIN_END');
	is(input($agent), '', 'empty input');
	$agent->again(1);
	$agent->order('STDIN_END');
	is($agent->facts(0)->{pid}, $pids[0], '... is no reason to start anew');
	is(input($agent), '', '... and ends again');
	$agent->end_well('the end of input');
};

# It is in place when RUN comes, gets input, and does not come back: the next one gets it.
subtest 'input for a process that does not begin again' => sub {
	for my $how (qw(deaf kill:KILL)) {
		my ($agent, @pids) = AgentTest->begun(1, @rank, 'join', 'facts', "\@0:$how", 'input');
		$agent->again(1);
		$agent->order('STDIN', 'for whom it may concern');
		$agent->order('STDIN_END');
		isnt($agent->facts(0)->{pid}, $pids[0], "rank 0 is started anew ($how)");
		is(input($agent), 'for whom it may concern', '... and gets its input');
		is(taken($agent), 23, '... which is told once');
		$agent->end_well($how);
	}
};

subtest 'a rank 0 that reads no more' => sub {
	my ($agent, @pids) = AgentTest->begun(1, @rank, qw(join @0:shut facts input obey));
	$agent->order('STDIN', 'unheard');
	$agent->await(qr/^STDIN_CLOSED/);
	$agent->again(1);
	$agent->order('STDIN', 'heard');
	$agent->order('STDIN_END');
	isnt($agent->facts(0)->{pid}, $pids[0], 'is started anew');
	is(input($agent), 'heard', '... and reads again');
	$agent->end_well('no more');
};

subtest 'input before rank 0 is started' => sub {
	my $agent = AgentTest->new;
	$agent->bind(0);
	$agent->order('SUSPEND', 1);
	$agent->run(ranks => [0], command => [ @rank, qw(join input) ]);
	$agent->order('STDIN', 'early');
	$agent->order('STDIN_END');
	$agent->order('SUSPEND', 0);
	is(input($agent), 'early', 'waits for it');
	$agent->end_well('early input');
};

# Ranks of a job with images: of another one's standard input nothing is held back.
sub image_job
{
	my ($ranks, @command) = @_;
	my $agent = AgentTest->new;
	$agent->{run} = { settings => ['image=1'] };
	$agent->start($ranks, @command);
	$agent->all('pid', 0 .. $ranks - 1);
	return $agent;
}

# Of the pipe, before each step of a recovery line, and after rank 0 has made its part.
subtest 'how much rank 0 has read' => sub {
	my $number = 0;
	my ($agent) = image_job(2, @rank,
		qw(join facts 0:take:4 save saved:1 save 0:take:3 saved:0 save 0:shut saved:1 hang));
	$agent->order('STDIN', 'some words');
	$agent->order('STDIN_END');
	$agent->await_text(0, qr/took=some;\n/);
	my @unknown = (4294967295) x 2;
	for my $case ([ [ 4, 0 ], [ 4, 0 ], 'before its part and after it' ], [ [ 4, 0 ], [ 7, 0 ], '... when it reads meanwhile' ],
		[ [ 7, 0 ], \@unknown, '... and when it closes its input meanwhile' ]) {
		my ($before, $after, $what) = @$case;
		my $n = ++$number;
		$agent->pass;
		$agent->order('SAVE_ALL', 0, $n, 1);
		$agent->await(qr/^NEWS $_ SAVED $n/) for 0, 1;
		is_deeply([ $agent->said(qr/READ|NEWS 0 SAVED/) ],
			[ "STDIN_READ $n @$before", "STDIN_READ $n @$after", 'NEWS 0 SAVED ' . $n . ' ' . ($n == 2 ? 0 : 1) ], $what);
	}
	$agent->end_well('measures');

	($agent) = image_job(2, @rank, qw(join facts hang));
	$agent->order('SAVE_ALL', 0, 1, 0);
	ok($agent->await(qr/^STDIN_READ 1 0 0$/), 'nothing, where nothing was written');
	$agent->end_well('no input');
};

subtest 'no input while a line is made' => sub {
	my $gate = scratch() . '/gate';
	my ($agent) = image_job(1, @rank, qw(join facts save), "await:$gate", qw(saved:1 save take:8 hang));
	$agent->order('SAVE_ALL', 0, 1, 0);
	$agent->await_text(0, qr/^save=/m);
	$agent->pass;
	$agent->order('STDIN', 'come');
	$agent->order('PING');
	$agent->await(qr/^PONG/);
	is(taken($agent), 0, 'rank 0 gets none');
	open my $open, '>', $gate or die "gate: $!\n";
	ok($agent->await(qr/^STDIN_TAKEN 4$/), 'until it has made its part');
	ok($agent->await(qr/^NEWS 0 SAVED 1 1$/), '... of which the launcher hears');
	is_deeply([ $agent->said(qr/READ|TAKEN/) ], [ 'STDIN_READ 1 0 0', 'STDIN_TAKEN 4' ], '... and what it had read by then');
	$agent->order('SAVE_ALL', 0, 2, 0);
	ok($agent->await_text(0, qr/^save=0 2 0$/m), 'another line');
	$agent->order('STDIN', 'more');
	ok($agent->await_text(0, qr/^took=comemore;$/m), 'nor for long, where it makes none');
	$agent->end_well('no input while a line is made');
};

done_testing;
