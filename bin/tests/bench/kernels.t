# SPDX-License-Identifier: BSD-3-Clause
#
# The kernels of the bench: right on any number of ranks, and what becomes of a library that gets their
# messages wrong.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../../bench/lib";

use File::Temp ();
use Test::More;

use FTMPI::Bench::Peers   ();
use FTMPI::Bench::Process ();
use FTMPI::Bench::Turns   ();
use FTMPI::Test::Job      qw(root sanitized);
use FTMPI::Test::Process  qw(patience);

plan skip_all => 'the kernels are compiled without the sanitizer that the library has' if sanitized('pi');

my $dir = File::Temp->newdir('ftmpi-kernels-test-XXXXXX', TMPDIR => 1);
my ($ours) = grep { $_->{name} eq 'FTMPI' } FTMPI::Bench::Peers::all(root());

# Compiled so; returns the path.
sub built
{
	my ($name, %how) = @_;
	my %program = (%$ours, name => $name, %how);
	FTMPI::Bench::Peers::build(\%program, root() . '/bench', "$dir", patience(60));
	return $program{exe};
}

# program: with its words before those of the kernels.
sub kernels
{
	my ($ranks, $program, @what) = @_;
	return FTMPI::Test::Job->run([ root() . '/bin/ftmpirun', '-n', $ranks, @$program, 0.1, @what ], deadline => 60);
}

my $exe = built('right');

# The size of a transposed matrix is a multiple of the ranks.
subtest 'right answers' => sub {
	for my $ranks (1, 2, 3, 6) {
		my $job = kernels($ranks, [$exe], 'cg:24', "transpose:@{[ 12 * $ranks ]}", 'halo:20', 'sort:3000', "sort:$ranks");
		$job->is_status(0, "$ranks ranks");
		my $numbers = FTMPI::Bench::Turns::numbers(split /\n/, $job->out);
		is_deeply([ sort keys %$numbers ],
			[ sort 'cg 24', "transpose @{[ 12 * $ranks ]}", 'halo 20', 'sort 3000', "sort $ranks" ],
			"$ranks ranks: a figure each");
	}
	my $job = kernels(3, [$exe], 'transpose:20');
	isnt($job->status, 0, 'a size that is not for so many ranks');
	$job->err_like(qr/^mpibench: rank \d of 3: transpose: 20 rows cannot be dealt/m, 'a sentence');
};

# A library with one fault, by the profiling interface; a kernel each that finds it.
my %WRONG = (
	'cg:24' => [ 'a sum of a rank alone', <<'C' ],
int MPI_Allreduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	int rank, error = PMPI_Allreduce(out, in, n, type, op, comm);
	PMPI_Comm_rank(comm, &rank);
	if (op == MPI_SUM && rank == 1)
		*(double *)in = *(const double *)out;
	return error;
}
C
	'transpose:24' => [ 'two elements that changed places', <<'C' ],
int MPI_Alltoall(const void *out, int n, MPI_Datatype type, void *in, int m, MPI_Datatype of, MPI_Comm comm)
{
	int error = PMPI_Alltoall(out, n, type, in, m, of, comm);
	double *a = in, first = a[0];
	a[0] = a[1];
	a[1] = first;
	return error;
}
C
	'halo:20' => [ 'a column beside the one that was meant', <<'C' ],
int MPI_Isend(const void *from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
	return PMPI_Isend((const double *)from + (type != MPI_DOUBLE), n, type, to, tag, comm, request);
}
C
	'sort:3000' => [ 'a key that came twice in place of another', <<'C' ],
int MPI_Alltoallv(const void *out, const int *n, const int *at, MPI_Datatype type, void *in, const int *m,
	const int *into, MPI_Datatype of, MPI_Comm comm)
{
	int error = PMPI_Alltoallv(out, n, at, type, in, m, into, of, comm);
	((unsigned *)in)[0] = ((unsigned *)in)[1];
	return error;
}
C
);

for my $what (sort keys %WRONG) {
	my ($fault, $code) = @{ $WRONG{$what} };
	my ($kernel) = $what =~ /^(\w+)/;
	my $source = "$dir/wrong_$kernel.c";
	open my $out, '>', $source or die "$source: $!\n";
	print $out "#include <mpi.h>\n$code";
	close $out or die "$source: $!\n";
	my $library = built("wrong_$kernel", cc => [ @{ $ours->{cc} }, qw(-shared -fPIC) ], sources => [$source]);
	my $job = kernels(2, [ 'env', "LD_PRELOAD=$library", $exe ], $what);
	isnt($job->status, 0, "$kernel: $fault fails the job");
	$job->err_like(qr/^mpibench: rank \d of 2: $kernel: /m, "$kernel: with a sentence");
	unlike($job->out, qr/^$kernel /m, "$kernel: and without a figure");
}

done_testing();
