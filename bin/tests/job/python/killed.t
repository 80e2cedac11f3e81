# SPDX-License-Identifier: BSD-3-Clause
#
# Programs in Python with numpy whose ranks are killed: examples/heat.py, as its head says, under each protocol; and one
# without a call of FTMPI, whose processes are images.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Alone ();
use FTMPI::Test::File  qw(read_file write_file);
use FTMPI::Test::Job   qw(ftmpirun root);
use FTMPI::Test::Python qw(python script environment);

FTMPI::Test::Python::enter();
FTMPI::Test::Alone::enter();
my $dir = File::Temp->newdir('ftmpi-python-XXXXXX', TMPDIR => 1);

sub answer { my ($job) = @_; return $job->out =~ /^(after \d+ steps the rod has \S+.*)$/m ? $1 : 'none' }

sub run   { return FTMPI::Test::Job->run([@_], dir => "$dir", env => environment()) }
sub start { return FTMPI::Test::Job->start([@_], dir => "$dir", env => environment()) }

# The process of this rank now, by what -vv tells.
sub kill_rank
{
	my ($job, $rank, $name) = @_;
	my ($pid) = reverse $job->err =~ /rank $rank on \S+ is process (\d+)$/mg;
	ok($pid && kill(KILL => $pid), "$name: rank $rank is killed") or diag($job->saw);
	return;
}

# ---- by calls ----

my $example = root() . '/examples/heat.py';
my $steps   = 6000;
my ($line)  = read_file($example) =~ /^ *ftmpirun (.*) python3 heat\.py 200000$/m;
ok(defined $line, 'the example says how to run it');
my @options = map { s/^1\z/0.05/r } split ' ', $line // '';

my $plain = run(ftmpirun(), '-n', 4, script($example, $steps));
like(answer($plain), qr/^after $steps steps the rod has \d/, 'an answer');

for my $coord (qw(blocking eventlog msglog)) {
	my $job = start(ftmpirun(), '-vv', '-coord', $coord, (map { s/^work\z/$coord/r } @options), script($example, $steps));
	$job->wait_for(err => $coord eq 'msglog' ? qr/checkpoint \d+ of rank 0 is committed/ : qr/line \d+ is committed/);
	kill_rank($job, 0, $coord);
	$job->finish;
	$job->is_status(0, $coord);
	$job->err_like(qr/rank 0 on \S+ was killed by signal 9/, $coord);
	$job->out_like(qr/^heat goes on at step [1-9]/m, "$coord: from what was saved");
	is(answer($job), answer($plain), "$coord: the same answer") or diag($job->saw);
	$job->none_left($coord);
}

# ---- as images ----

my @rod = script('rod', 2000);
write_file("$dir/go", '');
my $undisturbed = run(ftmpirun(), '-n', 2, @rod, 'go');
like(answer($undisturbed), qr/, and 20 numbers$/, 'without a call: an answer');
my @logs = map { read_file("$dir/rod.$_") } 0, 1;

for my $coord (qw(blocking eventlog)) {
	unlink "$dir/go";
	my $job = start(ftmpirun(), '-vv', '-n', 2, '-image', '-coord', $coord, '-ckpt-interval', 0.2, '-workdir', "image-$coord", @rod, 'go');
	my $name = "an image, $coord";
	for my $rank (1, 0) {
		# both wait in the middle of the loop, and there is a line since the last failure
		my $lines = () = $job->err =~ /line \d+ is committed/g;
		ok($job->wait_for(out => qr/^rank \d waits$/m, 2) && $job->wait_for(err => qr/line \d+ is committed/, $lines + 2), "$name: a line");
		kill_rank($job, $rank, $name);
		ok($job->wait_for(err => qr/all 2 ranks run again/, 2 - $rank), "$name: they run again");
	}
	write_file("$dir/go", '');
	$job->finish;
	$job->is_status(0, $name);
	is(answer($job), answer($undisturbed), "$name: the same answer") or diag($job->saw);
	is_deeply([ map { read_file("$dir/rod.$_") } 0, 1 ], \@logs, "$name: the same in the files that were open");
	$job->none_left($name);
}

done_testing();
