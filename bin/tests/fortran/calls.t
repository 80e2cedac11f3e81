# SPDX-License-Identifier: BSD-3-Clause
#
# What is special about calls of Fortran, on different numbers of ranks.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

plan skip_all => 'there is no Fortran library: gfortran was not there' if !-e "$ENV{FTMPI_LIBDIR}/libftmpifort.so";

for my $ranks (2, 3, 4) {
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('ftncalls')]);
	$job->is_status(0, "ftncalls on $ranks ranks");
	$job->out_like(qr/\Aftncalls: all right\n\z/, "ftncalls on $ranks ranks");
	$job->none_left("ftncalls on $ranks ranks");
}

# Every call that is not written by hand gets each of its arguments, and gives back what C answers.
for my $module (qw(mpi mpi_f08)) {
	my $name = $module =~ s/mpi_f08/f08/r;
	my $job = FTMPI::Test::Job->run([program("mock_$name")]);
	$job->is_status(0, "calls of $module");
	$job->out_like(qr/\Amock: $module: [3-9]\d\d calls are right\n\z/, "calls of $module");
}
done_testing();
