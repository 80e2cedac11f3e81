# SPDX-License-Identifier: BSD-3-Clause
#
# Messages across a recovery line, and what a new job finds in the line: each state that a message can be in
# when the line is made, for several numbers of ranks, with every message eager or none, under each protocol,
# and restored under a protocol other than that which made the line.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Hand qw(free_ports start_rank);
use FTMPI::Test::Job  qw(ftmpirun program);

my $scratch = File::Temp->newdir('ftmpi-transit-XXXXXX', TMPDIR => 1);

sub run_transit
{
	my ($what, $expected, $n, $dir, $limit, @words) = @_;
	my @program = (program('transit'), $limit ? () : '-no-cut');
	my $job = FTMPI::Test::Job->run(
		[ftmpirun(), '-n', $n, '-workdir', $dir, @words, @program],
		env => {FTMPI_EAGER_LIMIT => $limit});
	$job->is_status(0, "$what: ends well");
	is($job->out, "transit: $expected\ntransit: all right\n", "$what: every message is there");
	$job->none_left($what);
	return;
}

my @protocols = (['eventlog', 'eventlog'], ['tagging', 'tagging'], ['compare', 'compare'], ['eventlog', 'blocking'],
	['blocking', 'eventlog'], ['tagging', 'eventlog'], ['eventlog', 'tagging']);
my $number = 0;
for my $limit (0, 65536, 1 << 20) {
	for my $n (2, 4, 7) {
		my $dir = "$scratch/" . $number++;
		run_transit("$n ranks, eager $limit", 'made',     $n, $dir, $limit);
		run_transit("$n ranks, eager $limit", 'restored', $n, $dir, $limit, '-restore');
	}
}

# The same line again and again, and by the other kind of message.
run_transit('again', 'restored', 4, "$scratch/4", 65536, '-restore');
run_transit('none eager, then all', 'restored', 4, "$scratch/1", 0, '-restore', '-x',
	'FTMPI_EAGER_LIMIT=1048576');

# One protocol makes the line, another finds it.
for my $pair (@protocols) {
	my ($made, $restored) = @$pair;
	for my $limit (0, 65536) {
		my $dir = "$scratch/" . $number++;
		run_transit("4 ranks, eager $limit, $made", 'made', 4, $dir, $limit, '-coord', $made);
		run_transit("... by $restored", 'restored', 4, $dir, $limit, '-restore', '-coord', $restored);
	}
}

# As if a library with other schedules had made them: a line that cuts an operation is refused, another is not.
sub by_other_schedules
{
	my ($coord, $cut) = @_;
	my $name = "$coord, other schedules, " . ($cut ? 'a broadcast is cut' : 'nothing is cut');
	my $dir  = "$scratch/" . $number++;
	run_transit($name, 'made', 4, $dir, $cut ? 65536 : 0, '-coord', $coord);
	my ($session) = glob "$dir/*";
	system(program('ckpt_version'), $session, 1, 99) == 0 or die "ckpt_version: $?\n";
	return run_transit("$name, restored", 'restored', 4, $dir, 0, '-restore', '-coord', $coord) if !$cut;
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 4, '-workdir', $dir, '-restore', program('transit')]);
	$job->is_status(1, $name);
	$job->err_like(qr/line 1 of session \S+ cannot be restored: it cuts collective operations.* \(schedules of version 99, here \d+\)/, $name);
	$job->none_left($name);
	return;
}

by_other_schedules('blocking', $_) for 1, 0;

# By hand.
{
	my ($manifest) = glob "$scratch/4/*/line-00000001.manifest";
	my ($session, $line) = $manifest =~ m{([^/]+)/([^/]+)\z};
	my $base = free_ports(4);
	my $hand = FTMPI::Test::Hand::directory();
	system('cp', '-r', "$scratch/4/$session", "$hand") == 0 or die "cp: $?\n";
	my @jobs = map {
		start_rank($_, 4, $base, [program('transit')], {},
			'-ftmpirecover', "$hand/$session/$line")
	} 0 .. 3;
	$_->finish for @jobs;
	is($jobs[0]->out, "transit: restored\ntransit: all right\n", 'started by hand');
	$jobs[$_]->is_status(0, "rank $_ by hand ends well") for 0 .. 3;
	my @bad = map { start_rank(0, 1, free_ports(1), [program('transit')], {}, @$_)->finish }
		['-ftmpirecover'], ['-ftmpirecover', "$hand/nonsense"];
	$_->is_status(1, 'no line is named') for @bad;
	$bad[0]->err_like(qr/-ftmpirecover: \(nothing\) is not WORKDIR/, 'nothing');
	$bad[1]->err_like(qr/-ftmpirecover: \S+nonsense is not WORKDIR/, 'nonsense');
}

done_testing();
