#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# mpi.h and ftmpi.h: the values of the ABI, no warnings in C and C++, all names declared.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;

use FTMPI::Test::File qw(read_file);

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

# Both headers, with every compiler that is here.
sub programs
{
	my ($language, $program, @standards) = @_;
	SKIP: {
		skip "no $program here, so mpi.h was not tried with it", 2 * @standards
		  if system("command -v $program >/dev/null 2>&1") != 0;
		for my $standard (@standards) {
			my @command = ($program, "-std=$standard", @strict, "-I$include", '-x', $language);
			compiles("$program: a program in $standard", @command, "$FindBin::Bin/use_header.c");
			compiles("$program: ftmpi.h in $standard", @command, '-include', 'ftmpi.h',
				"$FindBin::Bin/use_header.c");
		}
	}
	return;
}

my %seen;
programs('c', $_, qw(c99 gnu99 c11 gnu17)) for grep { !$seen{$_}++ } $cc, 'gcc', 'clang';
programs('c++', $_, qw(c++11 c++17 c++20 gnu++20)) for grep { !$seen{$_}++ } $cxx, 'g++', 'clang++';
compiles('every value of the ABI', $cc, '-std=gnu11', '-Wall', '-Wextra', '-Werror',
	'-fsyntax-only', "-I$include", "$FindBin::Bin/test_values.c");

# The compiler says so when a program does not look whether its data will be saved; or it is told not to.
{
	my @command = ("printf '#include <ftmpi.h>\nvoid f(int *a) { FTMPI_CKPT_Protect(0, a, 1, MPI_INT); }\n' |", $cc,
		'-Werror', "-I$include", qw(-c -o /dev/null -x c -));
	my $said = `@command 2>&1`;
	like($said, qr/FTMPI_CKPT_Protect.*unused.result/s, 'a result of FTMPI_CKPT_Protect that is not looked at');
	compiles('... and FTMPI_NO_WARN_UNUSED', @command, '-DFTMPI_NO_WARN_UNUSED');
}

my $text = read_file("$include/mpi.h");
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
