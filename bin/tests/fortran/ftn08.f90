! SPDX-License-Identifier: BSD-3-Clause
! ftn08: Fortran 2008 with `use mpi_f08`, ierror left out. A matrix is multiplied by a vector again and again: rows
! are scattered by a resized type, sections that are not contiguous are sent as they are, an operator of the
! program's own finds the largest value and its place. "ftn08 -ckpt M -hold N"
! makes a line every M rounds and waits after round N in its first run.
module ftn08_parts
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  use ftmpi_f08
  implicit none
  integer, parameter :: rows = 6, rounds = 40
  type(MPI_Datatype) :: placed
  type place
    sequence
    double precision :: value
    integer :: at, from
  end type place
contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    write (0, *) 'ftn08: WRONG: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check

  ! the larger; of equal ones that which comes first
  subroutine larger(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    type(place), pointer :: a(:), b(:)
    integer :: i
    call check(datatype == placed, 'the type of an operator')
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    do i = 1, len
      if (a(i)%value > b(i)%value .or. a(i)%value == b(i)%value .and. a(i)%from < b(i)%from) b(i) = a(i)
    end do
  end subroutine larger

  function place_type() result(t)
    type(MPI_Datatype) :: t
    integer(MPI_ADDRESS_KIND) :: at(2)
    at = [0, 8]
    call MPI_Type_create_struct(2, [1, 2], at, [MPI_DOUBLE_PRECISION, MPI_INTEGER], t)
    call MPI_Type_commit(t)
  end function place_type
end module ftn08_parts

program ftn08
  use ftn08_parts
  implicit none
  double precision, allocatable :: whole(:, :), a(:, :), all_of_it(:)
  double precision, target :: v(rows), w(rows), both(2, rows)
  integer, save :: step
  integer :: rank, ranks, i, j, hold, every, run, verdict, n
  type(MPI_Datatype) :: row, one_row
  type(MPI_Op) :: op
  type(MPI_Comm) :: comm
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2)
  type(place) :: best, mine
  character(len=20) :: word
  logical :: flag

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call check(comm /= MPI_COMM_WORLD .and. .not. comm == MPI_COMM_NULL, 'dup')
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  hold = -1
  every = 0
  do i = 1, command_argument_count() - 1
    call get_command_argument(i, word)
    if (word == '-hold') then
      call get_command_argument(i + 1, word)
      read (word, *) hold
    else if (word == '-ckpt') then
      call get_command_argument(i + 1, word)
      read (word, *) every
    end if
  end do
  n = rows * ranks
  allocate (whole(n, n), a(rows, n), all_of_it(n))
  do j = 1, n
    do i = 1, n
      whole(i, j) = merge(mod(i * 3 + j * 5, 7) / (7d0 * n), -1d0, rank == 0)
    end do
  end do
  v = [(mod(i + rank * 5, 9) + 1, i = 1, rows)]
  step = 0
  call FTMPI_Get_restart_count(run)
  call FTMPI_CKPT_Protect(0, step, 1, MPI_INTEGER)
  call FTMPI_CKPT_Protect(1, v, size(v), MPI_DOUBLE_PRECISION, verdict)
  call check(verdict == MPI_SUCCESS, 'protect')
  call FTMPI_CKPT_Protect(2, both(1, :), rows, MPI_DOUBLE_PRECISION, verdict)
  call check(verdict == MPI_ERR_BUFFER, 'a section cannot be protected')
  call FTMPI_Restore(verdict)
  if (verdict == FTMPI_RESTORED .and. rank == 0) print '(a,i0)', 'restored after round ', step
  call check(verdict == FTMPI_RESTORED .or. verdict == FTMPI_NOTHING, 'restore')

  ! block i of rows goes to rank i: n columns, each of them `rows` numbers
  call MPI_Type_vector(n, rows, n, MPI_DOUBLE_PRECISION, row)
  call MPI_Type_create_resized(row, 0_MPI_ADDRESS_KIND, int(8 * rows, MPI_ADDRESS_KIND), one_row)
  call MPI_Type_commit(one_row)
  call MPI_Scatter(whole, 1, one_row, a, rows * n, MPI_DOUBLE_PRECISION, 0, comm)
  call check(abs(a(2, 3) - mod((rank * rows + 2) * 3 + 15, 7) / (7d0 * n)) < 1d-15, 'scatter')
  placed = place_type()
  call MPI_Op_create(larger, .true., op)
  call MPI_Op_commutative(op, flag)
  call check(flag, 'commutative')

  do while (step < rounds)
    call MPI_Allgather(v, rows, MPI_DOUBLE_PRECISION, all_of_it, rows, MPI_DOUBLE_PRECISION, comm)
    w = matmul(a, all_of_it)
    ! every second number of `both`, there and back, without a copy by the program
    both(1, :) = w
    both(2, :) = -1
    call MPI_Irecv(both(2, :), rows, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), step, comm, requests(1))
    call MPI_Isend(both(1, :), rows, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), step, comm, requests(2))
    call MPI_Waitall(2, requests, statuses)
    call check(statuses(1)%MPI_SOURCE == mod(rank + 1, ranks) .and. statuses(1)%MPI_TAG == step, 'status')
    call MPI_Get_count(statuses(1), MPI_DOUBLE_PRECISION, i)
    call check(i == rows, 'count')
    call check(all(both(1, :) == w) .and. all(both(2, :) /= -1), 'sections')
    v = 0.75d0 * both(1, :) + 0.25d0 * both(2, :)
    mine = place(maxval(v), maxloc(v, 1), rank)
    call MPI_Allreduce(mine, best, 1, placed, op, comm)
    call check(best%value >= mine%value .and. best%from >= 0 .and. best%from < ranks, 'largest')
    if (best%from == rank) call check(best%at == mine%at .and. best%value == mine%value, 'its place')
    v = v / best%value
    step = step + 1
    if (every > 0 .and. mod(step, max(every, 1)) == 0) then
      call FTMPI_Perform_Checkpoint(verdict)
      call check(verdict == FTMPI_CHECKPOINTED, 'line')
    end if
    if (step == hold .and. run == 0) then
      print '(a,i0,a,i0)', 'rank ', rank, ' waits after round ', step
      flush (6)
      call MPI_Recv(i, 1, MPI_INTEGER, MPI_ANY_SOURCE, 32000, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
  end do
  call MPI_Gather(v, rows, MPI_DOUBLE_PRECISION, all_of_it, rows, MPI_DOUBLE_PRECISION, 0, comm)
  if (rank == 0) print '(a,i0,a,es24.16)', 'ftn08: right, ', step, ' rounds, sum ', &
    sum(all_of_it * [(i, i = 1, n)])
  call FTMPI_CKPT_Unprotect(0)
  call MPI_Op_free(op)
  call MPI_Type_free(one_row)
  call MPI_Type_free(row)
  call MPI_Type_free(placed)
  call MPI_Comm_free(comm)
  call check(op == MPI_OP_NULL .and. comm == MPI_COMM_NULL, 'freed')
  call MPI_Finalize()
  ! a main program's live on after its end, and a leak check finds nobody that knows them
  deallocate (whole, a, all_of_it)
end program ftn08
