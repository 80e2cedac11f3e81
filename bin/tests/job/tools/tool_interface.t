# SPDX-License-Identifier: BSD-3-Clause
#
# MPI_T: its variables show the true state, whatever MPI is doing.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $ranks (1, 2, 4) {
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('tool_interface')],
		env => { FTMPI_EAGER_LIMIT => 4096 });
	$job->well(qr/^tool_interface: right, $ranks ranks$/m, "$ranks ranks");
}

# What MPI_Init would refuse is refused.
my $job = FTMPI::Test::Job->run([program('tool_interface')], env => { FTMPI_EAGER_LIMIT => 'much' });
isnt($job->status, 0, 'a knob that makes no sense: an error status');
$job->err_like(qr/MPI_T_init_thread: FTMPI_EAGER_LIMIT=much: give a whole number/, '... and a sentence');
$job->none_left('a knob that makes no sense');

done_testing();
