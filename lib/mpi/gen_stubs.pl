#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# gen_stubs.pl HEADER SOURCE... >stubs.c
#
# For every MPI function that HEADER declares and no SOURCE implements, write one that says so: it
# raises MPI_ERR_UNSUPPORTED_OPERATION, or, in the tools interface, which calls no error handler,
# returns MPI_T_ERR_NOT_SUPPORTED. A SOURCE implements MPI_X with the line
#	#pragma weak MPI_X = PMPI_X
# right above PMPI_X. A function whose result is not an error code cannot be left out.
use strict;
use warnings;

sub slurp
{
	my ($path) = @_;
	open my $in, '<', $path or die "gen_stubs.pl: $path: $!\n";
	local $/;
	return scalar <$in>;
}

# [result, name, parameters] of every MPI_ prototype, in the order of the header
sub prototypes
{
	my ($text) = @_;
	my @found;
	$text =~ s{/\*.*?\*/}{}gs;
	while ($text =~ /^(int|double|MPI_\w+)\s+(MPI_\w+)\s*\(([^;]*)\)\s*;/mg) {
		my ($result, $name, $parameters) = ($1, $2, $3);
		$parameters =~ s/\s+/ /g;
		$parameters =~ s/^ | $//g;
		push @found, [$result, $name, $parameters];
	}
	return @found;
}

sub implemented
{
	my %by;
	for my $path (@_) {
		my $text = slurp($path);
		while ($text =~ /^#pragma weak (MPI_\w+) = (\w+)\s*$/mg) {
			die "gen_stubs.pl: $path: $1 is an alias of $2, not of P$1\n" if $2 ne "P$1";
			die "gen_stubs.pl: $path: $1 is already in $by{$1}\n" if $by{$1};
			$by{$1} = $path;
		}
	}
	return \%by;
}

# names of the parameters, to be marked as unused
sub parameter_names
{
	my ($name, $parameters) = @_;
	return () if $parameters eq 'void';
	return map {
		/(\w+)(?:\s*\[\w*\])*$/ or die "gen_stubs.pl: $name: no name in parameter '$_'\n";
		$1;
	} grep { $_ ne '...' } split /\s*,\s*/, $parameters;
}

sub stub
{
	my ($result, $name, $parameters) = @_;
	die "gen_stubs.pl: nobody implements $name, and it does not return an error code\n"
	  if $result ne 'int' || $name =~ /_(?:to|from)int$/;
	my $value = $name =~ /^MPI_T_/ ? 'MPI_T_ERR_NOT_SUPPORTED' : qq{api_unsupported("$name")};
	return join '', "#pragma weak $name = P$name\n", "int P$name($parameters)\n{\n",
	  (map { "\t(void)$_;\n" } parameter_names($name, $parameters)), "\treturn $value;\n}\n\n";
}

my ($header, @sources) = @ARGV;
die "usage: gen_stubs.pl HEADER SOURCE... >stubs.c\n" unless @sources;
my @declared = prototypes(slurp($header));
die "gen_stubs.pl: no prototypes in $header\n" unless @declared;
my $implemented = implemented(@sources);
my %known = map { $_->[1] => 1 } @declared;
for my $name (sort keys %$implemented) {
	die "gen_stubs.pl: $implemented->{$name}: $name is not in $header\n" unless $known{$name};
}
print qq{/* SPDX-License-Identifier: BSD-3-Clause */\n},
  qq{/* Made by gen_stubs.pl; do not edit. */\n#include "api.h"\n\n};
print stub(@$_) for grep { !$implemented->{ $_->[1] } } @declared;
