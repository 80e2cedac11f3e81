#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What libftmpi.so and libftmpi.a in $FTMPI_LIBDIR show to a linker: every MPI_ name, weak,
# every PMPI_ name, FTMPI_ names, and nothing else.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;

use FTMPI::Test::File qw(read_file);

my $include = "$FindBin::Bin/../../../include";
my $libdir = $ENV{FTMPI_LIBDIR} or plan skip_all => 'FTMPI_LIBDIR does not name a built library';
my $cc = $ENV{CC} || 'cc';
my $tmp = tempdir(CLEANUP => 1);

# name => nm's letter
sub symbols
{
	my (@command) = @_;
	my %found;
	open my $nm, '-|', @command or die "@command: $!";
	while (<$nm>) {
		$found{$2} = $1 if /^[0-9a-f]+ (\w) (\w+)/;
	}
	close $nm or die "@command failed: $?";
	return \%found;
}

# what sanitizers put into an object, none of it ours
sub foreign
{
	my ($name) = @_;
	return $name !~ /^(?:P|FT)?MPI_/ && $name !~ /^__(?:odr_)?(?:asan|ubsan|tsan|lsan)/;
}

sub check_library
{
	my ($what, $symbols, $names) = @_;
	my %expected = map { $_ => 1 } map { ($_, "P$_") } @$names;
	is_deeply([ grep { !$symbols->{$_} } sort keys %expected ], [], "$what has every name");
	is_deeply([ grep { ($symbols->{$_} // '') ne 'W' } @$names ], [], "$what: MPI_ names are weak");
	is_deeply([ grep { ($symbols->{"P$_"} // '') ne 'T' } @$names ],
		[], "$what: PMPI_ names are not");
	# variables of C for Fortran's statuses
	$expected{$_} = 1 for map { ("MPI_${_}_IGNORE") } qw(F_STATUS F_STATUSES F08_STATUS F08_STATUSES);
	is_deeply([ grep { /^P?MPI_/ && !$expected{$_} } sort keys %$symbols ],
		[], "$what invents no MPI name");
	is_deeply([ grep { foreign($_) } sort keys %$symbols ], [], "$what shows nothing else");
	return;
}

sub check_profiler
{
	my ($what, @link) = @_;
	my @command =
	  ($cc, '-std=c99', "-I$include", "$FindBin::Bin/profiler.c", '-o', "$tmp/profiler", @link);
	my $said = `@command 2>&1`;
	ok($? == 0, "$what: a profiler links") or return diag "@command\n$said";
	is(`$tmp/profiler`, "calls 2 forward 1 version 5.0\n", "$what: its call wins");
	return;
}

my $header = read_file("$include/mpi.h");
$header =~ s{/\*.*?\*/}{}gs;
my @names = sort { $a cmp $b } $header =~ /^(?:int|double|MPI_\w+) (MPI_\w+)\(/mg;
is(scalar(grep { !/_(?:c2f|f2c|c2f08|f082c|f2f08|f082f)$/ } @names), 664 + 10,
	'the header declares 664 functions, and 10 old names');

my $shared = symbols('nm', '-D', '--defined-only', "$libdir/libftmpi.so");
check_library('libftmpi.so', $shared, \@names);
check_library('libftmpi.a', symbols('nm', '-g', '--defined-only', "$libdir/libftmpi.a"), \@names);

SKIP: {
	my $undefined = `nm -D -u $libdir/libftmpi.so`;
	skip 'the library is built with a sanitizer, so a plain program cannot link with it', 6
	  if $undefined =~ /__(?:asan|ubsan|tsan)_/;
	check_profiler('libftmpi.so', "-L$libdir", "-Wl,-rpath,$libdir", '-lftmpi');
	check_profiler('libmpi_abi.so.1', "-L$libdir", "-Wl,-rpath,$libdir", '-l:libmpi_abi.so.1');
	check_profiler('libftmpi.a', "$libdir/libftmpi.a", qw(-levent_core -lsodium -lxxhash -lpthread));
}
done_testing();
