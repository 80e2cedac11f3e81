# SPDX-License-Identifier: BSD-3-Clause
#
# bench/papers/run: what is run, what follows from the times, the page and its charts, and one program
# from beginning to end.
use strict;
use warnings;

use FindBin ();
use lib map { "$FindBin::Bin/../../../$_" } qw(bench/papers/lib bench/lib bin/lib bin/tests/lib);

use File::Temp ();
use Test::More;

use FTMPI::Papers::Cases    ();
use FTMPI::Papers::Measure  ();
use FTMPI::Papers::Overhead ();
use FTMPI::Papers::Page     ();
use FTMPI::Papers::Values   ();
use FTMPI::Test::Job        qw(root sanitized);
use FTMPI::Test::Pages      qw(even_tables well_formed);

my $dir = File::Temp->newdir('ftmpi-papers-test-XXXXXX', TMPDIR => 1);

subtest 'what is run' => sub {
	my @cases = FTMPI::Papers::Cases::all();
	for my $case (@cases) {
		my $every = FTMPI::Papers::Cases::every($case);
		is((grep { $_ % $every == 0 } 1 .. $case->{steps} - 1), 4, "$case->{id}: four lines before the last step");
	}
	is(scalar(FTMPI::Papers::Cases::chosen('^gauss ', 0)), 3, 'by their names');
	is(join(' ', map { $_->{program} } FTMPI::Papers::Cases::chosen('', 1)), 'gauss laplace neurons disks matmul', 'one of each');
	my ($matmul) = FTMPI::Papers::Cases::chosen('^matmul 1024', 0);
	my ($gauss)  = FTMPI::Papers::Cases::chosen('^gauss', 1);
	is(join(' ', map { $_->{name} } FTMPI::Papers::Cases::modes($gauss)), 'source protocol checkpoint again', 'modes');
	my @where = (bin => 'B', work => 'W', from => 'F', to => 'T');
	my %mode  = map { $_->{name} => join ' ', FTMPI::Papers::Cases::words($matmul, $_, @where) }
		FTMPI::Papers::Cases::modes($matmul);
	my $words = '-heartbeat 0 -workdir W -n 5 B/matmul 1024 -times 2 -clock -turn-from F -turn-to T';
	is_deeply(\%mode, {
		(map { $_ => "-coord blocking $words" } qw(source again)),
		protocol   => "-coord eventlog $words",
		tagging    => "-coord tagging $words",
		checkpoint => "-coord eventlog $words -ckpt 103",
	}, 'the words of each mode');
};

# A few, so that no column is taken for another.
subtest 'what others measured' => sub {
	my %theirs = map { $_->{theirs}{table} => $_->{theirs} } FTMPI::Papers::Cases::all();
	is(join(' ', sort { $a <=> $b } keys %theirs), '5 6 7 9 11 12 14 16 18 20 21 22 24 25 26', 'tables');
	is_deeply([ map { $theirs{$_}{protocol} } 5, 7, 14, 26 ], [ 12.25, 0.2, 27.04, 2.79 ], 'protocol');
	is_deeply([ map { $theirs{$_}{checkpoint} } 5, 22, 24 ], [ 34.45, 14.32, undef ], 'checkpoint');
	is_deeply([ map { $theirs{$_}{tagging} } 24 .. 26, 5 ], [ 4.85, 7.40, 8.05, undef ], 'tagging');
};

# A run whose pieces take so long by both clocks.
sub run_of
{
	my @pieces = @_;
	my $total  = 0;
	$total += $_ for @pieces;
	return { said => 'x', map { $_ => { total => $total, pieces => [@pieces] } } qw(wall cpu) };
}

sub near
{
	my ($got, $expected, $name) = @_;
	ok(abs($got - $expected) < 0.01, $name) or diag("$got, not $expected");
	return;
}

subtest 'overheads' => sub {
	# each round disturbs another piece, by a hundred times what is looked for
	my @without = map { my $i = $_; run_of(map { $_ == $i ? 2 : 1 } 0 .. 9) } 0 .. 9;
	my @with    = map { my $i = $_; run_of(map { 1.01 * ($_ == 9 - $i ? 3 : 1) } 0 .. 9) } 0 .. 9;
	my ($percent, @bounds) = FTMPI::Papers::Overhead::overhead('pieces wall', \@with, \@without);
	near($percent, 1, 'pieces: one per cent, whatever was disturbed');
	ok($bounds[0] <= $percent && $percent <= $bounds[1], 'within its bounds') or diag("@bounds");
	($percent) = FTMPI::Papers::Overhead::overhead('runs wall', \@with, \@without);
	near($percent, 100 * (1.01 * 12 / 11 - 1), 'runs: with all that disturbs');
	is_deeply([ FTMPI::Papers::Overhead::overhead('runs cpu', [ run_of(2), run_of(2) ], [ run_of(1), run_of(4) ]) ], [0],
		'twice and half as long is nothing; two rounds have no bounds');
	is(scalar(() = FTMPI::Papers::Overhead::overhead('pieces cpu', [ run_of(2) ], [ run_of(1) ])), 1, 'nor has one');
	is_deeply([ FTMPI::Papers::Overhead::overhead('pieces cpu', [], []) ], [], 'nothing of nothing');
	my @slow = map { my $i = $_; run_of(map { $_ == 5 ? 3 : 1 } 0 .. 9) } 0 .. 9;
	($percent) = FTMPI::Papers::Overhead::overhead('pieces wall', \@slow, [ map { run_of((1) x 10) } 0 .. 9 ]);
	near($percent, 20, 'what comes in the same piece each time counts');
	my $runs = sub { my ($clock) = @_; return [ map { my $r = run_of(1); $r->{$clock}{total} = 2; $r } 1 .. 3 ] };
	near((FTMPI::Papers::Overhead::overhead('runs cpu', $runs->('cpu'), [ map { run_of(1) } 1 .. 3 ]))[0], 100, 'each by its clock');
	near((FTMPI::Papers::Overhead::overhead('runs wall', $runs->('wall'), [ map { run_of(1) } 1 .. 3 ]))[0], 100, 'each by its clock');
	near((FTMPI::Papers::Overhead::overhead('runs cpu', $runs->('wall'), [ map { run_of(1) } 1 .. 3 ]))[0], 0, '... and no other');
	is(FTMPI::Papers::Overhead::words(1.26, -0.04, 2), '1.3 (0.0 to 2.0)', 'in words');
	is(FTMPI::Papers::Overhead::words(), '-', 'without any');
};

subtest 'what a program prints' => sub {
	my @lines = ('disks: wall 1.5 s, pieces 0.5 1.0', 'disks: cpu 2.5 s, pieces 1.0 1.5', 'disks: right, 8 x 8, 2 ranks');
	is_deeply(FTMPI::Papers::Measure::parsed('disks', @lines), {
		said => '8 x 8, 2 ranks',
		wall => { total => 1.5, pieces => [ 0.5, 1 ] },
		cpu  => { total => 2.5, pieces => [ 1, 1.5 ] },
	}, 'three lines');
	for my $i (0 .. 2) {
		my @some = @lines;
		splice @some, $i, 1;
		is(FTMPI::Papers::Measure::parsed('disks', @some), undef, "without line $i");
	}
	is(FTMPI::Papers::Measure::parsed('gauss', @lines), undef, 'another program');
};

subtest 'the page' => sub {
	my @measured = map { {
		case  => $_,
		bytes => 2_500_000,
		runs  => {
			(map { $_ => [ run_of(1, 1) ] } qw(source again)),
			protocol   => [ run_of(1, 1.02) ],
			checkpoint => [ run_of(1, 1.2) ],
			$_->{program} eq 'matmul' ? (tagging => [ run_of(1, 1.06) ]) : ()
		},
	} } FTMPI::Papers::Cases::all();
	my $result = { head => [ map { [ $_ => 'V' ] } qw(machine cores system FTMPI date rounds) ], measured => \@measured };
	my @charts = FTMPI::Papers::Page::charts($result);
	my $page   = FTMPI::Papers::Page::page($result, map { [ $_->[0], $_->[1] ] } @charts);
	like($page, qr/^\| gauss \| 1400 \| 4 \| 2\.00 \| 1\.0 \| 10\.0 \| 2\.50 \| 4000 \| 4 \| 349\.4 \| 12\.25 \| 34\.45 \| 5 \|$/m, 'a row');
	like($page, qr/^\| 2048 \| 1\.0 \| 3\.0 \| 2\.79 \| 8\.05 \|$/m, 'tagging');
	like($page, qr/^\| gauss 1400 4 \| again \| 0\.0 \| 0\.0 \| 0\.0 \| 0\.0 \|$/m, 'all measures');
	even_tables($page);
	is(join(' ', map { $_->[0] } @charts), 'protocol checkpoint tagging', 'three charts');
	ok(well_formed($_->[2]), "$_->[0] is well-formed") for @charts;
	my $colours = qr/9ecae1|4292c6|084594|d9d9d9|969696|525252/;
	is(scalar(() = $charts[0][2] =~ /<rect .* fill="#$colours"/g), 15 * 2 + 6, 'a bar each, and the legend');
	like($page, qr/ 1 rounds in turns\.$/m, 'rounds');
	my $text = FTMPI::Papers::Values::to_text($result);
	is(scalar(() = $text =~ /^\w+ [^\t]*\t[a-z]+\t/mg), 15 * 4 + 3, 'every run is in the table of values');
	my $again = FTMPI::Papers::Values::from_text('x', $text);
	delete $_->{said} for map { @$_ } map { values %{ $_->{runs} } } @measured;
	is_deeply($again, $result, '... and is read as it was written');
	splice @{ $again->{measured} }, 1;
	my $both = FTMPI::Papers::Values::together($result, $again);
	is(join(' ', map { scalar @{ $_->{runs}{source} } } @{ $both->{measured} }), '2' . ' 1' x 14, 'two results together');
	like(FTMPI::Papers::Page::page($both), qr/ 1 to 2 rounds in turns\.$/m, 'rounds of both');
};

subtest 'values that are none' => sub {
	my $first = '# FTMPI papers results 1';
	my $run   = "gauss 1400 4\tsource\t2\t1,1\t2\t1,1";
	my $whole = join "\n", $run, map { $run =~ s/source/$_/r } qw(protocol checkpoint again);
	is(scalar @{ FTMPI::Papers::Values::from_text('x', "$first\n$whole\n")->{measured} }, 1, 'a run');
	my %wrong = (
		''                          => qr/^x is not a result of bench\/papers\/run/,
		"nonsense\n"                => qr/^x is not a result/,
		"$first\n$whole\n$run\n"      => qr/^x: 'gauss 1400 4' has not as many runs of each mode$/,
		"$first\ngauss 1400 4\t7\n"  => qr/^x: 'gauss 1400 4' has not as many runs of each mode$/,
		"$first\n\n$run\n"           => qr/^x, line 2: '' is not a program of this version$/,
		"$first\n$run\nhex 3\t1\n"  => qr/^x, line 3: 'hex 3' is not a program/,
		"$first\n$run\n$run,1\n"    => qr/^x, line 3: not a run$/,
		"$first\n$run\t1\n"         => qr/^x, line 2: not a run$/,
		"$first\n" . $run =~ s/source/tagging/r => qr/^x, line 2: not a run$/,
		"$first\n" . $run =~ s/1,1/1,x/r        => qr/^x, line 2: not a run$/,
	);
	for my $text (sort keys %wrong) {
		my $got = eval { FTMPI::Papers::Values::from_text('x', $text); 'nothing' } // $@;
		like($got, $wrong{$text}, 'a sentence') or diag($text);
	}
};

sub papers
{
	my (@words) = @_;
	mkdir "$dir/tmp";
	return FTMPI::Test::Job->run([ root() . '/bench/papers/run', @words ], env => { TMPDIR => "$dir/tmp" });
}

subtest 'words' => sub {
	papers('-h')->well(qr{\Ausage: bench/papers/run}, '-h');
	papers('-list')->well(qr/\A(?:\w+ \d+ .*\n){15}\z/, '-list');
	for my $words ([qw(-rounds 0)], [ '-only', '(' ], ['-nonsense'], [qw(-only nothing-such)], [qw(-add)]) {
		my $job = papers(@$words);
		$job->is_status(2, "@$words");
		$job->err_like(qr{\Abench/papers/run: [^\n]+bench/papers/run -(?:h|list)[^\n]*\n\z}, "@$words");
	}
};

subtest 'from beginning to end' => sub {
	plan skip_all => 'what is measured is built without a sanitizer' if sanitized('pi');
	my $job = papers(qw(-rounds 1 -only), '^matmul 512', '-o', "$dir/got.md");
	$job->is_status(0, 'one round');
	open my $in, '<', "$dir/got.tsv" or die "$dir/got.tsv: $!\n";
	local $/;
	my $result = FTMPI::Papers::Values::from_text('got', <$in>);
	my $got    = $result->{measured}[0];
	is(join(' ', sort keys %{ $got->{runs} }), 'again checkpoint protocol source tagging', 'every mode');
	for my $mode (sort keys %{ $got->{runs} }) {
		my ($wall, $cpu) = @{ $got->{runs}{$mode}[0] }{qw(wall cpu)};
		is(@{ $_->{pieces} }, 50, "$mode: pieces") for $wall, $cpu;
		my $sum = 0;
		$sum += $_ for @{ $wall->{pieces} };
		cmp_ok($sum, '<=', $wall->{total} + 0.001, "$mode: pieces are parts of the whole");
	}
	cmp_ok($got->{bytes}, '>', 512 * 512 * 8, 'a line holds the product');
	is_deeply([ glob "$dir/tmp/*" ], [], 'no temporary directory is left');
};

subtest 'who takes too long leaves nothing' => sub {
	plan skip_all => 'what is measured is built without a sanitizer' if sanitized('pi');
	my $job = papers(qw(-limit 1 -only), '^gauss 2000');
	$job->is_status(2, 'a limit of 1 s');
	$job->err_like(qr{\Abench/papers/run: gauss 2000 4: it was not done after 1 s\n\z}, 'a limit of 1 s');
	$job->none_left('a limit of 1 s');
	is_deeply([ glob "$dir/tmp/*" ], [], 'no temporary directory is left');
};

subtest 'a Ctrl-C leaves nothing' => sub {
	plan skip_all => 'what is measured is built without a sanitizer' if sanitized('pi');
	my $job = FTMPI::Test::Job->start([ root() . '/bench/papers/run', '-only', '^matmul 2048' ], env => { TMPDIR => "$dir/tmp" });
	# the heading of the table comes before the first job
	$job->wait_for(out => qr/^\|---/m);
	$job->is_interrupted;
	is_deeply([ glob "$dir/tmp/*" ], [], 'no temporary directory is left');
};

done_testing();
