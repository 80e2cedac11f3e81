# SPDX-License-Identifier: BSD-3-Clause
#
# Intercommunicators: groups, messages, what is made of them, every collective, wrong arguments.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

for my $ranks (2, 3, 4, 8) {
	my $board  = File::Temp->new(TEMPLATE => 'ftmpi-inter-XXXXXX', TMPDIR => 1);
	my $shapes = 2 * ($ranks - 1) + 1;
	my $job    = FTMPI::Test::Job->run(
		[ftmpirun(), '-n', $ranks, program('intercomm'), '-board', $board->filename],
		deadline => 120);
	$job->well(qr/^intercomm: right, $shapes shapes, \d+ wrong calls, $ranks ranks$/m, "$ranks ranks");
}

done_testing();
