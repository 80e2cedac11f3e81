# SPDX-License-Identifier: BSD-3-Clause
#
# Protocols that do not wait for other ranks: under each, ranks are killed at random moments and make their
# checkpoints independently, many lines ahead of others, or by interval; and a line made under one protocol is
# restored under another. bin/tests/long/eventlog.t has more of it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(sanitized);
use FTMPI::Test::Kills ();
use FTMPI::Test::Turns qw(in_turn);

FTMPI::Test::Fault::alone();

# of all that is run under a sanitizer this is a third: 387 s of processor time under that of addresses, with four
use constant KILLS => sanitized('mixed') ? 1 : 2;

my $seed = 1;

# ---- random kills ----

sub killed
{
	my ($coord, $program, $ranks, @args) = @_;
	FTMPI::Test::Kills::killed(coord => $coord, program => $program, ranks => $ranks, args => \@args,
		seed => $seed++, kills => KILLS);
	return;
}

killed('eventlog', $_, 4) for in_turn(0, 2, FTMPI::Test::Kills::programs());
killed('eventlog', 'mixed', $_, qw(-skew 20)) for in_turn(0, 3, 2, 3, 8);
killed('eventlog', 'mixed', 4, qw(-ckpt 5 -skew 40));    # up to eight lines ahead
killed('eventlog', 'mixed', 4, qw(-only requests -skew 20));    # derived datatypes on their way
killed('tagging', $_, 4) for in_turn(0, 2, qw(mail cgs));
killed('tagging', 'mixed', 3, qw(-skew 20));
killed('compare', 'mail', 4);
killed('compare', 'mixed', $_, qw(-skew 20)) for in_turn(0, 2, 2, 4);

# ---- by time: each rank is told at a moment of its own ----

for my $coord (qw(eventlog tagging)) {
	my $fault = FTMPI::Test::Fault->start(program => 'mixed', coord => $coord,
		args => [qw(-work 2000 -trace), FTMPI::Test::Kills::longest()], run => [qw(-ckpt-interval 0.1)]);
	$fault->wait_for(out => qr/(?:^line after round .*){3}/ms);
	$fault->kill_ranks(2);
	$fault->survived("$coord, by time", restarts => 1);
	$fault->job->out_like(qr/^restored after round /m, "$coord, by time");
}

# ---- made under one protocol, restored under another ----

sub restored_under
{
	my ($made_under, $coord) = @_;
	my $name = "made under $made_under, restored under $coord";
	my @args = (qw(-steps 120 -ckpt 10 -trace), FTMPI::Test::Kills::longest(), '-seed', $seed++);
	my $fault = FTMPI::Test::Fault->start(program => 'mixed', coord => $made_under, run => ['-vv'],
		args => [@args, qw(-hold 70), $made_under ne 'blocking' ? qw(-skew 15) : ()]);
	$fault->all_held;
	$fault->wait_for(err => qr/line 5 is committed/);
	$fault->job->signal('KILL');
	$fault->job->finish;
	$fault->clear($name, keep => 1);
	$fault->lines_whole($name);
	my $next = FTMPI::Test::Fault->start(program => 'mixed', coord => $coord, workdir => $fault->workdir,
		args => \@args, run => ['-restore']);
	$next->survived($name, restarts => 0);
	$next->job->out_like(qr/^restored after round [5-7]\d$/m, $name);
	return;
}

restored_under(@$_) for in_turn(0, 2, ['eventlog', 'blocking'], ['blocking', 'eventlog'], ['tagging', 'eventlog'],
	['eventlog', 'tagging'], ['blocking', 'tagging'], ['tagging', 'blocking']);

done_testing();
