#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# What runs when a program is loaded that is linked with libftmpi.so or libftmpi.a in $FTMPI_LIBDIR: one
# constructor of the library, before the program's own also where the library is part of the program.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File    qw(write_file);
use FTMPI::Test::Job     qw(sanitized);
use FTMPI::Test::Process qw(run_quiet);

my $libdir = $ENV{FTMPI_LIBDIR} or plan skip_all => 'FTMPI_LIBDIR does not name a built library';
plan skip_all => 'a sanitizer has constructors of its own' if sanitized('pi');
my $dir = File::Temp->newdir('ftmpi-loading-XXXXXX', TMPDIR => 1);

# Functions that a section of the static library's one object refers to.
sub called_from
{
	my ($section) = @_;
	my ($said) = `readelf -rW $libdir/libftmpi.a` =~ /^Relocation section '\.rela\Q$section\E' .*?\n(.*?)\n\n/ms;
	return scalar(() = ($said // '') =~ /^[0-9a-f]+ /mg);
}

is(called_from('.init_array.00101'), 1, 'libftmpi.a has one constructor, with a priority');
is(called_from('.init_array'),       0, '... and none without');

# the compiler's own is one of them
my ($bytes) = `readelf -SW $libdir/libftmpi.so` =~ /\.init_array +INIT_ARRAY +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)/;
is(hex($bytes // 0), 16, 'libftmpi.so has one constructor');

# A program that leaves its directory before main.
write_file("$dir/leaves.c", <<'EOC');
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void leave(void)
{
	if (chdir("/") != 0)
		_exit(3);
}

int main(void)
{
	char value[1000] = "";
	int size = sizeof value, flag = 0;

	MPI_Info_get_string(MPI_INFO_ENV, "wdir", &size, value, &flag);
	printf("%s\n", flag ? value : "unknown");
	return 0;
}
EOC
mkdir "$dir/here";
for my $how ([qw(-L), $libdir, "-Wl,-rpath,$libdir", '-lftmpi'],
	["$libdir/libftmpi.a", qw(-levent_core -lsodium -lxxhash -lpthread)]) {
	my ($name) = $how->[0] eq '-L' ? 'libftmpi.so' : 'libftmpi.a';
	my ($status, $said) = run_quiet($ENV{CC} // 'cc', "-I$FindBin::Bin/../../../include", "$dir/leaves.c", '-o',
		"$dir/leaves", @$how);
	is($status, 0, "$name: it links") or diag $said;
	($status, $said) = run_quiet('sh', '-c', "cd $dir/here && ../leaves");
	is($status, 0,              "$name: it runs");
	is($said,   "$dir/here\n", "$name: what is kept is as it was before the program's constructors");
}

done_testing;
