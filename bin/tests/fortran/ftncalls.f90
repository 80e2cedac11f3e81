! SPDX-License-Identifier: BSD-3-Clause
! ftncalls: what is special about the calls of Fortran: functions of the program that MPI calls, attributes, error
! handlers, generalized requests, strings, LOGICALs, indices from 1, variables that stand for values, sections of
! arrays; and what C sees of it (ftnc.c). On 2 ranks or more.
module ftncalls_parts
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer :: rank, ranks, copies = 0, deletes = 0, handled = 0, last_error = 0, told = 0
  integer(MPI_ADDRESS_KIND) :: last_deleted = 0

  interface
    function ftnc_attribute(comm, keyval) bind(C) result(value)
      import
      integer(c_int), value :: comm, keyval
      integer(c_long) :: value
    end function ftnc_attribute
    subroutine ftnc_set_attribute(comm, keyval, value) bind(C)
      import
      integer(c_int), value :: comm, keyval
      integer(c_long), value :: value
    end subroutine ftnc_set_attribute
    function ftnc_status(status, which) bind(C) result(answer)
      import
      type(MPI_Status), intent(in) :: status
      integer(c_int), value :: which
      integer(c_int) :: answer
    end function ftnc_status
    function ftnc_handles() bind(C) result(answer)
      import
      integer(c_int) :: answer
    end function ftnc_handles
  end interface
contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    write (0, *) 'ftncalls: WRONG: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check

  ! ---- attributes ----

  subroutine copy_twice(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copies = copies + 1
    call check(oldcomm /= MPI_COMM_NULL .and. comm_keyval /= MPI_KEYVAL_INVALID, 'arguments of a copy function')
    call check(extra_state == 1234567890123_MPI_ADDRESS_KIND, 'the extra state of a copy function')
    attribute_val_out = 2 * attribute_val_in
    flag = attribute_val_in > 0
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, attribute_val_in /= -13)
  end subroutine copy_twice

  subroutine count_deletes(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletes = deletes + 1
    last_deleted = attribute_val
    call check(comm /= MPI_COMM_NULL .and. comm_keyval /= MPI_KEYVAL_INVALID, 'arguments of a delete function')
    call check(extra_state == 1234567890123_MPI_ADDRESS_KIND, 'the extra state of a delete function')
    ierror = MPI_SUCCESS
  end subroutine count_deletes

  subroutine attributes
    integer, parameter :: big = MPI_ADDRESS_KIND
    integer :: key, plain, ierr
    integer(big) :: value
    type(MPI_Comm) :: comm, twin
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_SELF, comm)
    call MPI_Comm_create_keyval(copy_twice, count_deletes, key, 1234567890123_big)
    call MPI_Comm_get_attr(comm, key, value, flag)
    call check(.not. flag, 'no attribute yet')
    call MPI_Comm_set_attr(comm, key, 5000000000_big)
    call MPI_Comm_get_attr(comm, key, value, flag)
    call check(flag .and. value == 5000000000_big, 'an attribute')
    call check(ftnc_attribute(comm%MPI_VAL, key) == 5000000000_big, 'an attribute of Fortran in C')
    call MPI_Comm_dup(comm, twin)
    call MPI_Comm_get_attr(twin, key, value, flag)
    call check(copies == 1 .and. flag .and. value == 10000000000_big, 'its copy')
    call check(ftnc_attribute(twin%MPI_VAL, key) == 10000000000_big, 'its copy in C')
    call MPI_Comm_set_attr(twin, key, 77_big)
    call check(deletes == 1 .and. last_deleted == 10000000000_big, 'the copy is replaced')
    call MPI_Comm_delete_attr(comm, key)
    call check(deletes == 2 .and. last_deleted == 5000000000_big, 'the first one is deleted')
    call MPI_Comm_free(twin)
    call check(deletes == 3 .and. last_deleted == 77, 'the copy goes with its communicator')
    call MPI_Comm_set_attr(comm, key, -1_big)
    call MPI_Comm_dup(comm, twin)
    call MPI_Comm_get_attr(twin, key, value, flag)
    call check(copies == 2 .and. .not. flag, 'a copy function that wants none')
    call MPI_Comm_free(twin)
    call MPI_Comm_set_attr(comm, key, -13_big)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
    call MPI_Comm_dup(comm, twin, ierr)
    call check(ierr /= MPI_SUCCESS .and. copies == 3, 'a copy function that fails')
    call ftnc_set_attribute(comm%MPI_VAL, key, 4242_c_long)
    call MPI_Comm_get_attr(comm, key, value, flag)
    call check(flag .and. value == 4242, 'an attribute of C in Fortran')
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, plain, 0_big)
    call MPI_Comm_delete_attr(comm, key)
    call MPI_Comm_set_attr(comm, plain, -8_big)
    call MPI_Comm_dup(comm, twin)
    call MPI_Comm_get_attr(twin, plain, value, flag)
    call check(flag .and. value == -8, 'MPI_COMM_DUP_FN')
    call MPI_Comm_free(twin)
    call MPI_Comm_free(comm)
    call MPI_Comm_free_keyval(key)
    call MPI_Comm_free_keyval(plain)
    call check(key == MPI_KEYVAL_INVALID .and. plain == MPI_KEYVAL_INVALID, 'keys are freed')
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
    call check(flag .and. value >= 32767, 'MPI_TAG_UB')
  end subroutine attributes

  ! ---- errors ----

  subroutine on_error(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    handled = handled + 1
    last_error = error_code
    call check(comm == MPI_COMM_SELF, 'the communicator of an error handler')
  end subroutine on_error

  subroutine errors
    type(MPI_Errhandler) :: handler, again
    integer :: ierr, errclass, length, before
    character(len=MPI_MAX_ERROR_STRING) :: text
    character(len=5) :: short
    call MPI_Comm_create_errhandler(on_error, handler)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler)
    call MPI_Send(rank, 1, MPI_INTEGER, 99, 0, MPI_COMM_SELF, ierr)
    call MPI_Error_class(ierr, errclass)
    call check(handled == 1 .and. last_error == ierr .and. errclass == MPI_ERR_RANK, 'an error handler')
    call MPI_Comm_get_errhandler(MPI_COMM_SELF, again)
    call check(again == handler, 'which handler is set')
    call MPI_Error_string(ierr, text, length)
    call check(length > 5 .and. len_trim(text) == length, 'the text of an error')
    call MPI_Error_string(ierr, short, before)
    call check(before == length .and. short == text(1:5), 'a text that is cut')
    call MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER)
    call check(handled == 2 .and. last_error == MPI_ERR_OTHER, 'an error handler that is called')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
    call MPI_Errhandler_free(handler)
    call check(handler == MPI_ERRHANDLER_NULL, 'the handler is freed')
  end subroutine errors

  ! ---- strings ----

  subroutine strings
    type(MPI_Comm) :: comm
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=4) :: four
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    integer :: length
    call MPI_Comm_dup(MPI_COMM_SELF, comm)
    name = 'x'
    call MPI_Comm_get_name(comm, name, length)
    call check(length == 0 .and. name == ' ', 'no name')
    call MPI_Comm_set_name(comm, '  two words   ')
    call MPI_Comm_get_name(comm, name, length)
    call check(length == 11 .and. name == '  two words', 'a name')
    four = 'abcd'
    call MPI_Comm_get_name(comm, four, length)
    call check(length == 11 .and. four == '  tw', 'a name that is cut')
    call MPI_Comm_free(comm)
    call MPI_Get_library_version(version, length)
    call check(length > 0 .and. len_trim(version) == length .and. index(version, 'FTMPI') > 0, 'the version')
  end subroutine strings

  subroutine infos
    type(MPI_Info) :: info
    character(len=30) :: key, value
    integer :: n, length
    logical :: flag
    call MPI_Info_create(info)
    call MPI_Info_set(info, '  a key ', '  and its value  ')
    call MPI_Info_get_nkeys(info, n)
    call MPI_Info_get_nthkey(info, 0, key)
    call check(n == 1 .and. key == 'a key', 'a key without its blanks')
    call MPI_Info_get(info, ' a key', 30, value, flag)
    call check(flag .and. value == 'and its value', 'a value without its blanks')
    value = 'kept'
    call MPI_Info_get(info, 'no key', 30, value, flag)
    call check(.not. flag .and. value == 'kept', 'no value')
    length = 30
    call MPI_Info_get_string(info, 'a key', length, value, flag)
    call check(flag .and. length == 13 .and. value == 'and its value', 'get_string')
    length = 3
    call MPI_Info_get_string(info, 'a key', length, value, flag)
    call check(flag .and. length == 13 .and. value == 'and', 'get_string that is cut')
    length = 0
    value = 'kept'
    call MPI_Info_get_string(info, 'a key', length, value, flag)
    call check(flag .and. length == 13 .and. value == 'kept', 'get_string that asks')
    call MPI_Info_free(info)
    call check(info == MPI_INFO_NULL, 'the info is freed')
  end subroutine infos
end module ftncalls_parts

module ftncalls_more
  use ftncalls_parts
  implicit none
contains
  subroutine query(extra_state, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    status%MPI_SOURCE = int(extra_state)
    status%MPI_TAG = 17
    call MPI_Status_set_cancelled(status, .false.)
    call MPI_Status_set_elements(status, MPI_INTEGER, 3)
    extra_state = extra_state + 1
    ierror = MPI_SUCCESS
  end subroutine query

  subroutine freed(extra_state, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    told = int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine freed

  subroutine cancelled(extra_state, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    call check(extra_state == 40 .and. .not. complete, 'a cancel function')
    told = -1
    ierror = MPI_SUCCESS
  end subroutine cancelled

  subroutine generalized
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    logical :: flag
    integer :: n
    integer(MPI_ADDRESS_KIND), volatile :: state ! the functions below change it
    state = 40
    call MPI_Grequest_start(query, freed, cancelled, state, request)
    call MPI_Test(request, flag, status)
    call check(.not. flag .and. request /= MPI_REQUEST_NULL, 'a request that is not done')
    call MPI_Cancel(request)
    call check(told == -1, 'a request is to be cancelled')
    call MPI_Grequest_complete(request)
    call MPI_Wait(request, status)
    call MPI_Get_count(status, MPI_INTEGER, n)
    call MPI_Test_cancelled(status, flag)
    call check(status%MPI_SOURCE == 40 .and. status%MPI_TAG == 17 .and. n == 3 .and. .not. flag, 'what query says')
    call check(told == 41 .and. request == MPI_REQUEST_NULL, 'it is freed')
    call check(state == 41, 'its extra state is the variable')
  end subroutine generalized

  ! ---- variables that stand for values ----

  subroutine sentinels
    integer, target :: here
    integer :: n
    integer(MPI_ADDRESS_KIND) :: at(1)
    type(MPI_Datatype) :: absolute
    n = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(n == ranks * (ranks + 1) / 2, 'MPI_IN_PLACE')
    call MPI_Get_address(here, at(1))
    call MPI_Type_create_hindexed(1, [1], at, MPI_INTEGER, absolute)
    call MPI_Type_commit(absolute)
    here = 3
    if (rank == 0) here = 4711
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD)
    call MPI_F_sync_reg(here)
    call check(here == 4711, 'MPI_BOTTOM')
    call MPI_Type_free(absolute)
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, rank, 1, n, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(n == rank .and. MPI_STATUS_IGNORE%MPI_TAG == 0, 'MPI_STATUS_IGNORE')
  end subroutine sentinels

  subroutine graphs
    integer :: i, n, numbers(4), sources(1), weights(1)
    type(MPI_Comm) :: graph
    logical :: flag
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [mod(rank + 1, ranks)], MPI_UNWEIGHTED, 1, &
      [mod(rank + ranks - 1, ranks)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph)
    call MPI_Dist_graph_neighbors_count(graph, i, n, flag)
    call check(i == 1 .and. n == 1 .and. .not. flag, 'MPI_UNWEIGHTED')
    call MPI_Dist_graph_neighbors(graph, 1, sources, MPI_UNWEIGHTED, 1, numbers, MPI_UNWEIGHTED)
    call check(sources(1) == mod(rank + 1, ranks), 'its neighbour')
    call MPI_Comm_free(graph)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [mod(rank + 1, ranks)], [3], 1, &
      [mod(rank + ranks - 1, ranks)], [4], MPI_INFO_NULL, .false., graph)
    call MPI_Dist_graph_neighbors_count(graph, i, n, flag)
    call MPI_Dist_graph_neighbors(graph, 1, sources, weights, 1, numbers, numbers(2:))
    call check(flag .and. weights(1) == 3 .and. numbers(2) == 4, 'weights')
    call MPI_Comm_free(graph)
  end subroutine graphs

  ! ---- requests ----

  subroutine indices
    type(MPI_Request) :: r(3)
    type(MPI_Status) :: s(3)
    integer :: values(3), at(3), n, i, got
    logical :: flag
    do i = 1, 3
      call MPI_Irecv(values(i), 1, MPI_INTEGER, rank, i, MPI_COMM_WORLD, r(i))
    end do
    call MPI_Testany(3, r, n, flag, s(1))
    call check(.not. flag, 'testany: nothing is done')
    call MPI_Testsome(3, r, n, at, s)
    call check(n == 0, 'testsome: nothing is done')
    call MPI_Send(20, 1, MPI_INTEGER, rank, 2, MPI_COMM_WORLD)
    call MPI_Waitany(3, r, n, s(1))
    call check(n == 2 .and. values(2) == 20 .and. s(1)%MPI_TAG == 2, 'waitany')
    call MPI_Send(30, 1, MPI_INTEGER, rank, 3, MPI_COMM_WORLD)
    call MPI_Waitsome(3, r, n, at, s)
    call check(n == 1 .and. at(1) == 3 .and. s(1)%MPI_TAG == 3, 'waitsome')
    call check(r(2) == MPI_REQUEST_NULL .and. r(3) == MPI_REQUEST_NULL .and. r(1) /= MPI_REQUEST_NULL, 'requests')
    call MPI_Send(10, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD)
    got = 0
    do while (got == 0)
      call MPI_Testsome(3, r, n, at, MPI_STATUSES_IGNORE)
      got = n
    end do
    call check(n == 1 .and. at(1) == 1 .and. all(values == [10, 20, 30]), 'testsome')
    call MPI_Testsome(3, r, n, at, s)
    call check(n == MPI_UNDEFINED, 'testsome: none is left')
    call MPI_Waitall(3, r, MPI_STATUSES_IGNORE)
    call MPI_Testany(3, r, n, flag, s(1))
    call check(flag .and. n == MPI_UNDEFINED, 'testany: none is left')
  end subroutine indices

  ! more handles than a wrapper has room for
  subroutine many
    integer, parameter :: most = 500
    type(MPI_Request) :: r(2 * most)
    type(MPI_Status) :: s(2 * most)
    integer :: in(most), out(most), i
    do i = 1, most
      out(i) = i * i
      call MPI_Irecv(in(i), 1, MPI_INTEGER, rank, i, MPI_COMM_WORLD, r(i))
      call MPI_Isend(out(i), 1, MPI_INTEGER, rank, i, MPI_COMM_WORLD, r(most + i))
    end do
    call MPI_Waitall(2 * most, r, s)
    call check(all(in == out) .and. all([(r(i) == MPI_REQUEST_NULL, i = 1, 2 * most)]), 'many requests')
    call check(all([(s(i)%MPI_TAG == i, i = 1, most)]), 'many statuses')
  end subroutine many

  ! ---- sections ----

  subroutine sections
    integer :: a(6, 5), b(6, 5), want(6, 5), i, j, ierr
    type(MPI_Request) :: r(2)
    type(MPI_Datatype) :: pair
    a = reshape([(i, i = 1, 30)], [6, 5])
    b = -a
    want = -a
    want(2:6:2, 1:5:2) = a(1:6:2, 1:5:2)
    call MPI_Sendrecv(a(1:6:2, 1:5:2), 9, MPI_INTEGER, rank, 1, b(2:6:2, 1:5:2), 9, MPI_INTEGER, rank, 1, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(b == want), 'sections of a call that waits')
    b = -a
    call MPI_Irecv(b(2:6:2, 1:5:2), 9, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, r(1))
    call MPI_Isend(a(1:6:2, 1:5:2), 9, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, r(2))
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
    call check(all(b == want), 'sections of calls that do not wait')
    ! 7 of 9: two columns and a part of the third
    b = -a
    want = -a
    want(1:5:2, 1:3) = reshape([1, 3, 5, 7, 9, 11, 13, -15, -17], [3, 3])
    call MPI_Irecv(b(1:5:2, 1:3), 7, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, r(1))
    call MPI_Send([1, 3, 5, 7, 9, 11, 13], 7, MPI_INTEGER, rank, 1, MPI_COMM_WORLD)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE)
    call check(all(b == want), 'the first elements of a section')
    ! backwards, and of large counts
    b = 0
    call MPI_Irecv(b(6:1:-1, 2), 6_MPI_COUNT_KIND, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, r(1))
    call MPI_Send(a(:, 1), 6_MPI_COUNT_KIND, MPI_INTEGER, rank, 1, MPI_COMM_WORLD)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE)
    call check(all(b(:, 2) == [(i, i = 6, 1, -1)]), 'a section that goes backwards')
    ! an array without an end lies in one piece
    call assumed(a, b)
    call check(all(b(:, 1) == a(:, 5)), 'an array of unknown size')
    ! refused: clearly
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Iallreduce(a(1, :), b(1, :), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r(1), ierr)
    call check(ierr == MPI_ERR_BUFFER, 'a section that is refused')
    call MPI_Isend(a(1, :), 6, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, r(1), ierr)
    call check(ierr == MPI_ERR_COUNT, 'more than a section has')
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
    call MPI_Type_commit(pair)
    call MPI_Isend(a(1, :), 2, pair, rank, 1, MPI_COMM_WORLD, r(1), ierr)
    call check(ierr == MPI_ERR_TYPE, 'a section of a derived type')
    call MPI_Type_free(pair)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
    j = 0
  end subroutine sections

  subroutine assumed(a, b)
    integer :: a(6, *), b(6, *)
    call MPI_Sendrecv(a(1, 5), 6, MPI_INTEGER, rank, 1, b, 6, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine assumed

  subroutine types
    integer :: size, n
    type(MPI_Datatype) :: t, inner(1)
    type(MPI_Status) :: s
    integer :: f(MPI_STATUS_SIZE), ints(3), combiner, ni, na, nt
    integer(MPI_ADDRESS_KIND) :: addresses(1)
    complex :: c(2)
    logical :: l(3)
    character(len=7) :: word
    call MPI_Type_size(MPI_DOUBLE_PRECISION, size)
    call check(size == 8, 'size of MPI_DOUBLE_PRECISION')
    call MPI_Sizeof(c, size)
    call check(size == 8, 'MPI_Sizeof')
    c = (1.0, 2.0)
    call MPI_Allreduce(MPI_IN_PLACE, c, 2, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD)
    call check(all(c == ranks * (1.0, 2.0)), 'MPI_COMPLEX')
    l = [.true., .false., rank == 0]
    call MPI_Allreduce(MPI_IN_PLACE, l, 3, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
    call check(l(1) .and. .not. l(2) .and. (l(3) .eqv. ranks == 1), 'MPI_LOGICAL')
    word = merge('rank  0', 'others ', rank == 0)
    call MPI_Bcast(word, 7, MPI_CHARACTER, 0, MPI_COMM_WORLD)
    call check(word == 'rank  0', 'MPI_CHARACTER')
    call MPI_Type_vector(2, 3, 4, MPI_REAL, t)
    call MPI_Type_get_envelope(t, ni, na, nt, combiner)
    call check(ni == 3 .and. na == 0 .and. nt == 1 .and. combiner == MPI_COMBINER_VECTOR, 'envelope')
    call MPI_Type_get_contents(t, 3, 1, 1, ints, addresses, inner)
    call check(all(ints == [2, 3, 4]) .and. inner(1) == MPI_REAL, 'contents')
    call MPI_Type_free(t)
    call MPI_Type_create_f90_real(15, 307, t)
    call MPI_Type_size(t, size)
    call check(size == 8, 'MPI_Type_create_f90_real')
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, rank, 5, n, 1, MPI_INTEGER, rank, 5, MPI_COMM_WORLD, s)
    call MPI_Status_f082f(s, f)
    call check(f(MPI_SOURCE) == rank .and. f(MPI_TAG) == 5, 'a status of INTEGERs')
    s%MPI_TAG = 0
    call MPI_Status_f2f08(f, s)
    call MPI_Get_count(s, MPI_INTEGER, n)
    call check(s%MPI_TAG == 5 .and. n == 1, 'and back')
    call check(ftnc_status(s, 0) == 5 .and. ftnc_status(MPI_STATUS_IGNORE, 1) == 1, 'a status in C')
    call check(ftnc_handles() == 0, 'handles in C')
    call check(MPI_Wtime() > 0 .and. MPI_Wtick() > 0, 'time')
    call check(MPI_Aint_add(5_MPI_ADDRESS_KIND, 6_MPI_ADDRESS_KIND) == 11, 'MPI_Aint_add')
  end subroutine types

  subroutine topology
    type(MPI_Comm) :: grid, line
    integer :: dims(2), coords(2), n
    logical :: periods(2)
    dims = [ranks, 1]
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .true.], .false., grid)
    call MPI_Cart_get(grid, 2, dims, periods, coords)
    call check(.not. periods(1) .and. periods(2) .and. coords(1) == rank, 'periods')
    call MPI_Cart_sub(grid, [.false., .true.], line)
    call MPI_Comm_size(line, n)
    call check(n == 1, 'remain_dims')
    call MPI_Comm_free(line)
    call MPI_Comm_free(grid)
  end subroutine topology

  subroutine groups
    type(MPI_Group) :: world, part
    integer :: ranges(3, 2), n
    call MPI_Comm_group(MPI_COMM_WORLD, world)
    ranges = reshape([0, 0, 1, 1, 1, 1], [3, 2])
    call MPI_Group_range_incl(world, 2, ranges, part)
    call MPI_Group_size(part, n)
    call check(n == 2, 'ranges')
    call MPI_Group_free(part)
    call MPI_Group_free(world)
    call check(part == MPI_GROUP_NULL, 'the group is freed')
  end subroutine groups

  ! each rank sends an INTEGER to even ranks and a REAL to odd ones
  subroutine mixed
    type(MPI_Datatype) :: sent(ranks), received(ranks)
    integer :: ones(ranks), at(ranks), i
    integer(c_int32_t) :: out(ranks), in(ranks)
    type(MPI_Request) :: request
    do i = 1, ranks
      sent(i) = merge(MPI_INTEGER, MPI_REAL, mod(i, 2) == 1)
    end do
    received = merge_types(mod(rank, 2) == 0)
    ones = 1
    at = [(4 * i, i = 0, ranks - 1)]
    out = [(100 * rank + i, i = 0, ranks - 1)]
    call MPI_Alltoallw(out, ones, at, sent, in, ones, at, received, MPI_COMM_WORLD)
    call check(all(in == [(100 * i + rank, i = 0, ranks - 1)]), 'MPI_Alltoallw')
    in = 0
    call MPI_Ialltoallw(out, ones, at, sent, in, ones, at, received, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(in == [(100 * i + rank, i = 0, ranks - 1)]), 'MPI_Ialltoallw')
  contains
    function merge_types(even) result(t)
      logical, intent(in) :: even
      type(MPI_Datatype) :: t
      t = MPI_REAL
      if (even) t = MPI_INTEGER
    end function merge_types
  end subroutine mixed

  subroutine memory
    type(c_ptr) :: base, back
    integer, pointer :: numbers(:)
    integer :: buffer(2000), size, n
    call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, base)
    call c_f_pointer(base, numbers, [100])
    numbers = 7
    call MPI_Free_mem(numbers)
    call MPI_Buffer_attach(buffer, 8000)
    call MPI_Bsend(rank, 1, MPI_INTEGER, rank, 3, MPI_COMM_WORLD)
    call MPI_Recv(n, 1, MPI_INTEGER, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Buffer_detach(back, size)
    call check(size == 8000 .and. n == rank, 'the buffer')
    call check(transfer(back, 0_c_intptr_t) == address(buffer), 'where the buffer was')
  end subroutine memory

  function address(x) result(at)
    integer, intent(in) :: x(*)
    integer(MPI_ADDRESS_KIND) :: at
    call MPI_Get_address(x(1), at)
  end function address
end module ftncalls_more

program ftncalls
  use ftncalls_more
  implicit none
  logical :: before, after
  call MPI_Initialized(before)
  call MPI_Init()
  call MPI_Initialized(after)
  call check(after .and. .not. before, 'MPI_Initialized')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Pcontrol(1)
  call attributes
  call errors
  call strings
  call infos
  call generalized
  call sentinels
  call graphs
  call indices
  call many
  call sections
  call types
  call topology
  call groups
  call mixed
  call memory
  call MPI_Finalize()
  call MPI_Finalized(after)
  if (after .and. rank == 0) print '(a)', 'ftncalls: all right'
end program ftncalls
