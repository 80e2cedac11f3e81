# SPDX-License-Identifier: BSD-3-Clause
#
# The bench's rows about images of processes: what is made of lines and of values, and each kind from beginning to end, with
# less memory than the rows have.
use strict;
use warnings;
use utf8;

use FindBin ();
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../bench/lib";

use File::Temp ();
use Test::More;

use FTMPI::Bench::Failures ();
use FTMPI::Bench::Gaps     ();
use FTMPI::Bench::Images   ();
use FTMPI::Bench::Peers    ();
use FTMPI::Bench::Report   ();
use FTMPI::Bench::Stats    ();
use FTMPI::Test::BenchRows qw(cases row);
use FTMPI::Test::Job       qw(root sanitized);
use FTMPI::Test::Process   qw(patience run_quiet);

use constant MIB => 1 << 20;

my %case = cases();

sub gaps
{
	my $gaps = FTMPI::Bench::Gaps->new;
	$gaps->see($_) for @_;
	return [ $gaps->ms ];
}

subtest 'gaps of lines' => sub {
	my @first = ('gap 7.000', 'gap 30.500', 'gap 8.000', 'ftmpirun: line 1 is committed');
	is_deeply(gaps(@first, 'gap 9.000'), [], 'a line of which something may still come');
	is_deeply(gaps(@first, 'gap 9.000', 'gap 1.000'), [30.5], 'the longest since the start');
	is_deeply(gaps(@first, 'gap 1.000', 'gap 31.000', 'gap 32.000'), [31], 'two words that come late');
	is_deeply(gaps(@first, 'ftmpirun: the recovery line is committed.', ('gap 1.000') x 3, 'my gap 9.0', 'gap 5', 'ftmpirun: line 2 is committed',
		'gap 2.000', 'gap 0.500'), [ 30.5, 2 ], 'each line has its own; other words are none');
	is_deeply(gaps(@first, 'gap 40.000', 'ftmpirun: line 2 is committed', ('gap 2.000') x 3), [40], 'two lines without a step between them');
};

subtest 'what is said of them' => sub {
	my $stall = row("image_stall_blocking @{[MIB << 6]} 2", floor => [ 10, 100, 20 ], FTMPI => [ 5, 50, 20 ]);
	is(FTMPI::Bench::Stats::to_floor($stall), 0.5, 'stalls are measured in pairs');
	like(FTMPI::Bench::Report::row_line($stall, $case{ $stall->{id} }, 60), qr/\| 64 MiB \| 2 \| ms \|.* - \| - \|/, 'nothing of the peers');
	my $size = row("image_size @{[MIB << 10]} 1", floor => [1000], FTMPI => [100]);
	is(FTMPI::Bench::Stats::to_floor($size), 0.1, 'a size');
	my $cost = row('image_cost_cg 256 2', floor => [ (1) x 10 ], FTMPI => [ (1.009) x 10 ]);
	my $target = $case{ $cost->{id} };
	is(FTMPI::Bench::Stats::target_text($target), '≤ 1.01 × floor', 'what an image job may cost');
	is(FTMPI::Bench::Stats::verdict($cost, $target), 'met', 'less');
	like(FTMPI::Bench::Report::row_line($cost, $target, 60), qr/^\| image_cost_cg \| 256 \| 2 \|/, 'a size that is no bytes');
	@{ $cost->{values}{FTMPI} }[ 0 .. 4 ] = (1.011) x 5;
	is(FTMPI::Bench::Stats::verdict($cost, $target), 'undecided', 'as often more as less');
	is(FTMPI::Bench::Images::note($cost), 'image_cost_cg: ratio of pairs of jobs with -image and without: 10 pairs, median 1.0100,'
		. ' with 95 % certainty the median is within 1.0090 and 1.0110, quartiles 1.0090 and 1.0110.', 'in words');
};

# Measured as that row is, with so many bytes (or of that size) and so many times in a round.
my $dir = File::Temp->newdir('ftmpi-images-test-XXXXXX', TMPDIR => 1);
my ($ours) = grep { $_->{name} eq 'FTMPI' } FTMPI::Bench::Peers::all(root());

sub measured
{
	my ($id, $bytes, $times, $rounds) = @_;
	my %less = (%{ $case{$id} // die "no row $id" }, bytes => $bytes, times => $times);
	my $row = row($id);
	my @notes = FTMPI::Bench::Failures::measure(
		{ peers => [$ours], root => root(), dir => "$dir", rounds => $rounds, limit => patience(60) }, [ \%less, $row ]);
	is($row->{state}{FTMPI} // 'ok', 'ok', "$id: measured") or diag("@notes");
	is_deeply([ glob "$dir/images-*" ], [], '... no work directory is left');
	return (@{ $row->{values} }{qw(FTMPI floor)}, @notes);
}

# Each of ours and of the floor has so many values, all of something.
sub has_values
{
	my ($count, @of) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	for my $values (@of) {
		is(scalar @{ $values // [] }, $count, '... values') or next;
		is(scalar(grep { $_ <= 0 } @$values), 0, '... of something') or diag("@$values");
	}
	return;
}

sub needs_images
{
	plan skip_all => 'the programs are compiled without the sanitizer that the library has' if sanitized('pi');
	# a container's filter of system calls may refuse it
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
	return;
}

subtest 'from beginning to end' => sub {
	needs_images();
	FTMPI::Bench::Peers::build($ours, root() . '/bench', "$dir", patience(120));
	for my $coord (qw(blocking eventlog)) {
		my ($image, $calls) = measured("image_stall_$coord @{[MIB << 6]} 2", MIB, 2, 1);
		has_values(2, $image, $calls);
	}
	my ($image, $calls) = measured("image_size @{[MIB << 10]} 1", 40 * MIB, 1, 3);
	has_values(1, $image, $calls);
	cmp_ok($calls->[0], '>=', 40, '... by calls all of it');
	cmp_ok($calls->[0], '<', 41, '... and nothing else');
	cmp_ok($image->[0], '>=', 4, '... of the image the tenth that is not zero');
	cmp_ok($image->[0], '<', 7, '... and the rest of the process');
	($image, $calls, my @notes) = measured("image_back @{[MIB << 6]} 2", MIB, 2, 1);
	has_values(2, $image, $calls);
	like("@notes", qr/image_back: on the way, .* through a sum \d+\./, '... a note of images');
	like("@notes", qr/image_back, by calls: on the way, [^.]* last rank in main \d+/, '... and of calls');
	unlike("@notes", qr/image_back: on the way, [^.]*in main/, '... where an image has no new beginning');
	($image, $calls, @notes) = measured('image_cost_cg 256 2', 64, 1, 2);
	has_values(2, $image, $calls);
	like("@notes", qr/^image_cost_cg: ratio of pairs of jobs with -image and without: 2 pairs, median/, '... a note');
};

done_testing();
