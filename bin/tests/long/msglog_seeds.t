# SPDX-License-Identifier: BSD-3-Clause
#
# Message logging, seeds 1 to 50 (FTMPI_TEST_SEEDS: others, as in 1-10), 2 to 8 ranks, with images and with data: of n ranks 1 to
# n - 1 are killed at once, again and again. Who is not killed stays the process that it was.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use List::Util qw(shuffle);
use Test::More;

use FTMPI::Test::Choices ();
use FTMPI::Test::Fault   ();
use FTMPI::Test::Process qw(run_quiet);

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

FTMPI::Test::Fault::alone();

my ($first, $last) = ($ENV{FTMPI_TEST_SEEDS} // '1-50') =~ /^(\d+)-(\d+)\z/ or die "FTMPI_TEST_SEEDS: two numbers with a minus sign between\n";

# Programs, and what they are told so that they make checkpoints of data.
my %data = (choices => [ qw(-save -prefix 10) ], farm => ['-save']);
my %rounds = (choices => 300, farm => 3000);

# Kills 1 to n - 1 of the ranks at once. Counts in %$count by rank, and returns how many.
sub kill_some
{
	my ($fault, $count) = @_;
	my %pids = $fault->pids;
	my @victims = shuffle keys %pids;
	splice @victims, 1 + int rand $fault->{ranks} - 1;
	my @killed = grep { kill 'KILL', $pids{$_} } @victims;
	$count->{$_}++ for @killed;
	return scalar @killed;
}

sub others_stayed
{
	my ($name, $fault, $kills) = @_;
	my %begun;
	$begun{$_}++ for $fault->job->err =~ /^ftmpirun: rank (\d+) on \S+ is process \d+/mg;
	my @others = grep { $begun{$_} > 1 + ($kills->{$_} // 0) } 0 .. $fault->{ranks} - 1;
	is("@others", '', "$name: nobody else began again");
	return;
}

sub name { my ($program, $kind, $seed) = @_; my $ranks = 2 + $seed % 7; return ($ranks, "$program, $kind, seed $seed, $ranks ranks") }

sub killed
{
	my ($program, $kind, $seed) = @_;
	my ($ranks, $name) = name(@_);
	my $fault = FTMPI::Test::Choices->start(program => $program, ranks => $ranks, rounds => $rounds{$program},
		args => [ $program eq 'choices' ? (-longest => 1 << 20) : (), $kind eq 'data' ? @{ $data{$program} } : () ],
		run  => [ qw(-vv -ckpt-interval 0.2), $kind eq 'image' ? '-image' : () ]);
	my %kills;
	my $steps = $rounds{$program} * ($program eq 'farm' ? 1 : $ranks);
	my $kills = $fault->kill_for_a_while($seed, int $steps / 6, sub { kill_some($fault, \%kills) });
	$fault->FTMPI::Test::Fault::survived("$name, $kills kills", restarts => [ 1, $kills ], lines => 0);
	others_stayed($name, $fault, \%kills);
	return;
}

# What mixed is told. Its ranks come to checkpoints of data at steps of their own (-skew), so they do not compare what the call returns;
# and communicators are made on the way.
my %mixed = (image => [], data => [ qw(-ckpt 2 -skew 3 -alone -made 8 -across) ]);

# All that MPI has at once. It has no gate: in its second half nobody is killed.
sub mixed
{
	my ($kind, $seed) = @_;
	my ($ranks, $name) = name('mixed', $kind, $seed);
	my $fault = FTMPI::Test::Fault->start(program => 'mixed', coord => 'msglog', ranks => $ranks, args => [ '-seed', $seed, qw(-steps 120 -trace), @{ $mixed{$kind} } ],
		run => [ qw(-vv -max-restarts 1000 -ckpt-interval 0.2), $kind eq 'image' ? '-image' : () ]);
	my %kills;
	my $kills = $fault->kill_at_random($seed, apart => 20, kill => sub { $fault->job->out =~ /^round 60$/m ? 0 : kill_some($fault, \%kills) });
	$fault->survived("$name, $kills kills", restarts => [ 1, $kills ], lines => 0);
	others_stayed($name, $fault, \%kills);
	return;
}

for my $seed ($first .. $last) {
	for my $kind ('image', 'data') {
		killed($_, $kind, $seed) for qw(choices farm);
		mixed($kind, $seed);
	}
}

done_testing();
