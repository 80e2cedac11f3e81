# SPDX-License-Identifier: BSD-3-Clause
#
# Many cases of one kind, of which a run takes a part, and other runs the others: which, chance says, or
# FTMPI_TEST_TURN (a number, which a test prints). With FTMPI_TEST_EVERY (make check-long, bin/tests/long) it is all of them.
package FTMPI::Test::Turns;

use strict;
use warnings;

use Exporter 'import';
use Test::More;

our @EXPORT_OK = qw(in_turn);

my $first = $ENV{FTMPI_TEST_TURN} // int rand 12;
my $said;

# Every $of-th of them; what calls with another $turn, less than $of, has others.
sub in_turn
{
	my ($turn, $of, @all) = @_;
	return @all if $ENV{FTMPI_TEST_EVERY};
	diag("FTMPI_TEST_TURN=$first") if !$said++;
	return @all[ grep { ($_ + $first) % $of == $turn } 0 .. $#all ];
}

1;
