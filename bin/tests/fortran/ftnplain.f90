! SPDX-License-Identifier: BSD-3-Clause
! A program that makes no checkpoints, whose ranks wait for each other in vain.
program ftnplain
  use mpi
  implicit none
  integer :: ierror, rank

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  if (rank == 0) print '(a)', 'ready'
  flush(6)
  call MPI_Recv(rank, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Finalize(ierror)
end program ftnplain
