# SPDX-License-Identifier: BSD-3-Clause
#
# The test programs give right answers on this machine with various numbers of ranks.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job      qw(ftmpirun program data_file);
use FTMPI::Test::Programs qw(check_program all_programs);

my @sizes = (1, 2, 3, 4, 7, 8, 16);

for my $name (all_programs()) {
	subtest $name => sub {
		check_program($name, $_, [ftmpirun(), '-n', $_]) for @sizes;
	};
}

subtest 'cgs on ill-conditioned matrices' => sub {
	for my $matrix ('bcsstk13.mtx', 'bcsstk16.mtx') {
		my $job = FTMPI::Test::Job->run(
			[ftmpirun(), '-n', 4, program('cgs'), data_file($matrix), '-tol', '1e-8']);
		$job->well(qr/^cgs: right, \S*\Q$matrix\E, /m, $matrix);
		my ($residual) = $job->out =~ /true relative residual (\S+),/;
		cmp_ok($residual // 1, '<', 1e-8, "... residual $residual");
	}
};

subtest 'pi depends on seed and ranks only' => sub {
	my @value = map {
		my $job = FTMPI::Test::Job->run(
			[ftmpirun(), '-n', 3, program('pi'), 300000, '-seed', $_]);
		$job->well(qr/^pi: right/m, "seed $_");
		($job->out =~ /^pi: right, (\S+),/m)[0];
	} 5, 5, 6;
	is($value[1], $value[0], 'the same seed gives the same answer');
	isnt($value[2], $value[0], 'another seed another one');
};

subtest 'arguments of the programs' => sub {
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', 2, program('pi'), '-h']);
	$job->well(qr/^usage: pi /m, 'pi -h');
	$job = FTMPI::Test::Job->run([ftmpirun(), '-n', 2, program('pi'), '-nonsense']);
	$job->is_status(2, 'an unknown option');
	$job->err_like(qr/^pi: unknown option '-nonsense'/m, 'an unknown option');
	$job->none_left('an unknown option');
	$job = FTMPI::Test::Job->run([ftmpirun(), '-n', 2, program('cgs'), '/nowhere.mtx']);
	$job->is_status(2, 'a matrix that is not there');
	$job->err_like(qr/^cgs: \/nowhere\.mtx: cannot be opened/m, 'a matrix that is not there');
};

done_testing();
