# SPDX-License-Identifier: BSD-3-Clause
#
# The programs of bench/papers: the same right answer on 1 to 5 ranks; a rank is killed between two
# checkpoints and the answer is still the same; wrong arguments.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(ftmpirun program);

# For each: arguments of a short run, its steps, and arguments that are refused with what is said.
my %short = (
	gauss   => { args => [150], steps => 150, wrong => { 20001 => 'unknowns are too many: at most 20000' } },
	laplace => {
		args  => [qw(50 -steps 100)],
		steps => 100,
		wrong => { 1 => 'points along an edge are too few for 3 x 1 ranks', 30001 => 'points along an edge are too many' },
	},
	neurons => { args => [qw(64 -steps 1000)], steps => 1000, wrong => { 4097 => 'neurons are too many: at most 4096' } },
	disks   => {
		args  => [qw(8 -sweeps 200)],
		steps => 8 * 40,
		wrong => { 5 => 'an even number from 4 to 1000 is needed', '8 -sweeps 4' => 'sweeps are less than one task of 5' },
	},
	# 33 blocks each time, the last one of 2 columns
	matmul => { args => [qw(130 -times 5)], steps => 165, wrong => { 8193 => 'rows are too many: at most 8192' } },
);

for my $name (sort keys %short) {
	subtest $name => sub {
		my %answers;
		for my $n (1 .. 5) {
			my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', $n, program($name), @{ $short{$name}{args} } ]);
			$job->well(qr/\A$name: right, .*, $n ranks\n\z/, "$name on $n ranks");
			$answers{ $job->out =~ s/, \d+ ranks$//mr } = 1;
		}
		is(join('', sort keys %answers), (sort keys %answers)[0], 'one answer whatever the number of ranks');
	};
}

# sweeps is for squares; what becomes of ranks of a ring that are killed is in bin/tests/bench/papers_v2.t.
subtest 'those of message logging' => sub {
	my %answers;
	for my $n (1, 4, 9) {
		my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', $n, program('sweeps'), qw(13 -steps 40) ]);
		$job->well(qr/\Asweeps: right, 13 x 13 x 13 points, 40 steps, .*, $n ranks\n\z/, "sweeps on $n ranks");
		$answers{ $job->out =~ s/, \d+ ranks$//mr } = 1;
	}
	is(join('', sort keys %answers), (sort keys %answers)[0], 'one answer whatever the number of ranks');
	for my $n (1, 2, 4, 8) {
		my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', $n, program('ring'), 30, 1000 ]);
		my $sum = 30 * $n * ($n + 1) / 2;
		$job->is_status(0, "ring on $n ranks");
		$job->out_like(qr/\Aring: right, 30 rounds of 1000 bytes, token $sum, $n ranks\n\z/, "ring on $n ranks");
		$job->err_like(qr/\A(?:ring: rank \d, begun \d+, done \d+\n){$n}\z/, "ring on $n ranks");
	}
};

# Killed after the first of four lines and before the second.
sub comes_back
{
	my ($name, $coord) = @_;
	my $every = int($short{$name}{steps} / 5);
	my $what  = "$name under $coord";
	my $fault = FTMPI::Test::Fault->start(
		program => $name,
		coord   => $coord,
		args    => [ @{ $short{$name}{args} }, '-ckpt', $every, '-trace', '-sure', '-hold', $every + 3 ]
	);
	$fault->all_held and $fault->kill_ranks(1);
	$fault->survived($what, restarts => 1);
	$fault->job->out_like(qr/^line after round $every$(?s:.*)^restored after round $every$/m, $what);
	my @lines = $fault->job->out =~ /^line after round (\d+)$/mg;
	is("@lines", join(' ', map { $_ * $every } 1 .. 4), "$what: four lines in both runs");
	return;
}

# The same where nobody waits for a line: what it goes on from is not certain, the answer is.
sub comes_back_unsure
{
	my ($name, $coord) = @_;
	my $every = int($short{$name}{steps} / 20);
	my $what  = "$name under $coord, without waiting";
	my $fault = FTMPI::Test::Fault->start(
		program => $name,
		coord   => $coord,
		args    => [ @{ $short{$name}{args} }, '-ckpt', $every, '-hold', 9 * $every + 1 ]
	);
	$fault->all_held and $fault->kill_ranks(1);
	$fault->survived($what, restarts => 1);
	return;
}

subtest 'a rank is killed' => sub {
	comes_back($_, 'eventlog') for sort keys %short;
	comes_back($_, 'blocking') for qw(gauss matmul);
	comes_back('matmul', 'tagging');
	comes_back_unsure($_, 'eventlog') for qw(disks neurons);
};

subtest 'what takes how long' => sub {
	my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', 3, program('neurons'), qw(9 -steps 120 -clock) ]);
	my $s   = qr/\d+\.\d{6}/;
	$job->well(qr/\Aneurons: wall $s s, pieces(?: $s){50}\nneurons: cpu $s s, pieces(?: $s){50}\nneurons: right, /, '-clock');
};

subtest 'wrong arguments' => sub {
	for my $name (sort keys %short) {
		for my $words (sort keys %{ $short{$name}{wrong} }) {
			my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', 3, program($name), split / /, $words ]);
			my $why = $short{$name}{wrong}{$words};
			$job->is_status(2, "$name $words");
			$job->err_like(qr/\A$name: [^\n]*\Q$why\E[^\n]*; try $name -h\n(?:ftmpirun: [^\n]*\n)?\z/, "$name $words");
			$job->none_left("$name $words");
		}
	}
	my $three = FTMPI::Test::Job->run([ ftmpirun(), '-n', 3, program('sweeps') ]);
	$three->is_status(2, 'sweeps on 3 ranks');
	$three->err_like(qr/\Asweeps: 3 ranks are no square; try sweeps -h\n/, 'sweeps on 3 ranks');
	FTMPI::Test::Job->run([ ftmpirun(), '-n', 2, program('matmul'), '-h' ])->well(qr/^usage: matmul /m, 'matmul -h');
};

done_testing();
