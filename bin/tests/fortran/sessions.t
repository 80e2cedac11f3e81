# SPDX-License-Identifier: BSD-3-Clause
#
# Sessions in Fortran.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

plan skip_all => 'there is no Fortran library: gfortran was not there' if !-e "$ENV{FTMPI_LIBDIR}/libftmpifort.so";

for my $ranks (1, 3) {
	FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('ftnsess'), @$_])
		->well(qr/\Aftnsess: right, $ranks ranks\n\z/, "$ranks ranks @$_")
		for [], ['late'];
}

done_testing();
