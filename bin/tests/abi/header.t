#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mpi.h and ftmpi.h: the values of the ABI, no warnings in C and C++, all names declared.
use strict;
use warnings;
use FindBin;
use Test::More;

my $include = "$FindBin::Bin/../../../include";
my $cc = $ENV{CC} || 'cc';
my $cxx = $ENV{CXX} || 'c++';
my @strict = qw(-Wall -Wextra -Wpedantic -Wundef -Werror -fsyntax-only);

sub compiles
{
	my ($what, @command) = @_;
	my $said = `@command 2>&1`;
	ok($? == 0, $what) or diag "@command\n$said";
	return;
}

sub slurp
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!";
	local $/;
	return scalar <$in>;
}

for my $standard (qw(c99 gnu99 c11 gnu17)) {
	compiles("a program in $standard", $cc, "-std=$standard", @strict, "-I$include",
		'-x', 'c', "$FindBin::Bin/use_header.c");
}
SKIP: {
	skip "no C++ compiler ($cxx), so mpi.h was not tried in C++", 3
	  if system("command -v $cxx >/dev/null 2>&1") != 0;
	for my $standard (qw(c++11 c++17 gnu++20)) {
		compiles("a program in $standard", $cxx, "-std=$standard", @strict, "-I$include",
			'-x', 'c++', "$FindBin::Bin/use_header.c");
	}
}
compiles('every value of the ABI', $cc, '-std=gnu11', '-Wall', '-Wextra', '-Werror',
	'-fsyntax-only', "-I$include", "$FindBin::Bin/test_values.c");

my $text = slurp("$include/mpi.h");
$text =~ s{/\*.*?\*/}{}gs;
my %declared;
while ($text =~ /^(?:int|double|MPI_\w+) (P?MPI_\w+)\(([^;]*)\);/mg) {
	my ($name, $parameters) = ($1, $2);
	ok(0, "$name is declared twice") if $declared{$name};
	($declared{$name} = $parameters) =~ s{\s+}{ }g;
	$declared{$name} =~ s{^ }{};
}
my @mpi = grep { /^MPI_/ } keys %declared;
my @abi = grep { !/_(?:c2f|f2c|c2f08|f082c|f2f08|f082f)$/ } @mpi;
is(scalar @abi, 664 + 10, '664 functions, and 10 old names');
is(scalar(@mpi) - scalar(@abi), 28, 'and 28 for handles and statuses of Fortran');
is(scalar(grep { /^PMPI_/ } keys %declared), scalar @mpi, 'and as many for profiling');
is_deeply([ grep { ($declared{"P$_"} // '') ne $declared{$_} } @mpi ],
	[], 'each twin has the same parameters');
done_testing();
