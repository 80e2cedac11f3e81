#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# A hundred restarts: nothing piles up in the agent, and nobody is forgotten.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use Test::More;

use AgentTest;
use LauncherTest;

use constant RESTARTS => 100;

# Rank 0 reads input and is started anew, so is rank 1, with a child that holds its pipes; rank 2
# begins again in place; rank 3 ends each time, and leaves a child.
my $agent = AgentTest->new;
$agent->start(4, $^X, $RANK, qw(join), '0:input', qw(1:finalize 1:child 3:child facts 3:exit:0 obey));

sub one_epoch
{
	my ($epoch) = @_;
	$agent->order('STDIN', "epoch $epoch");
	$agent->order('STDIN_END');
	my ($input) = $agent->await_text(0, qr/^input=(.*);\n/m);
	my $seen = $agent->all('epoch', 0 .. 3) . " $input";
	$agent->await(qr/^EXITED 3 0 0$/);
	return $seen eq "$epoch $epoch $epoch $epoch epoch $epoch" ? '' : $seen;
}

sub state
{
	return { open => $agent->descriptors, processes => scalar(() = left_over()) };
}

is(one_epoch(0), '', 'the first epoch');
$agent->again(1);
is(one_epoch(1), '', 'the second');
my $before = state();
my @wrong;
for my $epoch (2 .. RESTARTS) {
	$agent->again($epoch);
	my $wrong = one_epoch($epoch) or next;
	push @wrong, $wrong;
	last;
}
is_deeply(\@wrong, [], RESTARTS . ' restarts');
ok(eventually(sub { state()->{processes} <= $before->{processes} }, sub { join "\n", left_over() }),
	'there are as many processes as before');
is(state()->{open}, $before->{open}, '... and as many descriptors')
	or diag join "\n", map { "$_ " . (readlink $_ // '') } glob "/proc/" . $agent->pid . "/fd/*";
$agent->end_well('many restarts');
done_testing;
