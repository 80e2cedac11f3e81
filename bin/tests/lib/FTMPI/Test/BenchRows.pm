# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::BenchRows;

# Rows of the bench, as they are when they have been measured, on a machine with two cores.
#
#	my %case = cases();
#	is(verdict(row('msglog_left/default 3000 4', FTMPI => [0])), 'met', 'no job was lost');

use strict;
use warnings;

use Exporter qw(import);

use FTMPI::Bench::Cases ();
use FTMPI::Bench::Stats ();

our @EXPORT_OK = qw(cases row verdict);

my %case;

# By their ids.
sub cases
{
	%case = map { $_->{id} => $_ } FTMPI::Bench::Cases::all(2) if !%case;
	return %case;
}

# Of this id, with these values: (FTMPI => [...], floor => [...]).
sub row
{
	my ($id, %values) = @_;
	my %cases = cases();
	return {
		(map { $_ => $cases{$id}{$_} } qw(id what bytes ranks unit)),
		values => \%values, state => { map { $_ => 'ok' } keys %values },
	};
}

# Whether its target is met.
sub verdict
{
	my ($row) = @_;
	my %cases = cases();
	return FTMPI::Bench::Stats::verdict($row, $cases{ $row->{id} });
}

1;
