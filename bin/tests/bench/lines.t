# SPDX-License-Identifier: BSD-3-Clause
#
# The bench's rows about checkpoints that nobody waits for: what is made of values and of lines, and one
# of each kind from beginning to end.
use strict;
use warnings;
use utf8;

use FindBin ();
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../bench/lib";

use File::Temp ();
use Test::More;

use FTMPI::Bench::Lines   ();
use FTMPI::Bench::Report  ();
use FTMPI::Bench::Results ();
use FTMPI::Bench::Slices  ();
use FTMPI::Bench::Stats   ();
use FTMPI::Test::BenchRows qw(cases row verdict);
use FTMPI::Test::Job      qw(ftmpirun program root sanitized);
use FTMPI::Test::Process  qw(patience);

use constant SAVED => 256 << 20;

my %case = cases();

subtest 'lines of a job' => sub {
	my @pairs = FTMPI::Bench::Lines::from_lines('stall', 1024, 'stall 1024 21.500 0.250', 'stall 102 1.0 1.0',
		'word stall 1024 1.0 1.0', 'stall 1024 30 1', 'stall 1024 7.0 0.5', 'commit 1024 1.0 1.0');
	is_deeply(\@pairs, [ [ 21.5, 0.25 ], [ 7, 0.5 ] ], 'pairs of this row alone');
};

subtest 'a stall against a copy' => sub {
	my $row = row('stall ' . SAVED . ' 2', floor => [ 100, 10, 1000 ], FTMPI => [ 110, 10.9, 2000 ]);
	is(FTMPI::Bench::Stats::target_text($case{ $row->{id} }), '≤ 1.1 × floor', 'the target');
	is(verdict($row), 'met', 'the median of the ratios, just met');
	$row->{values}{FTMPI}[1] = 11.1;
	is(verdict($row), 'not met', 'just not');
	is(FTMPI::Bench::Lines::note($row), 'stall 268435456: beyond the copy: median 10, quartiles 5.55 and 505 us.', 'the note');
	like(FTMPI::Bench::Report::row_line($row, $case{ $row->{id} }, 60), qr/256 MiB.* - \| - \|/, 'nothing of the peers');
	is(verdict(row('stall 1024 2', floor => [1], FTMPI => [100])), '', 'a small one has no target: there is next to nothing to copy');
};

subtest 'a line against the disk' => sub {
	my $row = row('commit 1024 8', floor => [ 5, 6, 7 ], FTMPI => [ 8, 8, 8 ]);
	is(FTMPI::Bench::Lines::note($row), 'commit 1024: beyond what the disk takes for the same: median 2, quartiles 1.5 and 2.5 ms.',
		'the note');
};

subtest 'what logging costs' => sub {
	my $row = row('protocol_pingpong 0 2', floor => [ (1) x 10 ], FTMPI => [ (1.009) x 10 ]);
	is(verdict($row), 'met', 'less than a hundredth');
	@{ $row->{values}{FTMPI} }[ 0 .. 4 ] = (1.011) x 5;
	is(verdict($row), 'undecided', 'as often more as less');
	like(FTMPI::Bench::Slices::note($row), qr/^protocol_pingpong: with logging over without, slices of the same run: 10 runs, median 1\.0100,/,
		'its words');
	is_deeply(FTMPI::Bench::Slices::from_lines('pingpong: right', 'slices 0.5 0.25', 'slices x'), [ 500, 250 ], 'milliseconds');
	is(FTMPI::Bench::Slices::from_lines('slices 0.5 0.000000000', 'my slices 1.0 1.0'), undef, 'no figures');
};

# One of each two slices has logging, and not always the same one: without that what a program does in
# turn would count for one side.
subtest 'slices of a run' => sub {
	my $job = FTMPI::Test::Job->run([ ftmpirun(), '-coord', 'eventlog', '-n', 2, program('slices_pingpong'), 64 ]);
	$job->is_status(0, 'a run in slices');
	$job->out_like(qr/\Aslices \d+\.\d+ \d+\.\d+\n\z/, 'its figures');
	$job->none_left('slices');
};

# The compilers of the peers are not asked for anything here.
sub straw
{
	my ($dir) = @_;
	mkdir "$dir/$_" for qw(bin tmp);
	for my $name (qw(mpicc.openmpi mpicc.mpich mpirun.openmpi mpiexec.mpich)) {
		open my $out, '>', "$dir/bin/$name" or die "$dir/bin/$name: $!\n";
		print $out "#!/bin/sh\nexit 0\n";
		close $out;
		chmod 0755, "$dir/bin/$name";
	}
	return { TMPDIR => "$dir/tmp", PATH => "$dir/bin:$ENV{PATH}", FTMPI_LIBDIR => $ENV{FTMPI_LIBDIR} };
}

subtest 'from beginning to end' => sub {
	plan skip_all => 'bench/run compiles without the sanitizer that the library has' if sanitized('pi');
	my $dir = File::Temp->newdir('ftmpi-bench-test-XXXXXX', TMPDIR => 1);
	my $job = FTMPI::Test::Job->run([ root() . '/bench/run', '-rounds', 2, '-limit', int patience(240), '-only', '^(stall|commit) 1024 ', '-o', "$dir/got.md" ],
		deadline => 960, env => straw($dir));
	$job->is_status(0, 'bench/run');
	my $result = FTMPI::Bench::Results::read_file("$dir/got.tsv");
	my %row = map { $_->{what} => $_ } @{ $result->{rows} };
	is(join(' ', sort keys %row), 'commit stall', 'two rows');
	for my $what (sort keys %row) {
		for my $who (qw(FTMPI floor)) {
			my @values = @{ $row{$what}{values}{$who} };
			is(scalar @values, 40, "$what of $who: twenty lines a round") or diag("@{ $result->{notes} }");
			is(scalar(grep { $_ <= 0 } @values), 0, 'all took some time');
		}
	}
	is(scalar(grep { /: beyond / } @{ $result->{notes} }), 2, 'a note for each');
	is_deeply([ glob "$dir/tmp/*" ], [], 'no temporary directory is left');
	$job->none_left('checkpoints');
};

done_testing();
