# SPDX-License-Identifier: BSD-3-Clause
#
# A program that calls MPI-IO, and looks at no error: each process tells of that, once.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::File qw(write_file);
use FTMPI::Test::Job  qw(ftmpirun root sanitized);

plan skip_all => 'the compilers here build no sanitized programs' if sanitized('pi');

my $dir = File::Temp->newdir('ftmpi-io-XXXXXX', TMPDIR => 1);
write_file("$dir/writes.c", <<'C');
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	MPI_File file = MPI_FILE_NULL;
	int refused = 0, class = MPI_SUCCESS;
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 3; i++) {
		MPI_Error_class(MPI_File_open(MPI_COMM_WORLD, "out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file), &class);
		refused += class == MPI_ERR_UNSUPPORTED_OPERATION;
	}
	MPI_File_write(file, &refused, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	printf("refused %d\n", refused);
	return MPI_Finalize();
}
C
FTMPI::Test::Job->run([ root() . '/bin/ftmpicc', '-o', "$dir/writes", "$dir/writes.c" ])->is_status(0, 'it compiles');
my $job = FTMPI::Test::Job->run([ ftmpirun(), qw(-n 2), "$dir/writes" ]);
$job->is_status(0, 'a program that calls MPI-IO runs on');
is($job->out, "refused 3\n" x 2, '... and can know that every call has failed');
my $sentence = qr/rank ([01]) on \S+: MPI-IO is not implemented: MPI_File_open and all other calls [^\n]* fail with MPI_ERR_UNSUPPORTED_OPERATION\n/;
is(join(' ', sort $job->err =~ /^$sentence/mg), '0 1', '... and each process tells its user, once');
like($job->err, qr/\A(?:$sentence){2}\z/, '... and nothing else');

done_testing();
