# SPDX-License-Identifier: BSD-3-Clause
#
# What make tune is made of: each algorithm runs, and rows come out that the table of choices can hold.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Processors    ();
use FTMPI::Test::Job     qw(program root sanitized);
use FTMPI::Test::Process qw(run_quiet);

plan skip_all => 'it is not built with a sanitizer' if sanitized('pingpong');

plan skip_all => 'it is for fewer than 3 processors' if FTMPI::Processors::count() > 2;

my $run  = root() . '/bench/tune/run';
my $dir  = File::Temp->newdir;
my @fast = qw(-rounds 1 -seconds 0.001);

# Every one once; on a number of ranks that is a power of two, too, where there is a form for that.
my ($status, $text, @rows);
for my $case ([ '3', '.', qw(barrier bcast_sync reduce_sync allreduce allgather alltoall gather_sync scatter_sync scan reduce_scatter) ],
	[ '4', '^allreduce$', 'allreduce' ], [ '3,4', '^allgather$', 'allgather' ]) {
	my ($ranks, $only, @operations) = @$case;
	($status, $text) = run_quiet($run, @fast, -only => $only, -ranks => $ranks, -bytes => '8,65536', -write => "$dir/rows.h", program('tune_bench'));
	is($status, 0, "all algorithms run on $ranks ranks") or diag($text);
	my @numbers = split /,/, $ranks;
	for my $operation (@operations) {
		like($text, qr/^$operation\t$_\t\d+\t\w+\t/m, "$operation was measured on $_ ranks") for @numbers;
	}
	open(my $in, '<', "$dir/rows.h") or die "rows.h: $!\n";
	my @more = grep { /\{/ } readline $in;
	cmp_ok(scalar @more, '>=', @operations * @numbers, '... at least a row each');
	push @rows, @more;
}
is_deeply([ grep { !/^\t\{COLL_\w+, NEAR \| CROWDED[\w| ]*, (?:\d+|ANY), (?:\d+|ANY), ALGO_\w+\},$/ } @rows ], [], 'rows of the table');

($status, $text) = run_quiet($run, '-nonsense', program('tune_bench'));
isnt($status, 0, 'an option that there is not');
like($text, qr/^usage: /m, '... is answered with the usage');

($status, $text) = run_quiet($run, qw(-ranks 1), program('tune_bench'));
isnt($status, 0, 'a rank that has a processor');
like($text, qr/^bench\/tune\/run: 1 ranks have a processor each here /m, '... is refused');

($status, $text) = run_quiet('make', '-n', '-C', root(), 'tune', 'RANKS=8,32');
like($text, qr{^perl bench/tune/run -ranks 8,32 -write }m, 'make tune RANKS=... measures these');
($status, $text) = run_quiet('make', '-n', '-C', root(), 'tune');
like($text, qr{^perl bench/tune/run +-write }m, '... and without it those of the table');

done_testing();
