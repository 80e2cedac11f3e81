# SPDX-License-Identifier: BSD-3-Clause
#
# Threads that wait in calls come to a safe point when they are asked, each time; those that compute do not, nor do
# those of the library.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun program sanitized);

my $scratch = File::Temp->newdir('ftmpi-safe-points-XXXXXX', TMPDIR => 1);
my $asks    = sanitized('safe_points') ? 200 : 1000;

sub asked
{
	my ($case, $ranks, $spin, @options) = @_;
	FTMPI::Test::Job->run(
		[ ftmpirun(), '-n', $ranks, @options, program('safe_points'), $case, '-asks', $asks ],
		env => {FTMPI_SPIN_US => $spin})
		->well(qr/^safe_points: right, $case$/m, "$case, FTMPI_SPIN_US=$spin");
	return;
}

# threads that sleep at once, and threads that look for a while before
for my $spin (0, 200) {
	asked($_, 2, $spin) for 'receive', 'any', 'collective', 'three', 'computing', 'operator';
	asked('given', 1, $spin);
	asked($_, 2, $spin, '-coord', 'blocking', '-workdir', "$scratch/$_") for 'kept-operator', 'kept-wait';
	asked('line', 2, $spin, '-coord', 'blocking', '-workdir', "$scratch/blocking");
	asked('written', 2, $spin, '-coord', 'eventlog', '-workdir', "$scratch/eventlog");
}

done_testing();
