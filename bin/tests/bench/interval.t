# SPDX-License-Identifier: BSD-3-Clause
#
# bench/interval/run: every setting is measured with the same failures, a table comes out, and nothing stays behind.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job     qw(root sanitized);
use FTMPI::Test::Process qw(wait_until);

plan skip_all => 'it compiles without the sanitizer that the library has' if sanitized('pi');

my $run = root() . '/bench/interval/run';
my $dir = File::Temp->newdir('ftmpi-interval-test-XXXXXX', TMPDIR => 1);
my %env = (TMPDIR => "$dir", FTMPI_LIBDIR => $ENV{FTMPI_LIBDIR});

sub nothing_left
{
	my ($job, $name) = @_;
	$job->none_left($name);
	is_deeply([ glob "$dir/ftmpi-interval-*" ], [], "$name: nor of what was written");
	return;
}

my $job = FTMPI::Test::Job->run([ $run, qw(-seeds 2 -work 0.5 -cost 0.01 -mtbf 2 -intervals), "0.1,5", '-o', "$dir/page.md" ], env => \%env);
$job->is_status(0, 'a run');
for my $seed (1, 2) {
	$job->out_like(qr/^\Q$_\E, seed $seed: [\d.]+ s, \d+ restarts$/m, "$_, seed $seed, was measured")
		for '0.1 s', '5 s', 'auto, -mtbf as it is', 'auto, -mtbf four times as long', 'auto, nothing said';
}
$job->out_like(qr/^\| (?:0\.1|5) s \| [\d.]+ \| 1\.000 \| [\d.]+ \|$/m, 'one fixed interval is the best');
$job->out_like(qr/^\| auto, nothing said \| [\d.]+ \| [\d.]+ \| [\d.]+ \|$/m, 'auto is held against it');
ok(-s "$dir/page.md", 'the page was written');
nothing_left($job, 'the end');

$job = FTMPI::Test::Job->start([ $run, qw(-seeds 1 -work 100 -intervals 1) ], env => \%env);
ok(wait_until(60, sub { scalar(() = glob "$dir/ftmpi-interval-*/runs.*/*-*") }), 'jobs run');
$job->signal('INT');
$job->finish;
$job->is_status(130, 'a Ctrl-C');
nothing_left($job, 'a Ctrl-C');

$job = FTMPI::Test::Job->run([ $run, '-nonsense' ], env => \%env);
$job->is_status(2, 'an option that there is not');
$job->err_like(qr/-h lists the options/, '... is answered with where they are');

done_testing();
