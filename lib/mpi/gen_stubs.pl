#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# gen_stubs.pl HEADER SOURCE... >stubs.c
#
# For every MPI function that HEADER declares and no SOURCE implements, write one that says so: it
# raises MPI_ERR_UNSUPPORTED_OPERATION, or, in the tools interface, which calls no error handler,
# returns MPI_T_ERR_NOT_SUPPORTED. Errors of files are told to the error handler of files. A SOURCE implements MPI_X with the line
#	#pragma weak MPI_X = PMPI_X
# right above PMPI_X. A function whose result is not an error code cannot be left out.
use strict;
use warnings;

use FindBin ();
use lib $FindBin::Bin;

use Prototypes ();

sub stub
{
	my ($result, $name, $parameters) = @_;
	die "gen_stubs.pl: nobody implements $name, and it does not return an error code\n"
	  if $result ne 'int' || $name =~ /_(?:to|from)int$/;
	my $value = $name =~ /^MPI_T_/ ? 'MPI_T_ERR_NOT_SUPPORTED'
	  : $name =~ /^MPI_File_/ ? qq{api_file_unsupported("$name")} : qq{api_unsupported("$name")};
	return join '', "#pragma weak $name = P$name\n", "int P$name($parameters)\n{\n",
	  (map { "\t(void)$_;\n" } Prototypes::parameter_names($name, $parameters)), "\treturn $value;\n}\n\n";
}

my ($header, @sources) = @ARGV;
die "usage: gen_stubs.pl HEADER SOURCE... >stubs.c\n" unless @sources;
my @declared = Prototypes::of(Prototypes::slurp($header));
die "gen_stubs.pl: no prototypes in $header\n" unless @declared;
my $implemented = Prototypes::implemented(@sources);
my %known = map { $_->[1] => 1 } @declared;
for my $name (sort keys %$implemented) {
	die "gen_stubs.pl: $implemented->{$name}: $name is not in $header\n" unless $known{$name};
}
print qq{/* SPDX-License-Identifier: BSD-3-Clause */\n},
  qq{/* Made by gen_stubs.pl; do not edit. */\n#include "mpi/bindings/api.h"\n\n};
print stub(@$_) for grep { !$implemented->{ $_->[1] } } @declared;
