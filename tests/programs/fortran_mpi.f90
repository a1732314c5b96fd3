! SPDX-License-Identifier: BSD-3-Clause
! Module mpi: logicals, texts, positions, statuses as arrays, functions of the program. Prints "fine".
program fortran_mpi
  use mpi
  implicit none
  integer :: rank, size, i, n, ierror, mistakes = 0, handled = 0
  logical :: flag
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call texts
  call positions
  call bottom
  call operations
  call errors
  call kinds
  call persistent
  call generalized
  call MPI_Allreduce(MPI_IN_PLACE, mistakes, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (mistakes == 0) print '(a)', 'fine'
  call MPI_Finalize(ierror)
contains
  subroutine expect(is_so, what)
    logical, intent(in) :: is_so
    character(len=*), intent(in) :: what
    if (is_so) return
    mistakes = mistakes + 1
    print *, 'rank', rank, 'wrong: ', what
  end subroutine

  subroutine texts
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=5) :: short
    character(len=20) :: value
    integer :: info
    call MPI_Comm_set_name(MPI_COMM_SELF, '  two words   ', ierror)
    name = 'x'
    call MPI_Comm_get_name(MPI_COMM_SELF, name, n, ierror)
    call expect(name == '  two words' .and. n == 11, 'a name')
    call MPI_Comm_get_name(MPI_COMM_SELF, short, n, ierror)
    call expect(short == '  two', 'a name that is cut')
    call MPI_Info_create(info, ierror)
    call MPI_Info_set(info, ' key ', '  a value ', ierror)
    call MPI_Info_get(info, 'key', 20, value, flag, ierror)
    call expect(flag .and. value == 'a value', 'a value without blanks around it')
    call MPI_Info_get(info, 'none', 20, value, flag, ierror)
    call expect(.not. flag, 'a key that is not there')
    call MPI_Info_free(info, ierror)
    call expect(info == MPI_INFO_NULL, 'a freed info')
  end subroutine

  ! Positions count from 1.
  subroutine positions
    integer :: requests(3), statuses(MPI_STATUS_SIZE, 3), status(MPI_STATUS_SIZE), at(3), in(3)
    requests = MPI_REQUEST_NULL
    call MPI_Irecv(in(2), 1, MPI_INTEGER, rank, 7, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Send([42], 1, MPI_INTEGER, rank, 7, MPI_COMM_WORLD, ierror)
    call MPI_Waitany(3, requests, n, status, ierror)
    call expect(n == 2 .and. in(2) == 42, 'the position of what is done')
    call expect(status(MPI_SOURCE) == rank .and. status(MPI_TAG) == 7, 'a status as an array')
    call MPI_Waitany(3, requests, n, status, ierror)
    call expect(n == MPI_UNDEFINED, 'no position')
    call MPI_Irecv(in(1), 1, MPI_INTEGER, rank, 8, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Irecv(in(3), 1, MPI_INTEGER, rank, 8, MPI_COMM_WORLD, requests(3), ierror)
    call MPI_Send([43], 1, MPI_INTEGER, rank, 8, MPI_COMM_WORLD, ierror)
    call MPI_Waitsome(3, requests, n, at, statuses, ierror)
    call expect(n == 1 .and. at(1) == 1 .and. in(1) == 43, 'positions of what is done')
    call expect(statuses(MPI_TAG, 1) == 8, 'statuses as an array')
    call MPI_Testany(3, requests, n, flag, MPI_STATUS_IGNORE, ierror)
    call expect(.not. flag .and. n == MPI_UNDEFINED, 'nothing is done')
    call MPI_Cancel(requests(3), ierror)
    call MPI_Wait(requests(3), status, ierror)
    call MPI_Test_cancelled(status, flag, ierror)
    call expect(flag, 'a receive that was cancelled')
  end subroutine

  ! Absolute addresses, and a datatype of two variables.
  subroutine bottom
    integer :: type, i1, got
    real(kind=8) :: r1
    integer(kind=MPI_ADDRESS_KIND) :: places(2)
    i1 = rank
    r1 = rank / 2d0
    call MPI_Get_address(i1, places(1), ierror)
    call MPI_Get_address(r1, places(2), ierror)
    call MPI_Type_create_struct(2, [1, 1], places, [MPI_INTEGER, MPI_DOUBLE_PRECISION], type, ierror)
    call MPI_Type_commit(type, ierror)
    call MPI_Bcast(MPI_BOTTOM, 1, type, size - 1, MPI_COMM_WORLD, ierror)
    call MPI_Type_free(type, ierror)
    got = i1
    call expect(got == size - 1, 'an integer by its address')
    call expect(r1 == (size - 1) / 2d0, 'a double by its address')
    call expect(MPI_Aint_diff(MPI_Aint_add(places(1), 4_MPI_ADDRESS_KIND), places(1)) == 4, 'sums of addresses')
  end subroutine

  subroutine operations
    integer :: op
    complex(kind=8) :: z(2), w(2)
    logical :: all_true, commutes
    call MPI_Op_create(product_of_pairs, .true., op, ierror)
    call MPI_Op_commutative(op, commutes, ierror)
    call expect(commutes, 'an operation that commutes')
    z = (0d0, 1d0)
    call MPI_Reduce(z, w, 2, MPI_DOUBLE_COMPLEX, op, 0, MPI_COMM_WORLD, ierror)
    if (rank == 0) call expect(all(abs(w - (0d0, 1d0)**size) < 1d-12), 'a product of complex numbers')
    call MPI_Op_free(op, ierror)
    call MPI_Allreduce(rank == 0, all_true, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierror)
    call expect(all_true, 'logicals reduced')
  end subroutine

  subroutine errors
    integer :: handler, class, kept
    character(len=MPI_MAX_ERROR_STRING) :: text
    call MPI_Comm_create_errhandler(on_error, handler, ierror)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, ierror)
    call MPI_Send([1], 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, ierror)
    kept = ierror
    call expect(handled == 1 .and. kept /= MPI_SUCCESS, 'an error handled')
    call MPI_Error_class(kept, class, ierror)
    call expect(class == MPI_ERR_RANK, 'the class of an error')
    call MPI_Error_string(kept, text, n, ierror)
    call expect(n > 0 .and. text(n:) /= ' ' .and. text(n + 1:) == ' ', 'the text of an error')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierror)
    call MPI_Errhandler_free(handler, ierror)
  end subroutine

  subroutine kinds
    integer :: type, bytes
    integer(kind=8) :: wide
    call MPI_Type_create_f90_real(12, MPI_UNDEFINED, type, ierror)
    call MPI_Type_size(type, bytes, ierror)
    call expect(bytes == 8, 'a real of 12 digits')
    call MPI_Sizeof(wide, bytes, ierror)
    call expect(bytes == 8, 'the size of an integer')
    call MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, type, ierror)
    call expect(type == MPI_INTEGER8, 'the type of a size')
    call MPI_Initialized(flag, ierror)
    call expect(flag, 'MPI is initialised')
    call expect(MPI_Wtime() >= 0d0 .and. MPI_Wtick() > 0d0, 'the clock')
  end subroutine

  subroutine persistent
    integer :: requests(2), in, out
    call MPI_Recv_init(in, 1, MPI_INTEGER, modulo(rank - 1, size), 9, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Send_init(out, 1, MPI_INTEGER, modulo(rank + 1, size), 9, MPI_COMM_WORLD, requests(2), ierror)
    do i = 1, 3
      out = 10 * i + rank
      call MPI_Startall(2, requests, ierror)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
      call expect(in == 10 * i + modulo(rank - 1, size), 'a persistent receive')
    end do
    call MPI_Request_free(requests(1), ierror)
    call MPI_Request_free(requests(2), ierror)
  end subroutine

  ! Its functions get the variable that the program gave as extra state.
  subroutine generalized
    integer :: request, status(MPI_STATUS_SIZE)
    integer(kind=MPI_ADDRESS_KIND), asynchronous :: extra
    extra = 7
    call MPI_Grequest_start(query, free, cancel, extra, request, ierror)
    call MPI_Cancel(request, ierror)
    call MPI_Grequest_complete(request, ierror)
    call MPI_Wait(request, status, ierror)
    call expect(extra == 7 + 1 + 10 + 100, 'the extra state of a generalised request')
    call MPI_Test_cancelled(status, flag, ierror)
    call expect(flag .and. status(MPI_TAG) == 5, 'the status of a generalised request')
  end subroutine

  subroutine query(extra, status, code)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), code
    extra = extra + 1
    status(MPI_TAG) = 5
    call MPI_Status_set_cancelled(status, .true., code)
    call MPI_Status_set_elements(status, MPI_BYTE, 0, code)
  end subroutine

  subroutine free(extra, code)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: code
    extra = extra + 10
    code = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra, complete, code)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: code
    if (.not. complete) extra = extra + 100
    code = MPI_SUCCESS
  end subroutine

  subroutine product_of_pairs(in, inout, len, type)
    integer :: len, type
    complex(kind=8) :: in(len), inout(len)
    if (type == MPI_DOUBLE_COMPLEX) inout = in * inout
  end subroutine

  subroutine on_error(comm, code)
    integer :: comm, code
    if (comm == MPI_COMM_WORLD .and. code /= MPI_SUCCESS) handled = handled + 1
  end subroutine
end program
