! SPDX-License-Identifier: BSD-3-Clause
! ftn90: Fortran 90 with `use mpi`. Ranks in a grid exchange the edges of their squares (a subarray or vector
! type for the rows) and integrate; particles of a derived type go round; the state goes through FTMPI's data
! buffer. "ftn90 -ckpt M -hold N"
! makes a line every M rounds and waits after round N in its first run.
module ftn90_parts
  use ftmpi
  implicit none
  integer, parameter :: side = 12, rounds = 40
  type particle
    sequence
    double precision :: x
    integer :: id, hops
  end type particle
  integer :: grid, rank, ranks
contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    integer :: ierr
    if (good) return
    write (0, *) 'ftn90: WRONG: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine check

  subroutine make_grid
    integer :: dims(2), ierr, back(2), coords(2)
    logical :: periods(2), around(2)
    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    periods = [.true., .false.]
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, ierr)
    call check(grid /= MPI_COMM_NULL .and. grid /= MPI_COMM_WORLD, 'cart')
    call MPI_Cart_get(grid, 2, back, around, coords, ierr)
    call check(all(back == dims) .and. all(around .eqv. periods), 'cart_get')
  end subroutine make_grid

  subroutine particle_type(t)
    integer, intent(out) :: t
    type(particle) :: p(2)
    integer(kind=MPI_ADDRESS_KIND) :: base, at(2), lb, extent
    integer :: ierr, size
    call MPI_Get_address(p(1)%x, base, ierr)
    call MPI_Get_address(p(1)%x, at(1), ierr)
    call MPI_Get_address(p(1)%id, at(2), ierr)
    at = at - base
    call MPI_Type_create_struct(2, [1, 2], at, [MPI_DOUBLE_PRECISION, MPI_INTEGER], t, ierr)
    call MPI_Type_commit(t, ierr)
    call MPI_Type_get_extent(t, lb, extent, ierr)
    call MPI_Type_size(t, size, ierr)
    call check(lb == 0 .and. extent == 16 .and. size == 16, 'extent')
  end subroutine particle_type

  subroutine exchange(u, row)
    double precision, intent(inout) :: u(0:side+1, 0:side+1)
    integer, intent(in) :: row
    integer :: up, down, left, right, ierr, status(MPI_STATUS_SIZE), n
    call MPI_Cart_shift(grid, 0, 1, up, down, ierr)
    call MPI_Cart_shift(grid, 1, 1, left, right, ierr)
    call MPI_Sendrecv(u(side, 1), 1, row, down, 5, u(0, 1), 1, row, up, 5, grid, status, ierr)
    call MPI_Get_count(status, row, n, ierr)
    call check(n == 1 .and. status(MPI_SOURCE) == up, 'sendrecv')
    call MPI_Sendrecv(u(1, side), side, MPI_DOUBLE_PRECISION, right, 6, u(1, 0), side, MPI_DOUBLE_PRECISION, left, 6, &
      grid, MPI_STATUS_IGNORE, ierr)
  end subroutine exchange

  subroutine save_state(step, u, p)
    integer, intent(in) :: step
    double precision, intent(in) :: u(0:side+1, 0:side+1)
    type(particle), intent(in) :: p(:)
    integer :: ierr
    integer(kind=MPI_COUNT_KIND) :: old
    call FTMPI_CKPT_ResetBufPtr(ierr)
    call FTMPI_CKPT_AddToBuffer(step, 4, ierr)
    call FTMPI_CKPT_AddToBuffer(u, 8 * (side + 2)**2, ierr)
    call check(ierr == MPI_SUCCESS, 'add')
    old = FTMPI_CKPT_SeekBufPtr(0, FTMPI_SEEK_CUR)
    call check(old == 4 + 8 * (side + 2)**2, 'seek')
    call FTMPI_CKPT_AddToBuffer(p, int(16 * size(p), MPI_COUNT_KIND), ierr)
    call check(ierr == MPI_SUCCESS, 'add p')
  end subroutine save_state

  subroutine load_state(step, u, p)
    integer, intent(out) :: step
    double precision, intent(out) :: u(0:side+1, 0:side+1)
    type(particle), intent(out) :: p(:)
    integer :: ierr
    call FTMPI_CKPT_ResetBufPtr(ierr)
    call FTMPI_CKPT_GetFromBuffer(step, 4, ierr)
    call FTMPI_CKPT_GetFromBuffer(u, 8 * (side + 2)**2, ierr)
    call FTMPI_CKPT_GetFromBuffer(p, 16 * size(p), ierr)
    call check(ierr == MPI_SUCCESS, 'get')
  end subroutine load_state
end module ftn90_parts

program ftn90
  use ftn90_parts
  implicit none
  double precision :: u(0:side+1, 0:side+1), total, mine
  type(particle) :: p(3), q(3)
  integer :: step, i, j, ierr, hold, every, run, verdict, ptype, row, requests(2), done, number
  integer :: status(MPI_STATUS_SIZE), version, subversion
  character(len=20) :: word

  call MPI_Init_thread(MPI_THREAD_FUNNELED, i, ierr)
  call check(i >= MPI_THREAD_FUNNELED, 'thread level')
  call MPI_Get_version(version, subversion, ierr)
  call check(version == MPI_VERSION .and. subversion == MPI_SUBVERSION, 'version')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
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
  call FTMPI_Get_restart_count(run, ierr)
  call FTMPI_CKPT_AllocBuffer(4 + 8 * (side + 2)**2 + 48, ierr)
  call check(ierr == MPI_SUCCESS, 'buffer')

  do j = 0, side + 1
    do i = 0, side + 1
      u(i, j) = mod(i * 5 + j * 3 + rank, 17)
    end do
  end do
  do i = 1, 3
    p(i) = particle(i * 0.5d0 + rank, 10 * rank + i, 0)
  end do
  step = 0
  call FTMPI_Restore(verdict)
  if (verdict == FTMPI_RESTORED) then
    call load_state(step, u, p)
    if (rank == 0) print '(a,i0)', 'restored after round ', step
  else
    call check(verdict == FTMPI_NOTHING, 'restore')
  end if

  call make_grid
  call particle_type(ptype)
  call MPI_Type_vector(side, 1, side + 2, MPI_DOUBLE_PRECISION, row, ierr)
  call MPI_Type_commit(row, ierr)
  do while (step < rounds)
    call exchange(u, row)
    do j = 1, side
      do i = 1, side
        u(i, j) = 0.5d0 * u(i, j) + 0.25d0 * (u(i - 1, j) + u(i, j - 1))
      end do
    end do
    ! particles go round; which of the two requests is done first is told by an index from 1
    call MPI_Irecv(q, 3, ptype, mod(rank + ranks - 1, ranks), 9, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(p, 3, ptype, mod(rank + 1, ranks), 9, MPI_COMM_WORLD, requests(2), ierr)
    done = 0
    do i = 1, 2
      call MPI_Waitany(2, requests, number, status, ierr)
      call check(number == 1 .or. number == 2, 'waitany')
      done = done + number
      call check(requests(number) == MPI_REQUEST_NULL, 'waitany: request')
    end do
    call check(done == 3, 'waitany: both')
    call MPI_Waitany(2, requests, number, status, ierr)
    call check(number == MPI_UNDEFINED, 'waitany: none')
    p = q
    p%hops = p%hops + 1
    p%x = p%x + 0.125d0
    step = step + 1
    if (every > 0 .and. mod(step, max(every, 1)) == 0) then
      call save_state(step, u, p)
      call FTMPI_Perform_Checkpoint(verdict)
      call check(verdict == FTMPI_CHECKPOINTED, 'line')
    end if
    if (step == hold .and. run == 0) then
      print '(a,i0,a,i0)', 'rank ', rank, ' waits after round ', step
      flush (6)
      call MPI_Recv(i, 1, MPI_INTEGER, MPI_ANY_SOURCE, 32000, MPI_COMM_WORLD, status, ierr)
    end if
  end do
  call check(all(p%hops == rounds), 'hops')
  call MPI_Type_free(row, ierr)
  call MPI_Type_free(ptype, ierr)
  call MPI_Comm_free(grid, ierr)
  call check(grid == MPI_COMM_NULL .and. row == MPI_DATATYPE_NULL, 'freed')
  mine = sum(u(1:side, 1:side)) + sum(p%x * p%id)
  call MPI_Reduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i0,a,es24.16)', 'ftn90: right, ', step, ' rounds, total ', total
  call MPI_Finalize(ierr)
end program ftn90
