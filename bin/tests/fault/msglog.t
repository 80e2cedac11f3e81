# SPDX-License-Identifier: BSD-3-Clause
#
# Message logging: ranks that are killed begin again alone, as often and as many at once as may be, and what depends on
# the order of messages goes on as the others remember it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::File  qw(write_file);
use FTMPI::Test::Job   qw(sanitized);

FTMPI::Test::Fault::alone();

my $rounds = sanitized('choices') ? 100 : 500;
my $gates  = 0;

# Its ranks wait after their last round until their gate is open: who is killed when all have come to
# MPI_Finalize is not missed by others, and the job fails.
sub start
{
	my (%option) = @_;
	my $gate = FTMPI::Test::Fault::directory() . '/gate-' . ++$gates;
	return FTMPI::Test::Fault->start(program => 'choices', coord => 'msglog', %option,
		gate => $gate,
		args => [ $rounds, '-trace', '-gate', $gate, @{ $option{args} // [] } ],
		run  => [ qw(-max-restarts 1000), @{ $option{run} // [] } ]);
}

# Nobody is killed any more.
sub open_gate
{
	my ($fault) = @_;
	write_file($fault->{gate}, '');
	return;
}

# Kills until half of the rounds are over; $kill is given a process.
sub kill_for_a_while
{
	my ($fault, $seed, $apart, $kill) = @_;
	my $half  = int $rounds / 2;
	my $kills = $fault->kill_at_random($seed, apart => $apart, kill => sub {
		return $kill->($_[0]) if $fault->job->out !~ /^round $half$/m;
		open_gate($fault);
		return 0;
	});
	cmp_ok($kills, '>=', 1, "seed $seed: $kills kills");
	return $kills;
}

# The job ends well, and each line was printed once.
sub survived
{
	my ($fault, $name, $restarts) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$fault->job->finish if !defined $fault->job->status;
	unlink $fault->{gate};
	$fault->survived($name, restarts => $restarts, lines => 0);
	my $printed = () = $fault->job->out =~ /^round \d+$/mg;
	return is($printed, $rounds * $fault->{ranks}, "$name: each rank has printed each round once");
}

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
	open_gate($fault);
	survived($fault, 'one is killed', 1);
	return;
}

sub at_random
{
	for my $seed (1 .. 4) {
		my $fault = start(ranks => 1 + $seed, args => $seed % 2 ? [] : [qw(-longest 300000)]);
		my $kills = kill_for_a_while($fault, $seed, 30, sub { kill 'KILL', $_[0] });
		survived($fault, "seed $seed, $kills kills", [ 1, $kills ]);
	}
	return;
}

# The keeper is killed as well, before a rank or after it.
sub with_keeper
{
	my $fault   = start();
	my $keepers = 0;
	my $kills   = kill_for_a_while($fault, 7, 60, sub {
		my @both = ($_[0], grep { (readlink("/proc/$_/exe") // '') =~ m{/ftmpi-keeper\z} } $fault->job->pids);
		$keepers += kill 'KILL', $_ for rand() < 0.5 ? @both : reverse @both;
		return 1;
	});
	cmp_ok($keepers, '>', $kills, "the keeper is killed, too: $keepers processes, of which $kills are ranks");
	survived($fault, "$kills kills of ranks, and of the keeper", [ 1, $kills ]);
	return;
}

sub at_once
{
	for my $ranks ([ 0, 1, 2 ], [ 0 .. 3 ]) {
		my $fault = start();
		$fault->wait_for(out => qr/^round 20$/m);
		$fault->kill_ranks(@$ranks);
		open_gate($fault);
		survived($fault, "ranks @$ranks at once", scalar @$ranks);
	}
	return;
}

# One process after the other of a rank is killed at the next point.
sub at_points
{
	my @points = qw(init-started log-given init-attached log-said init-done finalize-begun);
	my $faults = join ',', map { "$points[$_]:2:$_:1:kill" } 0 .. $#points;
	my $fault  = start(env => {FTMPI_FAULT => $faults});
	open_gate($fault);
	survived($fault, "killed at @points", scalar @points);
	return;
}

others_stay();
at_random();
with_keeper();
at_once();
at_points();
done_testing();
