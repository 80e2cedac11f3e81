# SPDX-License-Identifier: BSD-3-Clause
#
# The program with which an installation is tried: each rank prints "0 of 2" and the like.
package FTMPI::Test::Greeting;

use strict;
use warnings;

use constant {
	C => <<'C',
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("%d of %d\n", rank, size);
	return MPI_Finalize();
}
C
	F90 => <<'F',
program greet
  use mpi_f08
  integer :: rank, size
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  print '(i0,a,i0)', rank, ' of ', size
  call MPI_Finalize()
end program greet
F
	F77 => <<'F',
      program greet
      include 'mpif.h'
      integer rank, n, ierr
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, n, ierr)
      print '(i0,a,i0)', rank, ' of ', n
      call MPI_FINALIZE(ierr)
      end
F
};

1;
