# SPDX-License-Identifier: BSD-3-Clause
#
# trampolines.c: C functions that know which Fortran function they stand for (pool.h).
package Pool;

use strict;
use warnings;

use constant SIZE => 128;

my @KINDS = (
	[ 'op',      'MPI_User_function',              'void *in, void *inout, int *len, MPI_Datatype *type',       'in, inout, len, type' ],
	[ 'op_c',    'MPI_User_function_c',            'void *in, void *inout, MPI_Count *len, MPI_Datatype *type', 'in, inout, len, type' ],
	[ 'comm',    'MPI_Comm_errhandler_function',    'MPI_Comm *of, int *code, ...',    'of, code' ],
	[ 'file',    'MPI_File_errhandler_function',    'MPI_File *of, int *code, ...',    'of, code' ],
	[ 'session', 'MPI_Session_errhandler_function', 'MPI_Session *of, int *code, ...', 'of, code' ],
	[ 'win',     'MPI_Win_errhandler_function',     'MPI_Win *of, int *code, ...',     'of, code' ],
);

sub file
{
	my @text = ("/* SPDX-License-Identifier: BSD-3-Clause */\n/* Made by gen.pl; do not edit. */\n#include \"pool.h\"\n");
	for my $k (@KINDS) {
		my ($name, $type, $parameters, $words) = @$k;
		push @text, map { "\nstatic void ${name}_$_($parameters)\n{\n\tftn_call_$name($_, $words);\n}\n" } 0 .. SIZE - 1;
		push @text, "\n$type *const ftn_pool_$name\[FTN_POOL] = {\n", (map { "\t${name}_$_,\n" } 0 .. SIZE - 1), "};\n";
	}
	return join '', @text;
}

1;
