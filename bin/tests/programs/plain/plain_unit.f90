! SPDX-License-Identifier: BSD-3-Clause
! plain_unit: heat in a ring of rods. Each rank has some columns of a plate, in an array that is allocated anew now
! and then, exchanges its edges with its neighbours, and writes what it has to a file at each step: the unit is open
! from the first step to the last, when the file is read and compared with what was computed. The heat stays what it
! was. "plain_unit STEPS FOLDER"
module plain_unit_parts
  use mpi
  implicit none
  integer, parameter :: real_kind = kind(1d0), height = 96, width = 40, often = 37
  integer :: rank, ranks, left, right, unit
contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    integer :: ierr
    if (good) return
    write (0, '(a,i0,2a)') 'plain_unit: rank ', rank, ': WRONG: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine check

  subroutine read_arguments(steps, folder)
    integer, intent(out) :: steps
    character(len=:), allocatable, intent(out) :: folder
    character(len=4096) :: word
    integer :: wrong
    steps = 4000
    folder = '.'
    if (command_argument_count() >= 1) then
      call get_command_argument(1, word)
      read (word, *, iostat=wrong) steps
      call check(wrong == 0 .and. steps >= 1, 'the first argument is no number of steps')
    end if
    if (command_argument_count() >= 2) then
      call get_command_argument(2, word)
      folder = trim(word)
    end if
  end subroutine read_arguments

  ! whole numbers, so that their sum is exact
  subroutine begin(u)
    integer, allocatable, intent(out) :: u(:, :)
    integer :: i, j
    allocate (u(0:height+1, 0:width+1))
    u = 0
    do j = 1, width
      do i = 1, height
        u(i, j) = 1000 * mod(i * 7 + (j + rank * width) * 13, 101)
      end do
    end do
  end subroutine begin

  subroutine exchange(u)
    integer, intent(inout) :: u(0:, 0:)
    integer :: requests(4), statuses(MPI_STATUS_SIZE, 4), ierr
    call MPI_Irecv(u(1, 0), height, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(u(1, width + 1), height, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Isend(u(1, width), height, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Isend(u(1, 1), height, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(4), ierr)
    call MPI_Waitall(4, requests, statuses, ierr)
    call check(all(statuses(MPI_SOURCE, 1:2) == [left, right]), 'an edge came from elsewhere')
  end subroutine exchange

  ! between two points flows a fifth of their difference, the same seen from both; nothing flows over the ends of a rod
  pure integer function flow(from, to)
    integer, intent(in) :: from, to
    flow = (from - to) / 5
  end function flow

  subroutine advance(u)
    integer, allocatable, intent(inout) :: u(:, :)
    integer, allocatable :: v(:, :)
    integer :: i, j
    call exchange(u)
    u(0, :) = u(1, :)
    u(height + 1, :) = u(height, :)
    allocate (v, source=u)
    do j = 1, width
      do i = 1, height
        v(i, j) = u(i, j) + flow(u(i-1, j), u(i, j)) + flow(u(i+1, j), u(i, j)) &
          + flow(u(i, j-1), u(i, j)) + flow(u(i, j+1), u(i, j))
      end do
    end do
    call move_alloc(v, u)
  end subroutine advance

  ! depends on where what is
  pure double precision function weighed(u)
    integer, intent(in) :: u(0:, 0:)
    integer :: i, j
    weighed = 0
    do j = 1, width
      do i = 1, height
        weighed = weighed + u(i, j) * (1 + 0.001d0 * i + sqrt(2d0) * j)
      end do
    end do
  end function weighed

  subroutine read_back(weights)
    double precision, intent(in) :: weights(:)
    integer :: i, step, wrong
    double precision :: weight
    character(len=8) :: word
    rewind (unit)
    do i = 1, size(weights)
      read (unit, *, iostat=wrong) word, step, weight
      call check(wrong == 0, 'the file is too short')
      call check(word == 'step' .and. step == i, 'the file has another step')
      call check(abs(weight - weights(i)) <= 0, 'the file has another number')
    end do
    read (unit, *, iostat=wrong) word
    call check(wrong < 0, 'the file is too long')
    close (unit)
  end subroutine read_back
end module plain_unit_parts

program plain_unit
  use plain_unit_parts
  implicit none
  integer, allocatable :: u(:, :)
  double precision, allocatable :: weights(:), more(:)
  character(len=:), allocatable :: folder
  character(len=12) :: number
  integer(selected_int_kind(18)) :: heat, mine, at_first
  double precision :: total
  integer :: step, steps, ierr

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  call read_arguments(steps, folder)
  write (number, '(i0)') rank
  open (newunit=unit, file=folder // '/plain_unit-' // trim(number), status='replace', action='readwrite', iostat=ierr)
  call check(ierr == 0, 'the file cannot be opened')

  call begin(u)
  mine = sum(int(u(1:height, 1:width), kind(mine)))
  call MPI_Allreduce(mine, at_first, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierr)
  allocate (weights(0))
  do step = 1, steps
    call advance(u)
    if (size(weights) < step) then
      allocate (more(step - 1 + often))
      more(1:step-1) = weights(1:step-1)
      call move_alloc(more, weights)
    end if
    weights(step) = weighed(u)
    write (unit, '(a,1x,i8,1x,es25.17e3)') 'step', step, weights(step)
    mine = sum(int(u(1:height, 1:width), kind(mine)))
    call MPI_Allreduce(mine, heat, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(heat == at_first, 'heat was lost, or made')
  end do
  call read_back(weights(1:steps))
  call MPI_Reduce(sum(weights(1:steps)), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i0,a,i0,a,es24.17e2,a,i0,a)', 'plain_unit: right, ', steps, ' steps, heat ', heat, ', weight ', &
    total, ', ', ranks, ' ranks'
  call MPI_Finalize(ierr)
end program plain_unit
