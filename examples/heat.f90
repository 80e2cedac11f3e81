! SPDX-License-Identifier: BSD-3-Clause
!
! Heat in a rod, in Fortran: as heat.c.
!
!     ftmpifort -O2 -o heat heat.f90
!     ftmpirun -ckpt-interval 1 -workdir work -n 4 ./heat 200000
program heat
  use ftmpi_f08
  implicit none
  integer, parameter :: cells = 1000
  double precision, asynchronous, save :: rod(0:cells + 1) ! the library keeps its address
  double precision :: mine, all
  integer, asynchronous, save :: step = 0
  integer :: steps = 200000, rank, ranks, left, right, i, first, second, ierror
  logical :: due
  character(20) :: word

  call MPI_Init()
  if (command_argument_count() > 0) then
     call get_command_argument(1, word)
     read (word, *) steps
  end if
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  rod = [(dble(mod(rank*cells + i, 100)), i=0, cells + 1)]
  rod(0) = 0
  rod(cells + 1) = 0

  call FTMPI_CKPT_Protect(0, step, 1, MPI_INTEGER, first)
  call FTMPI_CKPT_Protect(1, rod, cells + 2, MPI_DOUBLE_PRECISION, second)
  if (first /= MPI_SUCCESS .or. second /= MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 1)
  call FTMPI_Restore(ierror)
  if (ierror == FTMPI_RESTORED .and. rank == 0) print '(a,i0)', 'heat goes on at step ', step
  do while (step < steps)
     call MPI_Sendrecv(rod(1), 1, MPI_DOUBLE_PRECISION, left, 0, rod(cells + 1), 1, MPI_DOUBLE_PRECISION, right, 0, &
          MPI_COMM_WORLD, MPI_STATUS_IGNORE)
     call MPI_Sendrecv(rod(cells), 1, MPI_DOUBLE_PRECISION, right, 1, rod(0), 1, MPI_DOUBLE_PRECISION, left, 1, &
          MPI_COMM_WORLD, MPI_STATUS_IGNORE)
     rod(1:cells) = 0.25d0*rod(0:cells - 1) + 0.5d0*rod(1:cells) + 0.25d0*rod(2:cells + 1)
     step = step + 1
     call FTMPI_Checkpoint_due(due)
     if (due) then
        call FTMPI_Perform_Checkpoint(ierror)
        if (ierror == FTMPI_CKPTERROR .and. rank == 0) print '(a,i0)', 'heat: no checkpoint at step ', step
     end if
  end do
  mine = sum(rod(1:cells))
  call MPI_Reduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a,f0.9)', 'after ', steps, ' steps the rod has ', all
  call MPI_Finalize()
end program heat
