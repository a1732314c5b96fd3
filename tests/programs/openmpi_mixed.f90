! SPDX-License-Identifier: BSD-3-Clause
! Handles and statuses between Fortran and C (openmpi_mixed.c): what one makes, the other uses. Prints "fine".
program openmpi_mixed
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function checked_in_c(comm, type, op, file, win, status) bind(C)
      import :: c_int
      integer(c_int), value :: comm, type, op, file, win
      integer(c_int), intent(inout) :: status(*)
    end function
    subroutine made_in_c(comm, type, request, buffer, twin) bind(C)
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int), intent(out) :: type, request, twin
      integer(c_int), asynchronous :: buffer(*)
    end subroutine
  end interface
  integer :: rank, size, ierror, op, type, file, win, twin, request, mistakes, status(MPI_STATUS_SIZE), buffer(4), got(2)
  integer :: cells(4)
  character(len=200) :: name
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, twin, ierror)
  call MPI_Type_contiguous(3, MPI_INTEGER, type, ierror)
  call MPI_Type_commit(type, ierror)
  call MPI_Op_create(twice_the_sum, .true., op, ierror)
  call get_command_argument(1, name)
  call MPI_File_open(MPI_COMM_WORLD, trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, ierror)
  call MPI_Win_create(cells, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
  call MPI_Sendrecv([1, 2, 3], 3, MPI_INTEGER, rank, 5, buffer, 1, type, rank, 5, MPI_COMM_WORLD, status, ierror)
  mistakes = checked_in_c(twin, type, op, file, win, status)
  if (status(MPI_TAG) /= 77) mistakes = mistakes + 1
  call MPI_Win_free(win, ierror)
  call MPI_File_close(file, ierror)
  call MPI_Comm_free(twin, ierror)

  ! A datatype of every other integer; a receive of one from the left.
  call made_in_c(MPI_COMM_WORLD, type, request, buffer, twin)
  call MPI_Send([10 * rank, 0, 10 * rank + 1], 1, type, modulo(rank + 1, size), 6, MPI_COMM_WORLD, ierror)
  call MPI_Wait(request, status, ierror)
  if (request /= MPI_REQUEST_NULL) mistakes = mistakes + 1
  if (status(MPI_SOURCE) /= modulo(rank - 1, size)) mistakes = mistakes + 1
  call MPI_Get_count(status, type, got(1), ierror)
  if (got(1) /= 1 .or. buffer(3) - buffer(1) /= 1) mistakes = mistakes + 1
  call MPI_Comm_compare(twin, MPI_COMM_WORLD, got(2), ierror)
  if (got(2) /= MPI_CONGRUENT) mistakes = mistakes + 1
  call MPI_Comm_free(twin, ierror)
  if (mistakes == 0) print '(a)', 'fine'
  call MPI_Finalize(ierror)
contains
  subroutine twice_the_sum(in, inout, len, type)
    integer :: len, type, in(len), inout(len)
    inout = 2 * (in + inout)
  end subroutine
end program
