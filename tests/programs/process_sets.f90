! SPDX-License-Identifier: BSD-3-Clause
! The sizes and colours of the groups that each rank is in, by process sets.
program process_sets
  use mpi_f08
  implicit none
  type(MPI_Session) :: session
  type(MPI_Info) :: info
  type(MPI_Group) :: group
  integer :: count, n, length, rank, size
  character(len=MPI_MAX_PSET_NAME_LEN) :: name
  character(len=16) :: colour
  logical :: flag
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', group)
  call MPI_Group_rank(group, rank)
  call MPI_Group_free(group)
  call MPI_Session_get_num_psets(session, MPI_INFO_NULL, count)
  do n = 0, count - 1
    length = len(name)
    call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, length, name)
    if (index(name, 'orrery://group/') /= 1) cycle
    call MPI_Session_get_pset_info(session, name, info)
    length = len(colour)
    call MPI_Info_get_string(info, 'orrery_group_colour', length, colour, flag)
    call MPI_Info_free(info)
    call MPI_Group_from_session_pset(session, name, group)
    call MPI_Group_size(group, size)
    call MPI_Group_free(group)
    print '(i0,a,i0,a)', rank, ' '//trim(name)//' size ', size, ' colour '//trim(colour)
  end do
  call MPI_Session_finalize(session)
end program
