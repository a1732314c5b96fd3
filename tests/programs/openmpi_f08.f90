! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08 of Open MPI, whose module leaves code and constants in a library: handles, variables that stand for something,
! functions of the library, windows, files, processes. Prints "fine".
module functions
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: handled = 0
contains
  subroutine on_error(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    if (comm == MPI_COMM_SELF .and. code /= MPI_SUCCESS) handled = handled + 1
  end subroutine
  ! The bytes of what it gets, whatever that is.
  integer function bytes_of(what)
    class(*), intent(in) :: what
    bytes_of = storage_size(what) / 8
  end function
end module

program openmpi_f08
  use functions
  implicit none
  integer :: rank, size, i, n, mistakes = 0
  logical :: flag
  type(MPI_Comm) :: parent
  call MPI_Init()
  call MPI_Comm_get_parent(parent)
  if (parent /= MPI_COMM_NULL) call spawned
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call handles
  call messages
  call attributes
  call errors
  call graphs
  call windows
  call files
  call processes
  call MPI_Allreduce(MPI_IN_PLACE, mistakes, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (mistakes == 0) print '(a)', 'fine'
  call MPI_Finalize()
contains
  subroutine expect(is_so, what)
    logical, intent(in) :: is_so
    character(len=*), intent(in) :: what
    if (is_so) return
    mistakes = mistakes + 1
    print *, 'rank', rank, 'wrong: ', what
  end subroutine

  subroutine handles
    type(MPI_Comm) :: twin
    type(MPI_Status) :: status
    integer :: bytes
    real(kind=8) :: x(2, 2)
    complex(kind=4) :: z
    call MPI_Comm_dup(MPI_COMM_WORLD, twin)
    call expect(twin /= MPI_COMM_WORLD .and. .not. twin == MPI_COMM_WORLD, 'two communicators')
    call expect(bytes_of(twin) == 4 .and. bytes_of(MPI_REAL) == 4 .and. bytes_of(status) == 24, 'sizes of types')
    call MPI_Comm_free(twin)
    call expect(twin == MPI_COMM_NULL, 'a freed communicator')
    call MPI_Sizeof(x, bytes)
    call expect(bytes == 8, 'the size of a double')
    call MPI_Sizeof(z, bytes)
    call expect(bytes == 8, 'the size of a complex')
  end subroutine

  subroutine messages
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status
    type(MPI_Datatype) :: column
    integer :: sent(3, 4), got(3, 4)
    sent = reshape([(i + 100 * rank, i=1, 12)], [3, 4])
    got = 0
    call MPI_Type_vector(4, 1, 3, MPI_INTEGER, column)
    call MPI_Type_commit(column)
    call MPI_Irecv(got, 1, column, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(sent, 1, column, modulo(rank + 1, size), 9, MPI_COMM_WORLD, requests(2))
    call MPI_Wait(requests(1), status)
    n = modulo(rank - 1, size)
    call expect(status%MPI_SOURCE == n .and. status%MPI_TAG == 9, 'a status')
    call MPI_Get_count(status, column, i)
    call expect(i == 1, 'a count')
    call expect(all(got(1, :) == [1, 4, 7, 10] + 100 * n) .and. all(got(2, :) == 0), 'a column')
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
    call expect(all([requests(1) == MPI_REQUEST_NULL, requests(2) == MPI_REQUEST_NULL]), 'requests that are done')
    call MPI_Irecv(got, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, requests(1))
    call MPI_Cancel(requests(1))
    call MPI_Wait(requests(1), status)
    call MPI_Test_cancelled(status, flag)
    call expect(flag, 'a receive that was cancelled')
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_Type_free(column)
  end subroutine

  ! Functions that the library predefines.
  subroutine attributes
    type(MPI_Comm) :: dup
    integer :: copied, kept
    integer(kind=MPI_ADDRESS_KIND) :: value
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, copied, 0_MPI_ADDRESS_KIND)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, kept, 0_MPI_ADDRESS_KIND)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, copied, 5000000000_MPI_ADDRESS_KIND)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, kept, 7_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_WORLD, dup)
    call MPI_Comm_get_attr(dup, copied, value, flag)
    call expect(flag .and. value == 5000000000_MPI_ADDRESS_KIND, 'a copied attribute')
    call MPI_Comm_get_attr(dup, kept, value, flag)
    call expect(.not. flag, 'an attribute that is not copied')
    call MPI_Comm_free(dup)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
    call expect(flag .and. value >= 32767, 'the largest tag')
  end subroutine

  subroutine errors
    type(MPI_Errhandler) :: handler
    integer :: code, class
    call MPI_Comm_create_errhandler(on_error, handler)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler)
    call MPI_Send(i, 1, MPI_INTEGER, 5, 0, MPI_COMM_SELF, code)
    call MPI_Error_class(code, class)
    call expect(handled == 1 .and. class == MPI_ERR_RANK, 'an error handled')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
    call MPI_Errhandler_free(handler)
  end subroutine

  subroutine graphs
    type(MPI_Comm) :: ring
    integer :: in, out
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [modulo(rank - 1, size)], MPI_UNWEIGHTED, 1, &
                                        [modulo(rank + 1, size)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring)
    call MPI_Dist_graph_neighbors_count(ring, in, out, flag)
    call expect(in == 1 .and. out == 1 .and. .not. flag, 'a graph without weights')
    call MPI_Comm_free(ring)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, [0], MPI_WEIGHTS_EMPTY, 0, [0], MPI_WEIGHTS_EMPTY, &
                                        MPI_INFO_NULL, .false., ring)
    call MPI_Dist_graph_neighbors_count(ring, in, out, flag)
    call expect(in == 0 .and. out == 0 .and. flag, 'an empty graph with weights')
    call MPI_Comm_free(ring)
  end subroutine

  subroutine windows
    type(MPI_Win) :: win
    type(c_ptr) :: base
    integer, pointer :: cells(:)
    call MPI_Win_allocate(16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, cells, [4])
    cells = -1
    call MPI_Win_fence(0, win)
    call MPI_Put(rank, 1, MPI_INTEGER, modulo(rank + 1, size), 2_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call expect(all(cells == [-1, -1, modulo(rank - 1, size), -1]), 'a put')
    call MPI_Win_free(win)
    call expect(win == MPI_WIN_NULL, 'a freed window')
  end subroutine

  subroutine files
    type(MPI_File) :: file
    type(MPI_Status) :: status
    character(len=200) :: name
    integer :: got
    call get_command_argument(1, name)
    call MPI_File_open(MPI_COMM_WORLD, trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file)
    call MPI_File_write_at_all(file, 4_MPI_OFFSET_KIND * rank, rank, 1, MPI_INTEGER, status)
    call MPI_Get_count(status, MPI_INTEGER, n)
    call expect(n == 1, 'an integer written')
    call MPI_File_sync(file)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_read_at(file, 4_MPI_OFFSET_KIND * modulo(rank + 1, size), got, 1, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect(got == modulo(rank + 1, size), 'an integer read')
    call MPI_File_close(file)
    call expect(file == MPI_FILE_NULL, 'a closed file')
  end subroutine

  subroutine processes
    type(MPI_Comm) :: children
    character(len=500) :: self
    call get_command_argument(0, self)
    call MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE)
    if (rank == 0) call MPI_Recv(n, 1, MPI_INTEGER, 0, 4, children, MPI_STATUS_IGNORE)
    if (rank == 0) call expect(n == 42, 'a message of a child')
    call MPI_Comm_disconnect(children)
  end subroutine

  subroutine spawned
    call MPI_Send(42, 1, MPI_INTEGER, 0, 4, parent)
    call MPI_Comm_disconnect(parent)
    call MPI_Finalize()
    stop
  end subroutine
end program
