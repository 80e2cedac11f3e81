! SPDX-License-Identifier: BSD-3-Clause
! ftnsess: sessions with `use mpi_f08`, without MPI_Init; with the argument "late" after the world has come and gone.
module ftnsess_parts
  use mpi_f08
  implicit none
  integer :: told = 0, told_class = -1
  type(MPI_Session) :: told_of
contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    write (0, *) 'ftnsess: WRONG: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check

  subroutine hear(session, error_code)
    type(MPI_Session) :: session
    integer :: error_code
    told = told + 1
    told_of = session
    call MPI_Error_class(error_code, told_class)
  end subroutine hear

  subroutine names(session)
    type(MPI_Session), intent(in) :: session
    character(len=20) :: name
    integer :: n, length
    call MPI_Session_get_num_psets(session, MPI_INFO_NULL, n)
    call check(n == 2, 'the number of process sets')
    length = 0
    call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1, length, name)
    call check(length == len('mpi://SELF'), 'the length of a name, without a NUL')
    length = len(name)
    call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, name)
    call check(name == 'mpi://WORLD' .and. length == len('mpi://WORLD'), 'a name, filled with blanks')
  end subroutine names

  subroutine hints(session)
    type(MPI_Session), intent(in) :: session
    type(MPI_Info) :: info
    character(len=30) :: value
    integer :: length
    logical :: flag
    length = len(value)
    call MPI_Session_get_info(session, info)
    call MPI_Info_get_string(info, 'thread_level', length, value, flag)
    call check(flag .and. value == 'MPI_THREAD_FUNNELED', 'the thread level')
    call MPI_Info_free(info)
    length = len(value)
    call MPI_Session_get_pset_info(session, 'mpi://SELF  ', info)
    call MPI_Info_get_string(info, 'mpi_size', length, value, flag)
    call check(flag .and. value == '1', 'the size of a process set')
    call MPI_Info_free(info)
  end subroutine hints

  subroutine errors(session)
    type(MPI_Session), intent(in) :: session
    type(MPI_Errhandler) :: handler
    type(MPI_Group) :: group
    integer :: ierror, class
    call MPI_Session_create_errhandler(hear, handler)
    call MPI_Session_set_errhandler(session, handler)
    call MPI_Group_from_session_pset(session, 'mpi://NOBODY', group, ierror)
    call MPI_Error_class(ierror, class)
    call check(class == MPI_ERR_ARG .and. group == MPI_GROUP_NULL, 'a process set that is not there')
    call check(told == 1 .and. told_of == session .and. told_class == MPI_ERR_ARG, 'the handler of a session')
    call MPI_Session_call_errhandler(session, MPI_ERR_OTHER)
    call check(told == 2 .and. told_class == MPI_ERR_OTHER, 'a handler that is called')
    call MPI_Errhandler_free(handler)
  end subroutine errors
end module ftnsess_parts

program ftnsess
  use ftnsess_parts
  implicit none
  type(MPI_Session) :: session
  type(MPI_Group) :: group
  type(MPI_Comm) :: comm
  type(MPI_Info) :: info
  integer :: rank, ranks, total, n
  logical :: flag
  character(len=8) :: word
  call get_command_argument(1, word)
  if (word == 'late') then
    call MPI_Init()
    call MPI_Finalize()
  end if
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'thread_level', 'MPI_THREAD_FUNNELED')
  call MPI_Session_init(info, MPI_ERRORS_RETURN, session)
  call MPI_Info_free(info)
  call check(session /= MPI_SESSION_NULL, 'a session')
  call MPI_Initialized(flag)
  call check(flag .eqv. word == 'late', 'MPI_Initialized')
  call names(session)
  call hints(session)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', group)
  call MPI_Comm_create_from_group(group, 'ftnsess', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm)
  call MPI_Group_free(group)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  n = rank + 1
  call MPI_Allreduce(n, total, 1, MPI_INTEGER, MPI_SUM, comm)
  call check(total == ranks * (ranks + 1) / 2, 'a sum')
  call errors(session)
  call MPI_Comm_free(comm)
  call MPI_Session_finalize(session)
  call check(session == MPI_SESSION_NULL, 'the end of a session')
  if (rank == 0) write (*, '(a,i0,a)') 'ftnsess: right, ', ranks, ' ranks'
end program ftnsess
