# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Pages;

# Whether pages of results are such that they can be read.

use strict;
use warnings;

use Exporter qw(import);

use Test::More ();

our @EXPORT_OK = qw(well_formed even_tables);

# Each tag of the chart is closed, in its order, and it has no other entities than it may have.
sub well_formed
{
	my ($text) = @_;
	my @open;
	for my $tag ($text =~ /<([^>]*)>/g) {
		next if $tag =~ m{/\z} || $tag =~ /^[?!]/;
		if ($tag =~ m{^/(\w+)}) {
			return 0 if !@open || pop @open ne $1;
		} else {
			push @open, $tag =~ /^(\w+)/;
		}
	}
	return !@open && $text !~ /&(?!(?:amp|lt|gt|quot);)/;
}

# All lines of a table have as many columns.
sub even_tables
{
	my ($page) = @_;
	for my $table ($page =~ /((?:^\|.*\n)+)/mg) {
		my %columns = map { scalar(() = /\|/g) => 1 } split /\n/, $table;
		Test::More::is(scalar keys %columns, 1, 'a table with ' . join(' or ', keys %columns) . ' bars in each line');
	}
	return;
}

1;
