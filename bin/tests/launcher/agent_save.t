#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What an agent does for recovery lines that its ranks are asked for, and what it gives to ranks of image jobs.
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

sub saves { my ($agent, @ranks) = @_; return join ' | ', map { ($agent->await_text($_, qr/save=([^\n]*)\n/))[0] // 'nothing' } @ranks }

subtest 'the steps of a line, and the answers' => sub {
	my ($agent) = AgentTest->begun(2, @rank, qw(join table facts save 0:held 1:held:why save saved:1 save hang));
	$agent->await(qr/^NEWS $_ INITED /) for 0, 1;
	$agent->order('SAVE_ALL', 0, 3, 0);
	is(saves($agent, 0, 1), '0 3 0 | 0 3 0', 'HOLD comes to all');
	ok($agent->await(qr/^NEWS 0 HELD 3 $/), 'a rank stands');
	ok($agent->await(qr/^NEWS 1 HELD 3 why$/), 'another says why it does not');
	$agent->order('SAVE_ALL', 0, 3, 1);
	is(saves($agent, 0, 1), '0 3 1 | 0 3 1', 'GO');
	ok($agent->await(qr/^NEWS $_ SAVED 3 1$/), "what rank $_ says of its end") for 0, 1;
	$agent->order('SAVE_ALL', 1, 4, 0);
	$agent->order('SAVE_ALL', 0, 4, 2);
	is(saves($agent, 0, 1), '0 4 2 | 0 4 2', 'RELEASE; what is for another epoch is for nobody');
	$agent->end_well('a line');
};

subtest 'ranks that are not asked' => sub {
	my $agent = AgentTest->new;
	$agent->start(3, @rank, qw(join 1:finalize 2:exit:0 save hang));
	$agent->await(qr/^NEWS $_ INITED /) for 0 .. 2;
	$agent->await(qr/^NEWS 1 FINALIZED/);
	$agent->await(qr/^EXITED 2 0 0$/);
	$agent->order('SAVE_ALL', 0, 1, 0);
	is(saves($agent, 0), '0 1 0', 'one that runs is asked');
	$agent->order('KILL', 1);
	$agent->await(qr/^EXITED $_ 0 9$/) for 0, 1;
	is($agent->text(1), '', 'one that is through with MPI is not');
	is_deeply([ $agent->said(qr/^BROKEN/) ], [], 'one that has ended is in nobody\'s way');
	$agent->end_well('some are not asked');
};

subtest 'a restart' => sub {
	my $go = scratch() . '/go';
	my ($agent, $pid) = AgentTest->begun(1, @rank, qw(start program:1 @1:say:there), "\@1:await:$go", qw(inited facts @0:obey save hang));
	$agent->again(1);
	$agent->await_text(0, qr/there\n/);
	$agent->order('SAVE_ALL', 1, 1, 0);
	$agent->order('PING');
	$agent->await(qr/^PONG/);
	text_file('go', '');
	$agent->await(qr/^NEWS 0 INITED $pid$/);
	$agent->order('SAVE_ALL', 1, 2, 0);
	is(saves($agent, 0), '1 2 0', 'a rank is asked when it has come to MPI_Init again, not before');
	$agent->end_well('a restart');
};

subtest 'what is wrong with an answer' => sub {
	for my $case ([ 'HELD without a text', 29, pack('V', 1), qr/a bad HELD message/ ],
		[ 'SAVED with a byte more', 30, pack('V V C', 1, 1, 0), qr/a bad SAVED message/ ]) {
		my ($what, $type, $body, $why) = @$case;
		my ($agent) = AgentTest->begun(1, @rank, qw(join table facts), 'send:' . unpack('H*', FTMPI::Wire::frame($type, $body)), 'hang');
		ok($agent->await(qr/^BROKEN 0 .*$why/), "$what is told");
		ok($agent->await(qr/^EXITED 0 (?:0 9|1 0)$/), "... and ends the rank, which may see the end of its connection first");
		$agent->end_well($what);
	}
};

subtest 'the environment' => sub {
	for my $case ([ 'an image job', ['image=1'], 1 ], [ 'another', ['image=0'], 'none' ], [ 'one without the setting', [], 'none' ]) {
		my ($what, $settings, $value) = @$case;
		local $ENV{FTMPI_IMAGE} = 'by hand';
		my $agent = AgentTest->new;
		$agent->bind(0);
		$agent->run(ranks => [0], command => [ @rank, qw(start image facts program:1 inited hang) ], settings => $settings);
		is(($agent->await_text(0, qr/image=(.*)\n/))[0], $value, "FTMPI_IMAGE in $what");
		my ($seen) = $agent->await_text(0, qr/settings=(.*)\n/);
		my $input = $value eq '1' ? qr/ input=\d+:\d+:\d+/ : qr//;    # of rank 0, which says how much it has read
		like($seen, qr/^\Q@{[ join ' ', 'restarts=0', @$settings ]}\E$input\z/, '... and ranks are told the setting');
		$agent->end_well($what);
	}
};

done_testing;
