# SPDX-License-Identifier: BSD-3-Clause
#
# Message logging: ranks that are killed begin again alone, as often and as many at once as may be, and what depends on
# the order of messages goes on as the others remember it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;
use Time::HiRes qw(time);

use FTMPI::Test::Choices ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(wait_until);

FTMPI::Test::Fault::alone();

sub start { return FTMPI::Test::Choices->start(@_) }

sub others_stay
{
	my $fault = start();
	$fault->wait_for(out => qr/^round 5$/m);
	my %before = $fault->pids;
	$fault->kill_ranks(1);
	$fault->wait_for(err => qr/^ftmpirun: rank 1 on \S+ was killed by signal 9 \(Killed\); it begins again alone \(restart 1 of 1000\)\.$/m);
	my %after;
	until (defined $fault->job->status) {
		%after = $fault->pids;
		last if keys %after == 4 && $after{1} != $before{1};
		$fault->job->take(time + 1);
	}
	is_deeply([ map { $after{$_} == $before{$_} } 0, 2, 3 ], [ 1, 1, 1 ], 'the processes of the others are the same');
	$fault->open_gate;
	$fault->survived('one is killed', 1);
	return;
}

sub at_random
{
	for my $seed (1 .. 4) {
		my $fault = start(ranks => 1 + $seed, args => $seed % 2 ? [] : [qw(-longest 300000)], run => $seed > 2 ? ['-verify-replay'] : []);
		my $kills = $fault->kill_for_a_while($seed, 30, sub { kill 'KILL', $_[0] });
		$fault->survived("seed $seed, $kills kills", [ 1, $kills ]);
	}
	return;
}

# The keeper is killed as well, before a rank or after it.
sub with_keeper
{
	my $fault   = start();
	my $keepers = 0;
	my $kills   = $fault->kill_for_a_while(7, 60, sub { $keepers += $fault->kill_with_keeper(@_); return 1 });
	cmp_ok($keepers, '>', $kills, "the keeper is killed, too: $keepers processes, of which $kills are ranks");
	$fault->survived("$kills kills of ranks, and of the keeper", [ 1, $kills ]);
	return;
}

sub at_once
{
	for my $ranks ([ 0, 1, 2 ], [ 0 .. 3 ]) {
		my $fault = start();
		$fault->wait_for(out => qr/^round 20$/m);
		$fault->kill_ranks(@$ranks);
		$fault->open_gate;
		$fault->survived("ranks @$ranks at once", scalar @$ranks);
	}
	return;
}

# One process after the other of a rank is killed at the next point.
sub at_points
{
	my @points = qw(init-started log-given init-attached log-said init-done finalize-begun);
	my $faults = join ',', map { "$points[$_]:2:$_:1:kill" } 0 .. $#points;
	my $fault  = start(env => {FTMPI_FAULT => $faults});
	$fault->open_gate;
	$fault->survived("killed at @points", scalar @points);
	return;
}

# What a rank sends again is not what others have of it.
sub another
{
	my $fault = start(args => ['-pid'], run => ['-verify-replay']);
	$fault->wait_for(out => qr/^round 20$/m);
	$fault->kill_ranks(1);
	$fault->open_gate;
	$fault->gave_up('another message is noticed', 16,
		qr/^rank [023] on \S+: message logging: rank 1, which runs again, sends something else than before: message \d+ to rank [023], in MPI_\w+\. .*`-coord blocking`;/m,
		lines => 0);
	return;
}

# A rank is told again that its message had been taken, by one that makes no call until it has gone on.
sub met_before
{
	my $work  = File::Temp->newdir;
	my $fault = FTMPI::Test::Fault->start(program => 'met_before', coord => 'msglog', ranks => 2, workdir => "$work", args => ["$work"]);
	wait_until(60, sub { $fault->job->take(time + 0.1); return -e "$work/sent" }) or fail('it is sent');
	$fault->kill_ranks(1);
	$fault->job->finish;
	$fault->job->is_status(0, 'a synchronous message is sent again to a rank that computes');
	is($fault->job->out, "met_before: right\n", '... which did not wait for that rank to call');
	return;
}

# What a rank knows it may ask for as often as it likes: there is no room for as many outcomes.
sub known
{
	my $work = File::Temp->newdir;
	my $job  = FTMPI::Test::Job->run([ ftmpirun(), qw(-coord msglog -outcome-limit 64K -n 2 -workdir), "$work", program('asks_again'), "$work/mark" ]);
	$job->is_status(0, 'a rank asks again and again for what it knows');
	$job->err_like(qr/^ftmpirun: rank 0 on \S+ was killed/m, '... and is killed');
	$job->out_like(qr/^asks_again: right$/m, '... and gets the same answers');
	return;
}

# As often as it is printed, where the user wants that.
sub repeated
{
	my $fault = start(run => [qw(-output repeat)]);
	$fault->wait_for(out => qr/^round 20$/m);
	$fault->kill_ranks(1);
	$fault->open_gate;
	$fault->job->finish;
	$fault->job->is_status(0, '-output repeat');
	my $printed = () = $fault->job->out =~ /^round \d+$/mg;
	cmp_ok($printed, '>', 4 * $fault->{rounds}, '... what a rank prints again is printed again');
	$fault->clear('-output repeat');
	return;
}

others_stay();
another();
repeated();
met_before();
known();
at_random();
with_keeper();
at_once();
at_points();
done_testing();
