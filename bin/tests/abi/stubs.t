#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The generator of stubs, on headers of a few lines, and what a stub does in a program.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;

use FTMPI::Test::File qw(write_file);

my $root = "$FindBin::Bin/../../..";
my $tmp = tempdir(CLEANUP => 1);

sub generate
{
	my ($header, $source) = @_;
	my $h = write_file("$tmp/h.h", $header);
	my $c = write_file("$tmp/c.c", $source);
	my $said = `$^X $root/lib/mpi/gen_stubs.pl $h $c 2>&1`;
	return ($? >> 8, $said);
}

my $two = "int MPI_One(MPI_Comm comm, const int list[],\n\tint ranges[][3]);\n"
  . "int MPI_T_two(void);\nint PMPI_One(int x);\n";
my ($status, $said) = generate($two, "\n");
is($status, 0, 'stubs for what nobody implements');
like($said, qr/^#pragma weak MPI_One = PMPI_One\nint PMPI_One\(/m,
	'the weak name and the function');
like($said, qr/\(void\)comm;\n\t\(void\)list;\n\t\(void\)ranges;/, 'its arguments are used');
like($said, qr/return api_unsupported\("MPI_One"\);/, 'it says that it is not there');
like($said, qr/int PMPI_T_two\(void\)\n\{\n\treturn MPI_T_ERR_NOT_SUPPORTED;/, 'tools interface');

($status, $said) = generate($two, "#pragma weak MPI_One = PMPI_One\n");
is($status, 0, 'an implemented function');
unlike($said, qr/MPI_One/, 'has no stub');

my @wrong = (
	[ 'a result that is no error code', "double MPI_Wtick(void);\n", "\n",
		qr/nobody implements MPI_Wtick/ ],
	[ 'an integer that is no error code', "int MPI_Win_toint(MPI_Win w);\n", "\n",
		qr/MPI_Win_toint/ ],
	[ 'a misspelt twin', $two, "#pragma weak MPI_One = PMPI_Two\n", qr/alias of PMPI_Two/ ],
	[ 'a function not in the header', $two, "#pragma weak MPI_Six = PMPI_Six\n",
		qr/MPI_Six is not in/ ],
	[ 'a function implemented twice', $two, "#pragma weak MPI_One = PMPI_One\n" x 2,
		qr/already/ ],
	[ 'a header without functions', "int x;\n", "\n", qr/no prototypes/ ],
);
for my $case (@wrong) {
	my ($what, $header, $source, $pattern) = @$case;
	($status, $said) = generate($header, $source);
	isnt($status, 0, "$what is refused");
	like($said, $pattern, "$what: the message says so");
}

SKIP: {
	my $libdir = $ENV{FTMPI_LIBDIR} or skip 'FTMPI_LIBDIR does not name a built library', 2;
	skip 'the library is built with a sanitizer, so a plain program cannot link with it', 2
	  if `nm -D -u $libdir/libftmpi.so` =~ /__(?:asan|ubsan|tsan)_/;
	my $cc = $ENV{CC} || 'cc';
	my @command = ($cc, "-I$root/include", "$FindBin::Bin/unsupported.c", '-o',
		"$tmp/unsupported", "-L$libdir", "-Wl,-rpath,$libdir", '-lftmpi');
	$said = `@command 2>&1`;
	is($?, 0, 'a program that calls stubs links') or diag $said;
	is(`timeout 60 $tmp/unsupported`, "class 55 text 1 untouched 1\ntold 1 class 55\n", 'stubs refuse');
}
done_testing();
