# SPDX-License-Identifier: BSD-3-Clause
#
# bench/papers/v2: what is run, what is made of lines and values, the page and its charts, and each kind of case from beginning
# to end, in small.
use strict;
use warnings;

use FindBin ();
use lib map { "$FindBin::Bin/../../../$_" } qw(bench/papers/lib bench/lib bin/lib bin/tests/lib);

use File::Temp ();
use Test::More;

use FTMPI::Bench::Peers        ();
use FTMPI::Bench::Results      ();
use FTMPI::FixedAddresses      ();
use FTMPI::Papers::V2::Again   ();
use FTMPI::Papers::V2::Cases   ();
use FTMPI::Papers::V2::Charts  ();
use FTMPI::Papers::V2::Measure ();
use FTMPI::Papers::V2::Page    ();
use FTMPI::Test::Cluster       ();
use FTMPI::Test::Job           qw(program root sanitized);
use FTMPI::Test::Pages         qw(even_tables well_formed);
use FTMPI::Test::Process       qw(patience process_name wait_until);

my $dir  = File::Temp->newdir('ftmpi-papers-test-XXXXXX', TMPDIR => 1);
my %case = map { $_->{id} => $_ } FTMPI::Papers::V2::Cases::all();

subtest 'what is run' => sub {
	is(scalar keys %case, 2 * (1 + 7 + 7) + (1 + 6 + 6) + 4 + 7 + 2, 'all of it');
	is(join(', ', map { $_->{id} } FTMPI::Papers::V2::Cases::chosen('^(pingpong|calls)', 0)),
		'pingpong 0 2, pingpong/default 0 2, pingpong/gbit 0 2, calls_sweeps 64 9, calls_cg 256 8', 'by their names');
	my %kinds = map { FTMPI::Papers::V2::Cases::kind($_) => 1 } FTMPI::Papers::V2::Cases::chosen('', 1);
	is(join(' ', sort keys %kinds), 'again calls faults figure', 'one of each kind');
	is(join(' ', map { FTMPI::Papers::V2::Cases::rounds($_ << 10) } 1, 16, 64, 128), '4000 4000 1024 512', 'rounds of the token');
	is_deeply([ map { [ FTMPI::Papers::V2::Cases::theirs($case{"$_ 2"}) ] } 'pingpong 0', 'bandwidth/default 4194304', 'bandwidth/gbit 1048576', 'bandwidth 1048576' ],
		[ [ 77, 237 ], ([ 11.3, 10.7 ]) x 2, [] ], 'what others measured');
};

subtest 'what programs print' => sub {
	my @lines = map { "calls: $_ 1.5 s, 30 calls" } qw(send receive wait allreduce);
	is_deeply(FTMPI::Papers::V2::Measure::parsed_calls('x', @lines), { map { $_ => [ 1.5, 30 ] } qw(send receive wait allreduce) }, 'calls');
	is(FTMPI::Papers::V2::Measure::parsed_calls(@lines[ 0 .. 2 ]), undef, '... not all of them');
	my @done = FTMPI::Papers::V2::Again::all_done('ring: rank 3, begun 1000000000, done 5000000000', 'else',
		'ring: rank 0, begun 2000000000, done 5500000000');
	is(join(' ', map { $_->{rank} } @done), '3 0', 'who is done');
	is(FTMPI::Papers::V2::Again::span(@done), 4.5, '... and what all of them took');
};

# Of each case, with values that are easily told apart.
sub row
{
	my ($case) = @_;
	my %values = (FTMPI => [ 2, 4, 3 ], floor => [ 1, 2, 2 ]);
	%values = (%values, map { ("x$_" => [ 1, 1, 1 ], "own$_" => [ 0.5, 1, 1 ]) } 1, 2, 4, 8) if $case->{what} =~ /^again/;
	$values{none} = $values{floor} if $case->{what} =~ /^faults/;
	%values = map { ("FTMPI $_" => [ 3, 3 ], "floor $_" => [ 2, 1 ], "calls $_" => [70]) } FTMPI::Papers::V2::Cases::GROUPS
		if $case->{what} =~ /^calls/;
	return { %$case, values => \%values, state => { map { $_ => 'ok' } keys %values } };
}

subtest 'the page' => sub {
	my $result = { head => [ map { [ $_ => 'V' ] } qw(machine cores system FTMPI date rounds) ], notes => ['A note.'],
		rows => [ map { row($_) } FTMPI::Papers::V2::Cases::all() ] };
	my @charts = FTMPI::Papers::V2::Charts::all($result);
	my $page   = FTMPI::Papers::V2::Page::page($result, map { [ $_->[0], $_->[1] ] } @charts);
	even_tables($page);
	my $three = qr/2\.00 \(1\.50 to 2\.00\)/;
	my $ours  = qr/2 \(1 to 2\) \| 3 \(2 to 4\) \| $three/;
	like($page, qr/^\| TCP \| 0 B \| us \| $ours \| 77 \| 237 \| 3\.08 \|$/m, 'latency, ours beside theirs');
	like($page, qr/^\| memory \| 4 MiB \| MB\/s \| $ours \| 11\.3 \| 10\.7 \| 0\.95 \|$/m, 'bandwidth');
	like($page, qr/^\| TCP \| 1 KiB \| MB\/s \| $ours \|  \|  \|  \|$/m, '... of which they have no number');
	like($page, qr/^\| TCP \| 64 KiB \| MB\/s \| $ours \| up to 2 \|$/m, 'both ways');
	like($page, qr/^\| 128 KiB \| 1 \| 2 \(1 to 2\) \| 3 \(2 to 4\) \| 1 \(1 to 1\) \| 0\.33 \(0\.25 to 0\.50\) \| 1 .* \| 0\.25 .* \| about half \|$/m, 'again');
	like($page, qr/^\| 9 \| $ours \| $three \| below 2 \|$/m, 'faults');
	like($page, qr/^\| sweeps 64 \| 9 \| send \| 70 \| 1\.5 .* \| 3 \(3 to 3\) \| 2\.25 .* \| BT A 9 \| 44\.9 \| 3\.4 \|$/m, 'calls');
	like($page, qr/^\| cg 256 \| 8 \| total \|  \| 6 .* \| 12 .* \| CG A 8 \| 5\.1 \| 14\.413 \|$/m, '... and their sum');
	is(join(' ', map { $_->[0] } @charts), 'bandwidth both_ways again faults', 'charts');
	ok(well_formed($_->[2]), "$_->[0] is well-formed") for @charts;
	my $read = FTMPI::Bench::Results::from_text('x', FTMPI::Bench::Results::to_text($result));
	delete $_->{words} for @{ $result->{rows} };
	is_deeply($read, $result, 'the table of values has all of it');
	my $left_out = { %{ $case{'faults/default 9 4'} }, values => { FTMPI => [] }, state => { FTMPI => 'skipped' } };
	is(FTMPI::Papers::V2::Page::lines($left_out), "| 9 | - | - | - | - | below 2 |\n", 'what could not be measured');
	is_deeply([ FTMPI::Papers::V2::Charts::all({ %$result, rows => [$left_out] }) ], [], '... has no chart');
};

sub v2
{
	my (@words) = @_;
	mkdir "$dir/tmp";
	return FTMPI::Test::Job->start([ root() . '/bench/papers/v2', @words ], env => { TMPDIR => "$dir/tmp" });
}

subtest 'words' => sub {
	v2('-h')->finish->well(qr{\Ausage: bench/papers/v2}, '-h');
	v2('-list')->finish->well(qr/\A(?:\w\S+ \d+ \d+\n){56}\z/, '-list');
	for my $words ([qw(-rounds 0)], ['-nonsense'], [qw(-only nothing-such)]) {
		my $job = v2(@$words)->finish;
		$job->is_status(2, "@$words");
		$job->err_like(qr{\Abench/papers/v2: [^\n]+bench/papers/v2 -(?:h|list)[^\n]*\n\z}, "@$words");
	}
};

my $why_no_jobs = sanitized('pi') ? 'what is measured is built without a sanitizer' : undef;
my ($ours) = grep { $_->{name} eq 'FTMPI' } FTMPI::Bench::Peers::all(root());

# One round of that case, with less to do. Each value is one and more than nothing.
sub measured
{
	my ($id, %less) = @_;
	my %arg = (peer => $ours, root => root(), dir => "$dir", limit => patience(60), rounds => 1);
	my ($row, @notes) = FTMPI::Papers::V2::Measure::measure(\%arg, { %{ $case{$id} }, %less });
	my $values = $row->{values};
	is_deeply([ grep { @{ $values->{$_} } != 1 || $values->{$_}[0] <= 0 } sort keys %$values ], [], "$id: a value of each") or diag(explain($values));
	is_deeply([ grep { !m{/tmp\z} } glob "$dir/*" ], [], '... nothing is left');
	return ($values, "@notes");
}

subtest 'run again' => sub {
	plan skip_all => $why_no_jobs if defined $why_no_jobs;
	my ($values) = measured('again/default 16384 8', turns => 50);
	is(join(' ', sort keys %$values), 'FTMPI floor own1 own2 own4 own8 x1 x2 x4 x8', '... for 1, 2, 4 and 8 ranks');
	is_deeply([ grep { $values->{"own$_"}[0] > $values->{"x$_"}[0] } 1, 2, 4, 8 ], [], '... by itself is a part of all');
};

subtest 'faults' => sub {
	plan skip_all => $why_no_jobs if defined $why_no_jobs;
	my $why = FTMPI::FixedAddresses::refuses(FTMPI::FixedAddresses::stack_here());
	plan skip_all => $why if defined $why;
	my (undef, $notes) = measured('faults/default 2 4', edge => 24, steps => 3000, interval => 0.05);
	is($notes, 'faults/default 2 4: 2 ranks began again in 1 jobs.', 'two were killed');
};

subtest 'calls' => sub {
	plan skip_all => $why_no_jobs if defined $why_no_jobs;
	my ($values) = measured('calls_sweeps 64 9', ranks => 4, words => [ 12, qw(-steps 10) ]);
	is_deeply([ map { $values->{"calls $_"}[0] } FTMPI::Papers::V2::Cases::GROUPS ], [ 480, 480, 4 * 10 * 13, 8 ], 'as many as the program makes');
	($values) = measured('calls_cg 256 8', ranks => 2, words => [ 1, 'cg:32' ]);
	is($values->{'calls allreduce'}[0], 2 * 20 * 81, '... and the kernel');
};

subtest 'between two hosts' => sub {
	plan skip_all => $why_no_jobs if defined $why_no_jobs;
	my $why = FTMPI::Test::Cluster->why_not;
	plan skip_all => $why if defined $why;
	# mpibench, whose calls are counted
	local $ours->{exe} = program('calls_mpibench');
	my ($values) = measured('both_ways/gbit 65536 2');
	is_deeply([ grep { $_->[0] > 150 } values %$values ], [], '... nothing is faster than the network');
};

subtest 'from beginning to end' => sub {
	plan skip_all => $why_no_jobs if defined $why_no_jobs;
	my $job = v2(qw(-rounds 1 -only), '^(pingpong|both_ways)/default (0|1024) ', '-o', "$dir/got.md")->finish;
	$job->well(qr/^written: /m, 'one round');
	my $result = FTMPI::Bench::Results::read_file("$dir/got.tsv");
	is(join(', ', map { $_->{id} } @{ $result->{rows} }), 'pingpong/default 0 2, both_ways/default 1024 2', 'what was asked for');
	is_deeply([ map { -s "$dir/$_" ? () : $_ } qw(got.md got-both_ways.svg) ], [], 'a page and a chart');
	is_deeply([ glob "$dir/tmp/*" ], [], 'no temporary directory is left');
};

subtest 'a Ctrl-C leaves nothing' => sub {
	plan skip_all => $why_no_jobs if defined $why_no_jobs;
	my $job = v2('-only', '^again/default 131072');
	ok(wait_until(60, sub { scalar grep { process_name($_) =~ m{\(\S*/ring } } $job->pids }), 'ranks are there') or diag($job->saw);
	$job->is_interrupted;
	is_deeply([ glob "$dir/tmp/*" ], [], 'no temporary directory is left');
};

done_testing();
