! SPDX-License-Identifier: BSD-3-Clause
! plain_types: Fortran 2008 with `use mpi_f08`. At each step the ranks are split into groups, by another rule each time,
! which do collective operations of their own; particles (a derived type) go to another rank of the group; rows and
! columns of a matrix are transposed over all ranks by types that are made for the step; a broadcast and a reduction
! that do not block are under way meanwhile. Whole numbers all of them, each compared with what it has to be.
! "plain_types STEPS"
module plain_types_parts
  use mpi_f08
  implicit none
  integer, parameter :: particles = 50, block = 24
  type particle
    sequence
    double precision :: place(2)
    integer :: number, hops
  end type particle
  integer :: rank, ranks
contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    write (0, '(a,i0,2a)') 'plain_types: rank ', rank, ': WRONG: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check

  function particle_type() result(t)
    type(MPI_Datatype) :: t
    integer(MPI_ADDRESS_KIND) :: at(2)
    at = [0, 16]
    call MPI_Type_create_struct(2, [2, 2], at, [MPI_DOUBLE_PRECISION, MPI_INTEGER], t)
    call MPI_Type_commit(t)
  end function particle_type

  ! which of 3 groups a rank belongs to at this step
  pure integer function group_of(who, step)
    integer, intent(in) :: who, step
    group_of = mod((who + 1) * (step + 7) / 5, 3)
  end function group_of

  subroutine go_round(step, p, ptype)
    integer, intent(in) :: step
    type(particle), intent(inout) :: p(:)
    type(MPI_Datatype), intent(in) :: ptype
    type(MPI_Comm) :: group
    type(MPI_Status) :: status
    integer :: me, members, i, n, last, first, expected
    integer, allocatable :: numbers(:)
    call MPI_Comm_split(MPI_COMM_WORLD, group_of(rank, step), ranks - rank, group)
    call MPI_Comm_rank(group, me)
    call MPI_Comm_size(group, members)
    expected = count([(group_of(i, step) == group_of(rank, step), i = 0, ranks - 1)])
    call check(members == expected, 'the size of a group')
    call MPI_Sendrecv_replace(p, size(p), ptype, mod(me + 1, members), 3, mod(me + members - 1, members), 3, group, status)
    call MPI_Get_count(status, ptype, n)
    call check(n == size(p), 'the number of particles')
    allocate (numbers(members))
    call MPI_Allgather(rank, 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, group)
    call check(all(numbers(2:) < numbers(:members-1)) .and. numbers(me + 1) == rank, 'the order of a group')
    first = 0
    call MPI_Exscan(me + 1, first, 1, MPI_INTEGER, MPI_SUM, group)
    call check(me == 0 .or. first == me * (me + 1) / 2, 'exscan')
    last = merge(step, -1, me == members - 1)
    call MPI_Bcast(last, 1, MPI_INTEGER, members - 1, group)
    call check(last == step, 'broadcast of a group')
    call MPI_Comm_free(group)
  end subroutine go_round

  ! each rank has `block` columns of a matrix; afterwards those of the transposed one
  subroutine transpose_all(a)
    integer, intent(inout) :: a(:, :)
    integer, allocatable :: b(:, :)
    type(MPI_Datatype) :: row, rows
    integer(MPI_ADDRESS_KIND) :: extent
    extent = 4 * block
    ! a square as its rows, one after the other
    call MPI_Type_vector(block, 1, size(a, 1), MPI_INTEGER, row)
    call MPI_Type_create_hvector(block, 1, 4_MPI_ADDRESS_KIND, row, rows)
    call MPI_Type_free(row)
    call MPI_Type_create_resized(rows, 0_MPI_ADDRESS_KIND, extent, row)
    call MPI_Type_commit(row)
    allocate (b(block * block, ranks))
    call MPI_Alltoall(a, 1, row, b, block * block, MPI_INTEGER, MPI_COMM_WORLD)
    call spread_blocks(a, b)
    call MPI_Type_free(rows)
    call MPI_Type_free(row)
  end subroutine transpose_all

  subroutine spread_blocks(a, b)
    integer, intent(out) :: a(:, :)
    integer, intent(in) :: b(:, :)
    integer :: r
    do r = 1, ranks
      a((r - 1) * block + 1:r * block, :) = reshape(b(:, r), [block, block])
    end do
  end subroutine spread_blocks

  ! what is in row i of column j at this step
  pure elemental integer function entry(i, j, step)
    integer, intent(in) :: i, j, step
    entry = merge(i * 10007 + j, j * 10007 + i, mod(step, 2) == 0) + 3 * step
  end function entry
end module plain_types_parts

program plain_types
  use plain_types_parts
  implicit none
  type(particle) :: p(particles)
  type(MPI_Datatype) :: ptype
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2)
  integer, allocatable :: a(:, :)
  integer(selected_int_kind(18)), asynchronous :: mine, total
  integer(selected_int_kind(18)) :: sums(2), checksum
  integer, asynchronous :: word
  integer :: steps, step, i, j, wrong
  character(len=20) :: argument

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  steps = 3000
  if (command_argument_count() >= 1) then
    call get_command_argument(1, argument)
    read (argument, *, iostat=wrong) steps
    call check(wrong == 0 .and. steps >= 1, 'the first argument is no number of steps')
  end if
  ptype = particle_type()
  p = [(particle([0.5d0 * i, -1d0 * rank], rank * particles + i, 0), i = 1, particles)]
  allocate (a(block * ranks, block))
  do j = 1, block
    a(:, j) = [(entry(i, rank * block + j, 0), i = 1, block * ranks)]
  end do
  checksum = 0
  do step = 1, steps
    mine = sum(int(p%number, kind(mine)) * mod(p%hops + step, 97))
    call MPI_Iallreduce(mine, total, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, requests(1))
    word = merge(step * 5, -1, rank == mod(step, ranks))
    call MPI_Ibcast(word, 1, MPI_INTEGER, mod(step, ranks), MPI_COMM_WORLD, requests(2))
    call transpose_all(a)
    a = a + 3
    call go_round(step, p, ptype)
    p%hops = p%hops + 1
    p%place(1) = p%place(1) + 0.25d0
    call MPI_Waitall(2, requests, statuses)
    call check(word == step * 5, 'broadcast')
    checksum = mod(checksum * 31 + mod(total, 1000003_8) + rank + mod(p(1)%number, 1009), 1000000007_8)
    do j = 1, block
      call check(all(a(:, j) == [(entry(i, rank * block + j, step), i = 1, block * ranks)]), 'the matrix')
    end do
  end do
  call check(all(p%hops == steps) .and. all(abs(p%place(1) - 0.5d0 * [(i, i = 1, particles)] - 0.25d0 * steps) < 1d-9), &
    'the particles')
  mine = sum(int(p%number, kind(mine)))
  call MPI_Allreduce([mine, checksum], sums, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
  i = ranks * particles
  call check(sums(1) == int(i, 8) * (i + 1) / 2, 'the particles of all')
  call MPI_Type_free(ptype)
  if (rank == 0) print '(a,i0,a,i0,a,i0,a)', 'plain_types: right, ', steps, ' steps, sum ', sums(2), ', ', ranks, ' ranks'
  call MPI_Finalize()
end program plain_types
