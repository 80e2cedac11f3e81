#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# An agent binds its ranks anew when others come; which it tells, and what it does where that cannot be.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use Test::More;

use AgentTest;
use FTMPI::Processors ();
use LauncherTest;

# All of this test is on two processors of this machine.
my ($one, $other) = FTMPI::Processors::allowed();
plan skip_all => 'one processor is no choice' if !defined $other;
FTMPI::Processors::bind_to($one, $other) or plan skip_all => "no process can be bound here: $!";
my $both = FTMPI::Processors::text($one, $other);
my $too_few = 'and ' . (FTMPI::Processors::is_restricted() ? 'ftmpirun may use 2 there (taskset, cpuset or batch system)' : 'there are 2');
delete $ENV{OMP_NUM_THREADS};

my @command = ($^X, $RANK, qw(join bound facts obey));

# What ranks have: (processors, process) of each.
sub found
{
	my ($agent, @ranks) = @_;
	my (@bound, @pids);
	for my $rank (@ranks) {
		push @bound, ($agent->await_text($rank, qr/^bound=(\S+)\n/m))[0] // 'nothing';
		push @pids, $agent->facts($rank)->{pid};
	}
	return ("@bound", @pids);
}

sub begun
{
	my ($mode, $n, @words) = @_;
	my $agent = AgentTest->new;
	$agent->bind(0 .. $n - 1);
	$agent->run(ranks => [ 0 .. $n - 1 ], size => 4, command => \@command, settings => [ "bind=$mode", @words ]);
	return $agent;
}

# All begin again, and this rank comes to those that are here.
sub comes
{
	my ($agent, $epoch, $rank, @here) = @_;
	$agent->restart($epoch);
	$agent->bind($rank);
	$agent->pass;
	$agent->run(epoch => $epoch, ranks => [ sort $rank, @here ]);
	return;
}

subtest 'others come' => sub {
	my $agent = begun('auto', 1);
	my ($bound, $first) = found($agent, 0);
	is($bound, $both, 'a rank alone has both');
	is_deeply([ $agent->said(qr/^BOUND/) ], ["BOUND 0 $both "], '... which is told');

	$agent->again(1);
	($bound, my $again) = found($agent, 0);
	is("$bound $again", "$both $first", 'it begins again in place with both');
	is_deeply([ $agent->said(qr/^BOUND/) ], [], '... which is not news');

	comes($agent, 2, 1, 0);
	($bound, my @two) = found($agent, 0, 1);
	is($bound, "$one $other", 'a second rank comes: one each');
	isnt($two[0], $first, '... so the first is started anew');
	is_deeply([ $agent->said(qr/^BOUND/) ], ["BOUND 0,1 $one,$other "], '... which is told');

	$agent->again(3);
	($bound, my @same) = found($agent, 0, 1);
	is("$bound @same", "$one $other @two", 'both begin again in place');

	comes($agent, 4, 2, 0, 1);
	($bound) = found($agent, 0 .. 2);
	is($bound, "$both $both $both", 'a third comes: none is bound');
	is_deeply([ $agent->said(qr/^BOUND/) ], ["BOUND 0,1,2 ,, they need 3 processors, $too_few"], '... which is told');
	$agent->end_well('others come');
};

subtest 'those that stay keep their cores' => sub {
	my $agent = AgentTest->new;
	$agent->bind(2);
	$agent->run(ranks => [2], size => 4, command => \@command, settings => ['bind=core']);
	my ($bound, $first) = found($agent, 2);
	is($bound, $one, 'a rank has a core');
	comes($agent, 1, 1, 2);
	($bound, my @pids) = found($agent, 1, 2);
	is("$bound $pids[1]", "$other $one $first", 'one that comes has the next, whatever its number');
	$agent->end_well('those that stay');
};

subtest 'more ranks than cores' => sub {
	my $agent = begun('core', 3);
	$agent->await(qr/^UNFIT its ranks cannot be bound \(-bind core\): they need 3 processors, \Q$too_few\E; .*-bind none$/);
	is_deeply([ $agent->said(qr/^(?:BOUND|STARTED)/) ], [], 'the job does not begin with them');
	$agent->end_well('too many');

	$agent = begun('core', 2);
	is((found($agent, 0, 1))[0], "$one $other", 'two are bound');
	comes($agent, 1, 2, 0, 1);
	is((found($agent, 0 .. 2))[0], "$both $both $both", '... and are not when a third comes after a failure');
	is_deeply([ $agent->said(qr/^BOUND/) ], ["BOUND 0,1,2 ,, they need 3 processors, $too_few"], '... which is told');
	$agent->end_well('too many later');
};

subtest 'unbound' => sub {
	my $agent = begun('none', 2);
	is((found($agent, 0, 1))[0], "$both $both", 'both have both');
	is_deeply([ $agent->said(qr/^BOUND/) ], [], '... and nothing is told');
	$agent->end_well('unbound');
};

subtest 'settings that ranks see' => sub {
	my $agent = begun('auto', 1, 'keep=3');
	my ($settings) = $agent->await_text(0, qr/ settings=(.*)\n/);
	is($settings, 'restarts=0 keep=3', 'not how they are bound');
	$agent->end_well('settings');
};

done_testing;
