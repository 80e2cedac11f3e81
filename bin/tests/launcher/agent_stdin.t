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
use Fcntl qw(O_NONBLOCK O_RDWR);
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

# A rank 0 of a job with images, and the pipe that says how much it was given; a reader and writer, as the rank has it.
sub image_job
{
	my (@command) = @_;
	my $agent = AgentTest->new;
	$agent->{run} = { settings => ['image=1'] };
	$agent->start(2, @command);
	unlike($agent->facts(1)->{settings}, qr/input=/, 'no other rank is told where the count is');
	return ($agent, open_count($agent));
}

sub open_count
{
	my ($agent) = @_;
	my ($pid, $fd, $inode) = $agent->facts(0)->{settings} =~ /\binput=(\d+):(\d+):(\d+)/ or die "rank 0 is not told where the count is\n";
	sysopen my $count, "/proc/$pid/fd/$fd", O_RDWR | O_NONBLOCK or die "/proc/$pid/fd/$fd: $!\n";
	is((stat $count)[1], $inode, '... rank 0 is');
	return $count;
}

# What is in it; it is taken out.
sub take_count
{
	my ($count) = @_;
	my $bits = '';
	vec($bits, fileno $count, 1) = 1;
	select $bits, undef, undef, 30 or return 'nothing';
	my $n = sysread $count, my $bytes, 64;
	is($n, 16, 'the count is whole, and there once');
	return (unpack 'Q<2', $bytes)[0];
}

sub put_count { my ($count, $written) = @_; return syswrite $count, pack 'Q<2', $written, 0 }

subtest 'how much rank 0 was given' => sub {
	my ($agent, $count) = image_job(@rank, qw(join facts 0:take:4 hang));
	is(take_count($count), 0, 'nothing at first');
	$agent->order('STDIN', 'some words');
	$agent->order('PING');
	$agent->await(qr/^PONG/);
	is(taken($agent), 0, 'nothing is written while rank 0 has the count');
	put_count($count, 0);
	$agent->await(qr/^STDIN_TAKEN 10$/);
	is(take_count($count), 10, '... and what is written then counts');
	put_count($count, 10);
	$agent->order('STDIN_END');
	$agent->await_text(0, qr/took=some;\n/);
	is(take_count($count), 10, 'also behind the end of input');
	$agent->end_well('counts');
};

# The process before it was killed while it had the count.
subtest 'a rank 0 that died with the count' => sub {
	my ($agent, $count) = image_job(@rank, qw(join facts take:4 hang));
	$agent->order('STDIN', 'some words');
	$agent->await_text(0, qr/took=some;\n/);
	take_count($count);
	$agent->pass;
	$agent->again(1);
	my $anew = open_count($agent);
	is(take_count($anew), 0, 'the next one has a count of its own');
	put_count($anew, 0);
	$agent->order('STDIN', 'word');
	ok($agent->await_text(0, qr/took=word;\n/), '... and gets its input');
	$agent->end_well('another count');
};

done_testing;
