# SPDX-License-Identifier: BSD-3-Clause
#
# The bench's rows about message logging: what is made of lines and of values, and each kind from beginning to end, in small.
use strict;
use warnings;
use utf8;

use FindBin ();
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../bench/lib";

use File::Temp ();
use Test::More;

use FTMPI::Bench::Cases   ();
use FTMPI::Bench::Msglog  ();
use FTMPI::Bench::Peers   ();
use FTMPI::Bench::Report  ();
use FTMPI::Bench::Stats   ();
use FTMPI::Bench::Turns   ();
use FTMPI::Bench::Victims ();
use FTMPI::FixedAddresses ();
use FTMPI::Test::BenchRows qw(cases row verdict);
use FTMPI::Test::Cluster  ();
use FTMPI::Test::Job      qw(root sanitized);
use FTMPI::Test::File     qw(read_file);
use FTMPI::Test::Process  qw(patience);
use FTMPI::Test::StrawPeers ();

my %case = cases();

subtest 'targets' => sub {
	my %text = map { $_ => FTMPI::Bench::Stats::target_text($case{$_} // {}) } grep { /^msglog_/ } keys %case;
	my @kernels = map { my $k = $_; map { "msglog_$k/default " . FTMPI::Bench::Cases::kernel_size($k) . " $_" } 4, 8 } FTMPI::Bench::Cases::kernels();
	is_deeply(\%text, {
		(map { $_ => '≤ 1.05 × floor' } 'msglog_pingpong 8 2', 'msglog_pingpong/default 8 2', @kernels),
		(map { $_ => '≥ 0.75 × floor' } 'msglog_bandwidth 1048576 2', 'msglog_bandwidth/default 1048576 2'),
		'msglog_bandwidth/gbit 1048576 2' => '≥ 0.98 × floor',
		'msglog_again/default 10 8'       => '≤ 0.5 × floor',
		'msglog_kills/default 25000 4'    => '< 1.3 × floor',
		(map { ("msglog_left/default 3000 $_" => '≤ 0 % lost', "msglog_ring_any/default 8 $_" => '') } 4, 8),
	}, 'as the design has them');
};

subtest 'what is made of values' => sub {
	my $bandwidth = row('msglog_bandwidth 1048576 2', floor => [ (1000) x 10 ], FTMPI => [ (760) x 10 ]);
	is(verdict($bandwidth), 'met', 'three quarters of the bandwidth');
	@{ $bandwidth->{values}{FTMPI} }[ 0 .. 4 ] = (740) x 5;
	is(verdict($bandwidth), 'undecided', 'as often less as more');
	my $left = row('msglog_left/default 3000 4', FTMPI => [0]);
	is(verdict($left), 'met', 'no job was lost');
	like(FTMPI::Bench::Report::row_line($left, $case{ $left->{id} }, 60), qr/\| % lost \|  \| 0\.000 \|/, 'its line');
	is_deeply($left->{values}, { FTMPI => [0] }, '... for which nothing is added to it');
	is(verdict(row('msglog_left/default 3000 4', FTMPI => [5])), 'not met', 'one of twenty was');
	my $again = row('msglog_again/default 10 8', floor => [ 8000, 8000 ], FTMPI => [ 80, 160 ]);
	is(FTMPI::Bench::Stats::to_floor($again), 0.015, 'part of what had run');
	like(FTMPI::Bench::Report::row_line($again, $case{ $again->{id} }, 60), qr{^\| msglog_again/default \| 10 s \| 8 \| ms \| 8000 \| 120 \|.* - \| - \| 0\.015 \|},
		'its line: a size of seconds, nothing of the peers');
	my $kills = row('msglog_kills/default 25000 4', floor => [20], FTMPI => [21]);
	like(FTMPI::Bench::Report::row_line($kills, $case{ $kills->{id} }, 60), qr{^\| msglog_kills/default \| 25000 \| 4 \| s \|}, 'a size of steps');
};

# Killed at 10 s, noticed at 10.1 s.
subtest 'the pause that a kill leads to' => sub {
	my $end = sub { FTMPI::Bench::Msglog::pause_end(10, 10.1, map { join ' ', map { $_ * 1e9 } @$_ } @_) };
	is($end->([ 9.9, 10.5 ]), 10.5, 'the round had begun');
	is($end->([ 10.01, 10.5 ]), 10.5, 'a round was begun before the rank was dead');
	is($end->([ 9, 9.9 ], [ 9.95, 10.002 ], [ 10.002, 10.4 ], [ 10.6, 12 ]), 10.4, 'not those before and after, nor one that ends meanwhile');
	is($end->([ 9, 9.9 ], [ 11, 12 ]), undef, 'there is none');
};

subtest 'what lines tell of ranks' => sub {
	my $job = bless { ranks => 2, pid => {}, come => {}, lines => [] }, 'FTMPI::Bench::Victims';
	$job->see($_->[0], "ftmpirun: $_->[1]") for [ 1, 'rank 0 on a is process 70' ], [ 2, 'rank 1 on b is process 71' ],
		[ 3, 'the keeper: rank 1, incarnation 1, has come' ];
	is($job->{begun}, undef, 'one has not begun');
	$job->see(@$_) for [ 4, 'ftmpirun: the keeper: rank 0, incarnation 1, has come' ], [ 5, 'rank 1 on b is process 72' ],
		[ 6, 'ftmpirun: rank 0 on b is process 73 (2 ms after the failure was noticed)' ];
	is($job->{begun}, 4, 'all have begun');
	is_deeply($job->{pid}, { 0 => 73, 1 => 71 }, 'the latest process of each; a rank\'s own words are none');
	is($job->restarts, 3, 'how often one was started');
	is($job->moment(qr/incarnation/), 3, 'the first line that says so');
	is_deeply([ $job->matched(qr/rank (\d) on (\w)/) ], [qw(0 a 1 b 1 b 0 b)], 'what was said in all of them');
};

# Measured as that row is, in such a size and once.
my $dir = File::Temp->newdir('ftmpi-msglog-test-XXXXXX', TMPDIR => 1);
my ($ours) = grep { $_->{name} eq 'FTMPI' } FTMPI::Bench::Peers::all(root());

sub measured
{
	my ($id, $bytes, $peer) = @_;
	my %less = (%{ $case{$id} // die "no row $id" }, bytes => $bytes, times => 1);
	my ($rows, $notes) = FTMPI::Bench::Turns::measure(cases => [ \%less ], peers => [ $peer // $ours ], root => root(), dir => "$dir", rounds => 1,
		limit => patience(60), seconds => 0.02, done => sub { });
	my $row = $rows->[0];
	is($row->{state}{FTMPI}, 'ok', "$id: measured") or diag("@$notes");
	is_deeply([ grep { -d } glob "$dir/*" ], [], '... no folder is left');
	return ($row->{values}, "@$notes");
}

# One pair, each of something.
sub is_pair
{
	my ($values) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @numbers = map { @$_ } @$values{qw(FTMPI floor)};
	is(scalar @numbers, 2, '... a pair of values');
	is(scalar(grep { $_ > 0 } @numbers), 2, '... of something') or diag("@numbers");
	return;
}

sub is_cost
{
	my ($id, $bytes) = @_;
	my ($values, $notes) = measured($id, $bytes);
	is_pair($values);
	like($notes, qr/^\Q$case{$id}{what}\E on $case{$id}{ranks} ranks: ratio of pairs of jobs with message logging and without: 1 pairs, median/, '... a note');
	return ($values, $notes);
}

# By an ftmpirun of straw, which writes down its words.
subtest 'what is run' => sub {
	my $tree = File::Temp->newdir('ftmpi-msglog-straw-XXXXXX', TMPDIR => 1);
	mkdir "$tree/bin";
	FTMPI::Test::StrawPeers::script("$tree/bin/ftmpirun",
		"case \$1 in -h) echo '  -transport tcp|shm|auto';; *) echo \"\$@\" >>'$tree/words'; echo 'pingpong 8 5'; echo 'sort 100 7';; esac");
	my ($straw) = grep { $_->{name} eq 'FTMPI' } FTMPI::Bench::Peers::all("$tree");
	$straw->{exe} = 'exe';
	my ($values) = measured('msglog_pingpong 8 2', 8, $straw);
	is_deeply($values, { FTMPI => [5], floor => [5] }, '... a figure each');
	($values) = measured('msglog_sort/default 1048576 8', 100, $straw);
	is_deeply($values, { FTMPI => [7], floor => [7] }, '... and of a kernel');
	is(read_file("$tree/words"), join('', map { my $job = $_; map { "$_-workdir $dir $job\n" } '-coord msglog ', '' }
		'-transport tcp -n 2 exe 0.02 pingpong:8', '-n 8 exe 0.02 sort:100'), 'with message logging, and without a protocol');
};

my $why_no_jobs = sanitized('pi') ? 'the programs are compiled without the sanitizer that the library has' : undef;
FTMPI::Bench::Peers::build($ours, root() . '/bench', "$dir", patience(120)) if !defined $why_no_jobs;

subtest 'what it costs' => sub {
	plan skip_all => $why_no_jobs if defined $why_no_jobs;
	is_cost('msglog_bandwidth/default 1048576 2', 1024);
	is_cost('msglog_cg/default 256 4',            32);
	my (undef, $notes) = is_cost('msglog_ring_any/default 8 4', 8);
	like($notes, qr/on 4 ranks: the keeper's round trip, one outcome of one rank at a time: 1 values: least [\d.]+, .* us\.$/, '... beside that of the keeper');
};

subtest 'between two hosts' => sub {
	plan skip_all => $why_no_jobs if defined $why_no_jobs;
	my $why = FTMPI::Test::Cluster->why_not;
	plan skip_all => $why if defined $why;
	my ($values) = is_cost('msglog_bandwidth/gbit 1048576 2', 1 << 20);
	is(scalar(grep { $_ > 150 } map { @$_ } values %$values), 0, '... nothing is faster than the network, in MB/s');
};

subtest 'run again alone' => sub {
	plan skip_all => $why_no_jobs if defined $why_no_jobs;
	my ($values, $notes) = measured('msglog_again/default 10 8', 4);
	is_pair($values);
	cmp_ok($values->{floor}[0], '>=', 3200, '... the rank was killed late');
	like($notes, qr/on the way, ms after the kill \(medians\): noticed \d+, .* all goes on \d+\./, '... a note');
};

subtest 'ranks are killed' => sub {
	plan skip_all => $why_no_jobs if defined $why_no_jobs;
	my $why = FTMPI::FixedAddresses::refuses(FTMPI::FixedAddresses::stack_here());
	plan skip_all => $why if defined $why;
	my ($values, $notes) = measured('msglog_kills/default 25000 4', 200);
	is_pair($values);
	like($notes, qr/: 9 ranks began again in 1 jobs;/, '... each of nine');
	($values, $notes) = measured('msglog_left/default 3000 4', 200);
	is_deeply($values, { FTMPI => [0] }, '... no job is lost');
	like($notes, qr/all but one killed at once in each of 1 jobs; .*: 1 values:/, '... a note');
};

done_testing();
