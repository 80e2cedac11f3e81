# SPDX-License-Identifier: BSD-3-Clause
#
# Many jobs, one after the other (with FTMPI_TEST_EVERY, make check-long, 100 of them) and at once: some succeed,
# some fail, some are interrupted. Each ends as it should, and nothing is left on the machine: no process, no socket,
# no file.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Alone ();
use FTMPI::Test::Job   qw(ftmpirun program);

FTMPI::Test::Alone::enter();

my $dir = '/var/tmp/work';
mkdir $dir or die "$dir: $!\n";
FTMPI::Test::Alone::remember();
my @run = (ftmpirun(), '-workdir', $dir, '-n');
my @pi  = (program('pi'), 1000);

my $many = $ENV{FTMPI_TEST_EVERY} ? 100 : 40;

subtest "$many jobs one after the other" => sub {
	for my $n (1 .. $many) {
		my $ranks = 1 + $n % 4;
		my $job = FTMPI::Test::Job->run([@run, $ranks, @pi], dir => $dir);
		last if !$job->well(qr/^pi: right, .* $ranks ranks/m, "job $n");
	}
	FTMPI::Test::Alone::at_rest("$many jobs");
};

subtest 'ports are free again at once' => sub {
	for my $n (1 .. 10) {
		my $job = FTMPI::Test::Job->run([ftmpirun(), '-ports', '23000-23005', '-n', 3, @pi]);
		last if !$job->well(qr/^pi: right, .* 3 ranks/m, "job $n on the same six ports");
	}
	FTMPI::Test::Alone::at_rest('jobs on the same ports');
};

subtest '20 jobs at once' => sub {
	my @jobs = map { FTMPI::Test::Job->start([@run, 3, @pi], dir => $dir) } 1 .. 20;
	$_->finish->well(qr/^pi: right, .* 3 ranks/m, 'one of twenty') for @jobs;
	FTMPI::Test::Alone::at_rest('20 jobs');
};

# A kind: program and arguments, what to do when all of them run, and the status.
my @hang  = (program('badcall'), 'hang');
my @kinds = (
	[[@pi], undef, 0],
	[[@hang], sub { kill 'INT', -$_[0]->pid }, 130],
	[[program('badcall'), 'exit', '-rank', 1], undef, 3],
	[[@hang], sub { $_[0]->signal('KILL') }, 137],
	[[program('badcall'), 'abort', '-rank', 1, '-code', 7], undef, 7],
	[[@hang], sub { $_[0]->signal('TERM') }, 143],
);

subtest '20 jobs at once, of all kinds' => sub {
	my @jobs = map {
		my ($words, $do, $status) = @{$kinds[$_ % @kinds]};
		{job => FTMPI::Test::Job->start([@run, 2, @$words], dir => $dir), do => $do, status => $status}
	} 0 .. 19;
	for my $one (grep { $_->{do} } @jobs) {
		$one->{job}->wait_for(out => qr/^rank $_ waits$/m) for 0, 1;
		$one->{do}->($one->{job});
	}
	$_->{job}->finish->is_status($_->{status}, 'one of twenty') for @jobs;
	$_->{job}->none_left('one of twenty') for @jobs;
	FTMPI::Test::Alone::at_rest('20 jobs of all kinds');
};

done_testing();
