#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Checkpoints of one rank alone, under message logging: what its agent notes when the rank stands, and what becomes of its
# output when it goes on from there.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use Test::More;

use AgentTest;
use LauncherTest;

my @rank   = ($^X, $RANK);
my @images = qw(coord=msglog image=1);
my @join   = qw(program:1 inited);

# An agent of so many ranks.
sub agent
{
	my ($ranks, $settings, @words) = @_;
	my $agent = AgentTest->new;
	$agent->bind(0 .. $ranks - 1);
	$agent->run(ranks => [ 0 .. $ranks - 1 ], command => [ @rank, @words ], settings => $settings);
	return $agent;
}

# What the rank was told, if it was told anything by now.
sub saves { my ($agent, $rank) = @_; return ($agent->await_text($rank, qr/save=([^\n]*)\n/))[0] // 'nothing' }

sub answered { my ($agent) = @_; $agent->order('PING'); $agent->await(qr/^PONG$/); return }

subtest 'a checkpoint' => sub {
	my $agent = agent(2, \@images, 'start', @join, 'raw:some words', qw(save held save saved:1 hang));
	$agent->await(qr/^NEWS $_ INITED /) for 0, 1;
	$agent->pass;
	$agent->order('SAVE_ONE', 1, 0, 5, 0);
	is(saves($agent, 1), '0 5 0', 'one rank is told to stand');
	is(saves($agent, 1), '0 5 1', '... and by its agent to go on, when it does');
	ok($agent->await(qr/^NEWS 1 SAVED 5 1$/), '... which makes it');
	is_deeply([ $agent->said(qr/PRINTED|NEWS|READ/) ], [ 'PRINTED 1 5 21 0', 'NEWS 1 HELD 5 ', 'NEWS 1 SAVED 5 1' ],
		'the launcher is told what it had printed, and then the rest');
	unlike($agent->text(0), qr/save/, 'the other is told nothing');
	$agent->end_well('a checkpoint');
};

subtest 'none' => sub {
	my $agent = agent(1, \@images, 'start', @join, qw(save held:why save saved:0 save save held save hang));
	$agent->await(qr/^NEWS 0 INITED /);
	$agent->pass;
	$agent->order('SAVE_ONE', 0, 1, 1, 0);
	$agent->order('SAVE_ONE', 7, 0, 1, 0);
	$agent->order('SAVE_ONE', 0, 0, 2, 0);
	is(saves($agent, 0), '0 2 0', 'requests of another epoch, or to a rank that is not here, go to nobody');
	$agent->await(qr/^NEWS 0 HELD 2 why$/);
	$agent->order('SAVE_ONE', 0, 0, 3, 0);
	is(saves($agent, 0), '0 3 0', 'one that says why it cannot is not told to go on');
	$agent->await(qr/^NEWS 0 SAVED/);
	$agent->order('SAVE_ONE', 0, 0, 4, $_) for 0, 2;
	is(saves($agent, 0), '0 4 0', 'one that is told to stand');
	is(saves($agent, 0), '0 4 2', '... and let go');
	$agent->await(qr/^NEWS 0 HELD 4 $/);
	$agent->order('SAVE_ONE', 0, 0, 5, 0);
	is(saves($agent, 0), '0 5 0', '... is not told to go on when it stands after all');
	is_deeply([ $agent->said(qr/PRINTED/) ], [], '... nor is its output measured');
	$agent->end_well('none');

	for my $settings ([qw(coord=blocking image=0)], [qw(coord=blocking image=1)]) {
		$agent = agent(1, $settings, 'start', @join, qw(save held save hang));
		$agent->await(qr/^NEWS 0 INITED /);
		$agent->order('SAVE_ONE', 0, 0, 1, 0);
		$agent->await(qr/^NEWS 0 HELD 1 $/);
		answered($agent);
		is_deeply([ $agent->said(qr/PRINTED/) ], [], "@$settings: there are none");
		$agent->end_well("@$settings");
	}
};

my @data = qw(coord=msglog image=0);

subtest 'of data' => sub {
	my $agent = agent(2, \@data, 'start', @join, qw(0:take:4), '1:raw:some words', qw(stands:5 save saved:1 stands:6 save saved:0 hang));
	$agent->order('STDIN', 'some words');
	$agent->await(qr/^NEWS $_ SAVED 6 0$/) for 0, 1;
	is_deeply([ $agent->said(qr/^(?:PRINTED|NEWS) 1 (?:\d|HELD|SAVED)/) ],
		[ 'PRINTED 1 5 10 0', 'NEWS 1 HELD 5 ', 'NEWS 1 SAVED 5 1', 'PRINTED 1 6 21 0', 'NEWS 1 HELD 6 ', 'NEWS 1 SAVED 6 0' ],
		'a rank that stands for a checkpoint of its data goes on at once, and the launcher is told what it had printed');
	is_deeply([ map { saves($agent, 1) } 1, 2 ], [ '0 5 1', '0 6 1' ], '... by one order for each');
	$agent->order('STDIN', ', and more');
	ok($agent->await(qr/^STDIN_TAKEN 10$/), 'standard input is not held');
	$agent->end_well('of data');
};

# Its program runs from its beginning, and comes to the checkpoint in the middle of it.
subtest 'a rank that goes on from data' => sub {
	my $agent = agent(2, \@data, 'start', @join, '1:raw:one ', '1:+0:raw:two ', qw(1:+0:stands:5 1:+0:save 1:+0:saved:1 1:+1:restored:5,name 1:+1:stands:5 1:+1:save),
		'1:+0:raw:three ', qw(1:+0:kill:KILL), '1:+1:raw:three four', 'hang');
	$agent->await(qr/^EXITED 1 0 9$/);
	is($agent->text(1), "one two save=0 5 1\nthree ", 'a rank is killed behind its checkpoint');
	is_deeply([ $agent->said(qr/PRINTED/) ], ['PRINTED 1 5 8 0'], '... where it had printed so much');
	$agent->pass;
	$agent->order('RERUN', 1, 1, '0,1');
	is(($agent->await_text(1, qr/\A(.*four)/s))[0], "one two save=0 5 1\nthree four", 'what it prints again is left out, before its checkpoint and behind it');
	is_deeply([ map { s/ INITED.*/ INITED/r } $agent->said(qr/PRINTED|NEWS 1/) ],
		[ 'NEWS 1 PROGRAM 1', 'NEWS 1 INITED', 'NEWS 1 RESTORED 5 name', 'PRINTED 1 5 8 0', 'NEWS 1 HELD 5 ' ], '... and the launcher is told where it goes on');
	$agent->end_well('a rank that goes on from data');
};

# What it prints first may be dealt with long before it says anything.
subtest 'data on another host' => sub {
	my $agent = agent(1, [ @data, 'incarnations=1', 'printed=0:8:5=4:6=6' ], 'start', @join, qw(raw:ab restored:5,name stands:5 save), 'raw:fgh', qw(stands:6 save hang));
	$agent->await(qr/^NEWS 0 HELD 6 $/);
	is(($agent->await_text(0, qr/\A(.*fgh)/s))[0], "save=0 5 1\nfgh", 'what was printed elsewhere before the checkpoint is left out, and what was behind it is not known');
	is_deeply([ $agent->said(qr/PRINTED/) ], [ 'PRINTED 0 5 8 0', 'PRINTED 0 6 22 0' ], '... and counts');
	$agent->end_well('data on another host');
};

subtest 'a rank that goes on from its checkpoint' => sub {
	my $agent = agent(2, \@images, 'start', qw(1:+1:restored:5,name), '1:+1:raw:save=0 5 1' . "\ntwo three", @join,
		'1:+0:raw:one ', qw(1:+0:save 1:+0:held 1:+0:save), '1:+0:raw:two ', qw(1:+0:kill:KILL hang));
	$agent->await(qr/^NEWS 1 INITED/);
	$agent->order('SAVE_ONE', 1, 0, 5, 0);
	$agent->await(qr/^EXITED 1 0 9$/);
	$agent->pass;
	$agent->order('RERUN', 1, 1, '0,1');
	is(($agent->await_text(1, qr/\A(.*three)/s))[0], "one save=0 5 0\nsave=0 5 1\ntwo three", 'what it prints again is left out, and no more');
	$agent->await(qr/^NEWS 1 INITED/);
	is_deeply([ map { s/ INITED.*/ INITED/r } $agent->said(qr/NEWS 1/) ], [ 'NEWS 1 RESTORED 5 name', 'NEWS 1 PROGRAM 1', 'NEWS 1 INITED' ],
		'... and the launcher is told where it goes on');
	$agent->end_well('a rank that goes on');
};

# The newest that is committed, and the older one, of which nothing is known then: nothing is left out.
subtest 'positions that are kept' => sub {
	for my $case ([ 6, "A save=0 5 0\nsave=0 5 1\nB save=0 6 0\nsave=0 6 1\nC D" ], [ 5, "A save=0 5 0\nsave=0 5 1\nB save=0 6 0\nsave=0 6 1\nC save=0 6 1\nC D" ]) {
		my ($n, $text) = @$case;
		my $agent = agent(1, \@images, 'start', "+1:restored:$n,name", "+1:raw:save=0 6 1\nC D", @join,
			'+0:raw:A ', qw(+0:save +0:held +0:save +0:saved:1), '+0:raw:B ', qw(+0:save +0:held +0:save +0:saved:1), '+0:raw:C ', qw(+0:kill:KILL hang));
		$agent->await(qr/^NEWS 0 INITED/);
		for my $number (5, 6) {
			$agent->order('SAVE_ONE', 0, 0, $number, 0);
			$agent->await(qr/^NEWS 0 SAVED $number 1$/);
		}
		$agent->await(qr/^EXITED 0 0 9$/);
		$agent->order('RERUN', 0, 1, '1');
		is(($agent->await_text(0, qr/\A(.*D)/s))[0], $text, "from checkpoint $n");
		$agent->end_well("checkpoint $n");
	}
};

subtest 'on another host' => sub {
	my $agent = agent(1, [ @images, 'incarnations=1', 'printed=0:8:5=4:6=6' ], 'start', 'restored:5,name', 'raw:efghij', @join, qw(save held hang));
	$agent->await(qr/^NEWS 0 INITED/);
	is(($agent->await_text(0, qr/\A(.*j)/s))[0], 'ij', 'what was printed elsewhere is left out');
	$agent->order('SAVE_ONE', 0, 0, 7, 0);
	ok($agent->await(qr/^PRINTED 0 7 21 0$/), '... and counts');
	$agent->end_well('on another host');
};

done_testing;
