# SPDX-License-Identifier: BSD-3-Clause
#
# What is special about calls of Fortran, on different numbers of ranks.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../lib/fortran/gen";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun program root);
use Header ();

plan skip_all => 'there is no Fortran library: gfortran was not there' if !-e "$ENV{FTMPI_LIBDIR}/libftmpifort.so";

for my $ranks (2, 3, 4) {
	my $job = FTMPI::Test::Job->run([ftmpirun(), '-n', $ranks, program('ftncalls')]);
	$job->is_status(0, "ftncalls on $ranks ranks");
	$job->out_like(qr/\Aftncalls: all right\n\z/, "ftncalls on $ranks ranks");
	$job->none_left("ftncalls on $ranks ranks");
}

# Every call that is not written by hand gets each of its arguments, and gives back what C answers.
for my $module (qw(mpi mpi_f08)) {
	my $name = $module =~ s/mpi_f08/f08/r;
	my $job = FTMPI::Test::Job->run([program("mock_$name")]);
	$job->is_status(0, "calls of $module");
	$job->out_like(qr/\Amock: $module: [3-9]\d\d calls are right\n\z/, "calls of $module");
}

# mpif.h in both forms of source, and buffers of two types, which older programs have.
my $scratch = File::Temp->newdir('ftmpi-fortran-XXXXXX', TMPDIR => 1);
for my $form (qw(f f90)) {
	my @lines = ('program both', 'implicit none', "include 'mpif.h'", "include 'ftmpif.h'", 'integer i, ierr', 'real x',
		'call MPI_SEND(i, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, ierr)', 'call MPI_SEND(x, 1, MPI_REAL, 0, 0, MPI_COMM_SELF, ierr)',
		'end');
	open my $out, '>', "$scratch/both.$form" or die "$scratch: $!\n";
	print $out map { $form eq 'f' ? "      $_\n" : "$_\n" } @lines;
	close $out or die "$scratch: $!\n";
	FTMPI::Test::Job->run([root() . '/bin/ftmpifort', '-c', '-o', "$scratch/both.o", "$scratch/both.$form"])
		->is_status(0, "mpif.h and buffers of two types in both.$form");
}

# Functions with a result: mpif.h says of which type it is, else it would be a REAL. Which there are says mpi.h.
my @mpif = do {
	open my $in, '<', "$ENV{FTMPI_LIBDIR}/../include/mpif.h" or die "mpif.h: $!\n";
	<$in>;
};
my @functions = grep { $_->{result} ne 'int' } Header::functions(Header::slurp(root() . '/include/mpi.h'));
is_deeply([ sort map { $_->{name} } @functions ], [qw(MPI_Aint_add MPI_Aint_diff MPI_Wtick MPI_Wtime)], 'functions with a result');
for my $name (map { uc($_->{name}), uc "P$_->{name}" } @functions) {
	my $type = $name =~ /AINT/ ? 'INTEGER\(KIND=MPI_ADDRESS_KIND\)' : 'DOUBLE PRECISION';
	ok((grep { /^ {6}$type $name$/ } @mpif) == 1, "the type of $name in mpif.h");
	ok((grep { /^ {6}EXTERNAL $name$/ } @mpif) == 1, "$name is a function in mpif.h");
}
my $far = FTMPI::Test::Job->run([program('ftn77f')]);
$far->is_status(0, 'addresses and generalized requests in Fortran 77');
$far->out_like(qr/^ftn77f: all right$/m, 'addresses and generalized requests in Fortran 77');
done_testing();
