# SPDX-License-Identifier: BSD-3-Clause
#
# What include/mpi.h declares and what the sources in the folders beside this file implement, for the scripts that
# make stubs and lists of it.
package Prototypes;

use strict;
use warnings;

sub slurp
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	local $/;
	return scalar <$in>;
}

# [result, name, parameters] of every MPI_ prototype, in the order of the header
sub of
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

# names of the parameters, without "..."
sub parameter_names
{
	my ($name, $parameters) = @_;
	return () if $parameters eq 'void';
	return map {
		/(\w+)(?:\s*\[\w*\])*$/ or die "$name: no name in parameter '$_'\n";
		$1;
	} grep { $_ ne '...' } split /\s*,\s*/, $parameters;
}

# name => path of the source that has the line "#pragma weak MPI_X = PMPI_X"
sub implemented
{
	my %by;
	for my $path (@_) {
		my $text = slurp($path);
		while ($text =~ /^#pragma weak (MPI_\w+) = (\w+)\s*$/mg) {
			die "$path: $1 is an alias of $2, not of P$1\n" if $2 ne "P$1";
			die "$path: $1 is already in $by{$1}\n" if $by{$1};
			$by{$1} = $path;
		}
	}
	return \%by;
}

# [title, text] of the parts that the header's own titles, "/* ---- TITLE ---- */", make
sub parts
{
	my ($text) = @_;
	my @parts;
	my @pieces = split m{^/\* ---- (.*?) ---- \*/\n}ms, $text;
	shift @pieces;
	while (my ($title, $piece) = splice @pieces, 0, 2) {
		$title =~ s/\s+\*?\s*/ /g;
		push @parts, [ $title, $piece ];
	}
	return @parts;
}

1;
