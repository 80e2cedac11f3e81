# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Choices;

# A job of `choices` under message logging, whose ranks are killed: as FTMPI::Test::Fault, which has
# the options of start. Its ranks wait after their last round until their gate is open, as a rank that
# is killed when all have come to MPI_Finalize is not missed by others, and fails the job.
#
#	my $fault = FTMPI::Test::Choices->start(ranks => 4);
#	my $kills = $fault->kill_for_a_while(7, 30, sub { kill 'KILL', $_[0] });
#	$fault->survived("$kills kills", [ 1, $kills ]);

use strict;
use warnings;

use parent 'FTMPI::Test::Fault';

use Test::More ();

use FTMPI::Test::File qw(write_file);
use FTMPI::Test::Job  qw(sanitized);

my $gates = 0;

# rounds: how many each rank goes through (500, or 100 under a sanitizer).
sub start
{
	my ($class, %option) = @_;
	my $rounds = delete $option{rounds} // (sanitized('choices') ? 100 : 500);
	my $gate   = FTMPI::Test::Fault::directory() . '/gate-' . ++$gates;
	return $class->SUPER::start(program => 'choices', coord => 'msglog', %option,
		rounds => $rounds, gate => $gate,
		args   => [ $rounds, '-trace', '-gate', $gate, @{ $option{args} // [] } ],
		run    => [ qw(-max-restarts 1000), @{ $option{run} // [] } ]);
}

# Nobody is killed any more.
sub open_gate
{
	my ($self) = @_;
	write_file($self->{gate}, '');
	return;
}

# Kills until half of the rounds are over, once in any case, and until $enough says so, at most so many steps apart; $kill is given a
# process, and says how many it has killed.
sub kill_for_a_while
{
	my ($self, $seed, $apart, $kill, $enough) = @_;
	my $half  = int $self->{rounds} / 2;
	my $struck = 0;
	my $is_over = sub { $self->job->out =~ /^round $half$/m && (!$enough || $enough->()) };
	# whether there was anybody to strike or not: all may have printed all they have to print
	my $kills = $self->kill_at_random($seed, apart => $apart,
		kill   => sub { return !$struck++ || !$is_over->() ? $kill->($_[0]) : 0 },
		struck => sub { $self->open_gate if $is_over->() });
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	Test::More::cmp_ok($kills, '>=', 1, "seed $seed: $kills kills");
	return $kills;
}

# Kills a rank, and the keeper before it or after it, if that is there. Returns how many processes.
sub kill_with_keeper
{
	my ($self, $pid) = @_;
	my @both = ($pid, grep { (readlink("/proc/$_/exe") // '') =~ m{/ftmpi-keeper\z} } $self->job->pids);
	my $killed = 0;
	$killed += kill 'KILL', $_ for rand() < 0.5 ? @both : reverse @both;
	return $killed;
}

# The job ends well, and each line was printed once.
sub survived
{
	my ($self, $name, $restarts) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$self->SUPER::survived($name, restarts => $restarts, lines => 0);
	my $printed = () = $self->job->out =~ /^round \d+$/mg;
	return Test::More::is($printed, $self->{rounds} * $self->{ranks}, "$name: each rank has printed each round once");
}

sub clear
{
	my ($self, @rest) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	unlink $self->{gate};
	return $self->SUPER::clear(@rest);
}

1;
