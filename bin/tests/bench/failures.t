# SPDX-License-Identifier: BSD-3-Clause
#
# The bench's rows about failures: what is made of values and of lines, and a few faults from beginning
# to end.
use strict;
use warnings;
use utf8;

use FindBin ();
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../bench/lib";

use File::Temp ();
use Test::More;

use FTMPI::Bench::Beats        ();
use FTMPI::Bench::Cases        ();
use FTMPI::Bench::Charts       ();
use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Pieces       ();
use FTMPI::Bench::Report       ();
use FTMPI::Bench::Results      ();
use FTMPI::Bench::Stats        ();
use FTMPI::Bench::Trial        ();
use FTMPI::Test::Job           qw(root sanitized);

my %case = map { $_->{id} => $_ } FTMPI::Bench::Cases::all(2);

sub row
{
	my ($id, $state, %values) = @_;
	return {
		(map { $_ => $case{$id}{$_} } qw(id what bytes ranks unit)),
		values => \%values, state => { map { $_ => $state } keys %values },
	};
}

sub verdict
{
	my ($row) = @_;
	return FTMPI::Bench::Stats::verdict($row, $case{ $row->{id} });
}

subtest 'quantiles' => sub {
	my $q = \&FTMPI::Bench::Distribution::quantile;
	is($q->(0.5, 3, 1, 2), 2, 'the middle of three');
	is($q->(0.25, 10, 20), 12.5, 'between two');
	is($q->(0, 5, 4), 4, 'the least');
	is($q->(1, 5, 4), 5, 'the greatest');
	is($q->(0.9, 7), 7, 'of one');
	is($q->(0.5), undef, 'of none');
	is(FTMPI::Bench::Distribution::words('ms', 1 .. 5, 1000),
		'6 values: least 1, quartiles 2.25, 3.5 and 4.75, 90 % below 502, greatest 1000 ms', 'in words');
};

# The numbers of the sign test: of 6 values the least and greatest, of 40 the 14th from either end.
subtest 'how sure a median is' => sub {
	my $bounds = \&FTMPI::Bench::Distribution::median_bounds;
	is_deeply([ $bounds->(1 .. 5) ], [], 'five are too few');
	is_deeply([ $bounds->(6, 2, 3, 4, 5, 1) ], [ 1, 6 ], 'six');
	is_deeply([ $bounds->(1 .. 10) ], [ 2, 9 ], 'ten');
	is_deeply([ $bounds->(1 .. 40) ], [ 14, 27 ], 'forty');
	is_deeply([ $bounds->() ], [], 'none');
};

# Pieces of so many rounds of 40, that take as long as `length` says; of each round the piece at 17 takes
# `more` longer, in which others ran as often as said, and the one after it `after` longer.
sub pieces
{
	my ($rounds, $length, $more, $switches, $after) = @_;
	my @pieces = map { [ $length->($_), 0 ] } 0 .. 40 * $rounds - 1;
	for my $at (map { 17 + 40 * $_ } 0 .. $rounds - 1) {
		$pieces[$at] = [ $pieces[$at][0] + $more, $switches ];
		$pieces[ $at + 1 ][0] += $after;
	}
	return \@pieces;
}
my $steady = sub { 1000 };
# slower and faster by a half and more, within many pieces, and every seventh by a third at once
my $noisy = sub { 1000 + 20 * abs($_[0] % 80 - 40) + ($_[0] % 7 ? 0 : 350) };

sub stretch { return sprintf '%.4f', FTMPI::Bench::Pieces::stretch($_[0]) }
sub of_all  { return sprintf '%.4f', FTMPI::Bench::Pieces::stretch_of_all($_[0]) }

subtest 'what others take of a rank that computes' => sub {
	is(stretch(pieces(5, $steady, 0, 0, 0)), '1.0000', 'nothing');
	is(stretch(pieces(5, $steady, 400, 1, 0)), '1.0100', '400 of each 40000');
	is(stretch(pieces(5, $steady, 400, 3, 200)), '1.0150', 'and what the next piece pays');
	is(stretch(pieces(5, $steady, 2000, 1, 0)), '1.0500', 'much at once counts in full');
	is(stretch(pieces(5, $steady, 400, 0, 0)), '1.0000', 'where nobody ran nothing was lost to anybody');
	is(stretch(pieces(10, $noisy, 0, 0, 0)), '1.0000', 'noise alone is nothing');
	cmp_ok(abs(stretch(pieces(10, $noisy, 560, 1, 0)) - 1.01), '<', 0.002, 'a hundredth is seen through noise')
		or diag(stretch(pieces(10, $noisy, 560, 1, 0)));
	is(stretch([ ([ 1000, 1 ]) x 3, [ 1600, 1 ], ([ 1000, 1 ]) x 3 ]), sprintf('%.4f', 7.6 / 7), 'others ran in all of them');
	my @quiet = ([ 1000, 0 ]) x 5;
	is(stretch([ @quiet, ([ 1600, 1 ]) x 6, @quiet ]), sprintf('%.4f', 1 + 3.6 / 16), 'pieces that lost are no measure of each other');
	is(stretch([ @quiet[ 0 .. 3 ], [ 1300, 1 ], ([ 1200, 0 ]) x 5 ]), sprintf('%.4f', 1 + 0.3 / 11), 'the middle of what is around');
	my $slow = sub { $_[0] > 170 && $_[0] < 200 ? 2000 : 1000 };
	is(stretch(pieces(6, $slow, 400, 1, 0)), sprintf('%.4f', 1 + 2.4 / 269), 'the slow are held against the slow');
	is(stretch([]), '1.0000', 'of nothing');
	is(stretch([ [ 1000, 1 ] ]), '1.0000', 'of one');
};

subtest 'the same by all pieces' => sub {
	is(of_all(pieces(5, $steady, 400, 0, 0)), '1.0100', 'what took time without another thread');
	is(of_all(pieces(5, $steady, 400, 1, 200)), '1.0150', 'it and the next');
	is(of_all(pieces(5, $steady, 20000, 0, 0)), '1.0125', 'of much half a piece: that is the machine');
	is(of_all([]), '1.0000', 'of nothing');
};

subtest 'pieces of ranks' => sub {
	my @ranks = FTMPI::Bench::Pieces::from_lines('pieces 1 50:0 60:2', 'word', 'pieces 0 7:1', 'pieces 1 70:1', 'pieces 1 x:1');
	is_deeply(\@ranks, [ [ [ 7, 1 ] ], [ [ 50, 0 ], [ 60, 2 ], [ 70, 1 ] ] ], 'lines');
	my @two = (pieces(5, $steady, 400, 1, 0), pieces(5, $steady, 800, 1, 0));
	is(sprintf('%.4f', FTMPI::Bench::Pieces::slowest(\&FTMPI::Bench::Pieces::stretch, @two)), '1.0200', 'the slowest counts');
};

subtest 'what is said of heartbeats' => sub {
	my %got = (
		with    => [ map { { figure => 1003 + $_, all => 1010 } } 1 .. 8 ],
		without => [ ({ figure => 1000, all => 1000 }) x 8 ],
		often   => [ ({ figure => 1040, all => 1040 }) x 2 ],
		usual   => [ ({ figure => 1010, all => 1010 }) x 2 ],
	);
	my ($pairs, $all, $often, @more) = FTMPI::Bench::Beats::notes('heartbeat_pieces', \%got);
	is(scalar @more, 0, 'three sentences');
	like($pairs, qr/: 8 pairs, median 1\.0075, with 95 % certainty the median is within 1\.0040 and 1\.0110, quartiles/, 'the pairs');
	like($all, qr/by all pieces.*: 8 pairs, median 1\.0100,/, 'all pieces');
	like($often, qr/ten times as many beats.*: 2 pairs, median 1\.0297, quartiles/, 'more beats, against their own pairs');
};

subtest 'bins' => sub {
	my $bins = FTMPI::Bench::Distribution::bins(1003, 1017, 1018, 1099.9, 1100);
	is_deeply([ @$bins{qw(from width)} ], [ 1000, 10 ], 'round numbers');
	is_deeply($bins->{counts}, [ 1, 2, 0, 0, 0, 0, 0, 0, 0, 1, 1 ], 'everything is in one of them');
	for my $values ([5], [ 7, 7, 7 ], [ 0.001, 0.0034 ], [ 0, 0 ], [ map { $_**3 } 1 .. 50 ]) {
		my $some = FTMPI::Bench::Distribution::bins(@$values);
		my $sum  = 0;
		$sum += $_ for @{ $some->{counts} };
		is($sum, @$values, "nothing is lost of @$values[0 .. ($#$values < 2 ? $#$values : 2)]");
		cmp_ok(scalar @{ $some->{counts} }, '<=', FTMPI::Bench::Distribution::BINS + 1, 'not too many');
	}
	is(FTMPI::Bench::Distribution::bins(), undef, 'of nothing');
};

subtest 'what is measured in pairs' => sub {
	my $row = row('heartbeat_pieces 0 2', 'ok', floor => [ 1, 10, 100 ], FTMPI => [ 1.0045, 10.6, 100.1 ]);
	is(sprintf('%.4f', FTMPI::Bench::Stats::to_floor($row)), '1.0045', 'the median of the ratios, not the ratio of medians');
	is(verdict($row), 'met', 'just met');
	$row->{values}{FTMPI}[0] = 1.006;
	is(verdict($row), 'not met', 'just not');
	like(FTMPI::Bench::Report::row_line($row, $case{ $row->{id} }, 60), qr/\| 1\.006 \|.*\| \*\*not met\*\* \|/,
		'told closely');
	my @pairs = (floor => [ (1) x 10 ], FTMPI => [ map { 0.996 + 0.001 * $_ } 1 .. 10 ]);
	is(verdict(row('heartbeat_pieces 0 2', 'ok', @pairs)), 'met', 'one in ten beyond the limit: certain enough');
	$pairs[3][8] = 1.007;
	is(verdict(row('heartbeat_pieces 0 2', 'ok', @pairs)), 'undecided', 'two in ten: not certain');
	@{ $pairs[3] }[ 1 .. 9 ] = (1.006) x 9;
	is(verdict(row('heartbeat_pieces 0 2', 'ok', @pairs)), 'not met', 'nine in ten: certainly not');
	$pairs[3][9] = 1;
	my $result = { head => [ map { [ $_ => 2 ] } qw(machine cores system date rounds) ], notes => [],
		rows => [ row('heartbeat_pieces 0 2', 'ok', @pairs) ] };
	like(FTMPI::Bench::Report::page($result), qr/^0 of 1 targets are met; undecided: heartbeat_pieces on 2 ranks\.$/m,
		'the page says what is undecided');
	my $rate = row("checkpoint @{[256 << 20]} 2", 'ok', floor => [ 100, 200 ], FTMPI => [ 89, 190 ]);
	is(verdict($rate), 'met', 'of rates the greater is better');
	like(FTMPI::Bench::Report::row_line($rate, $case{ $rate->{id} }, 60), qr/256 MiB.* - \| - \|.*≥ 0\.9 × floor/,
		'nothing of the peers');
};

subtest 'targets of trials' => sub {
	my $row = row('detect_stopped 0 8', 'ok', FTMPI => [ 900, 1200 ]);
	is(FTMPI::Bench::Stats::target_text($case{ $row->{id} }), 'greatest ≤ 1200 ms', 'in words');
	is(verdict($row), 'met', 'the greatest just meets it');
	push @{ $row->{values}{FTMPI} }, 1200.1;
	is(verdict($row), 'not met', 'one that does not');
	my $killed = row('detect_killed 0 8', 'ok', FTMPI => [ 1, 49, 5000 ]);
	is(verdict($killed), 'met', 'of a killed rank the median counts');
	my $none = row('detect_silent 0 4', 'skipped', FTMPI => []);
	is(verdict($none), '?', 'what was not measured has no verdict');
	my $result = { head => [ [ cores => 2 ] ], notes => [], rows => [$none] };
	my $again = FTMPI::Bench::Results::from_text('x.tsv', FTMPI::Bench::Results::to_text($result));
	is_deeply($again->{rows}, [$none], 'and is read as it was written');
	like(FTMPI::Bench::Report::row_line($none, $case{ $none->{id} }, 60), qr/\| skipped \|.*\| \? \|$/m, 'it is told');
};

subtest 'a histogram' => sub {
	my $row = row('detect_stopped 0 8', 'ok', FTMPI => [ 1003, 1017, 1018, 1100 ]);
	my $result = { head => [ map { [ $_ => 2 ] } qw(cores rounds date) ], notes => [], rows => [$row] };
	my ($chart, @more) = FTMPI::Bench::Charts::all($result);
	is(scalar @more, 0, 'one chart');
	is($chart->[0], 'detect_stopped', 'of the row');
	my @bars = $chart->[2] =~ /<rect .* height="([\d.]+)" fill="#0072b2"/g;
	is(scalar @bars, 3, 'a bar for each bin that is not empty');
	cmp_ok(abs($bars[1] - 2 * $bars[0]), '<', 0.2, 'twice as high for two');
	like($chart->[2], qr/>target: ≤ 1200 ms</, 'the target is told');
	$row->{values}{FTMPI} = [];
	is_deeply([ FTMPI::Bench::Charts::all($result) ], [], 'nothing without values');
};

# A trial of two ranks that was struck at 100 s, in the second life.
sub trial
{
	my ($fault, @lines) = @_;
	my $trial = FTMPI::Bench::Trial->new(fault => $fault, ranks => 2, life => 2, at => 100);
	$trial->see(@$_) for @lines;
	return $trial;
}
my @BACK = ([ 101, 'ftmpirun: all are told to run (9 ms after the failure was noticed)' ],
	[ 102, 'running 0 41 2 101100000000 101200000000 101300000000 101400000000' ],
	[ 103, 'running 1 42 2 101150000000 101160000000 101350000000 101390000000' ]);

subtest 'a trial' => sub {
	my $trial = trial('killed', [ 100.02, 'ftmpirun: rank 1 on h was killed by signal 9 (Killed)' ],
		[ 100.03, 'ftmpirun: rank 1 on h was killed by signal 9 (Killed); restart 1 of 3 from line 1.' ], @BACK);
	ok($trial->is_done, 'all ranks run');
	my %seconds = $trial->seconds;
	is_deeply({ map { $_ => sprintf '%.2f', $seconds{$_} } keys %seconds },
		{ noticed => '0.02', told => '1.00', main => '1.15', inited => '1.20', restored => '1.35', computed => '1.40' }, 'the first word counts');
	is_deeply({ $trial->pids }, { 0 => 41, 1 => 42 }, 'processes');
	is($trial->more_restarts, 0, 'one restart');
	is($trial->otherwise, undef, 'told of as what it was');
	$trial = trial('killed', [ 100.02, 'ftmpirun: rank 1 on h was killed by signal 9 (Killed)' ],
		map { [ 103, "running $_ 4$_ 2 99900000000 99950000000 100500000000 100700000000" ] } 0, 1);
	is(join(' ', sort { $a cmp $b } keys %{ { $trial->seconds } }), 'computed noticed restored', 'an image: what was before the fault is left out');
};

subtest 'trials that go otherwise' => sub {
	my $trial = trial('stopped', [ 100.5, 'rank 0 on h: peer 1: up -> lost' ],
		[ 100.6, 'ftmpirun: rank 0 on h: no sign of rank 1 for 1001 ms' ], [ 100.7, 'running 0 41 1 1 1 1 1' ]);
	is_deeply({ $trial->seconds }, {}, 'suspicions and old lives are no news');
	ok(!$trial->is_done, 'nobody is back');
	$trial->see(101, 'ftmpirun: rank 1 on h shows no life for 1001 ms (stopped or hung)');
	my %seconds = $trial->seconds;
	is($seconds{noticed}, 1, 'noticed');
	$trial->see(@$_) for $BACK[1], [ 104, 'running 1 52 3 1 1 1 1' ];
	ok(!$trial->is_done, 'who was back in an earlier life must come again');
	$trial->see(105, 'running 0 51 3 1 1 1 1');
	ok($trial->is_done, 'all are back');
	is($trial->more_restarts, 1, 'a restart too many is counted');
	$trial = trial('silent', [ 101, 'ftmpirun: lost the connection to host b (no answer for 3 s); x' ]);
	like($trial->otherwise, qr/^lost the connection to host b/, 'noticed, but not for what it was');
};

sub bench
{
	my ($dir, @words) = @_;
	return FTMPI::Test::Job->run([ root() . '/bench/run', @words ], deadline => 280, env => {@$dir});
}

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
	return [ TMPDIR => "$dir/tmp", PATH => "$dir/bin:$ENV{PATH}", FTMPI_LIBDIR => $ENV{FTMPI_LIBDIR} ];
}

subtest 'faults from beginning to end' => sub {
	plan skip_all => 'bench/run compiles without the sanitizer that the library has' if sanitized('pi');
	my $dir = File::Temp->newdir('ftmpi-bench-test-XXXXXX', TMPDIR => 1);
	my $job = bench(straw($dir), '-rounds', 1, '-only', '^(detect_killed|restart)', '-o', "$dir/got.md");
	$job->is_status(0, 'bench/run');
	my $result = FTMPI::Bench::Results::read_file("$dir/got.tsv");
	my %row = map { $_->{what} => $_ } @{ $result->{rows} };
	is(join(' ', sort keys %row), 'detect_killed restart', 'two rows of one job');
	for my $what (sort keys %row) {
		my @values = @{ $row{$what}{values}{FTMPI} };
		is(scalar @values, 10, "$what: ten trials") or diag("@{ $result->{notes} }");
		cmp_ok($_, '>', 0, "$what: after the fault") for @values;
	}
	is_deeply([ glob "$dir/tmp/*" ], [], 'no temporary directory is left');
	$job->none_left('faults');
};

done_testing();
