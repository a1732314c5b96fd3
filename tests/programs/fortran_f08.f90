! SPDX-License-Identifier: BSD-3-Clause
! What only mpi_f08 has: handle types, sections of arrays without copies, large counts, c_ptr. Prints "fine".
module functions
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: deleted = 0
contains
  ! Not commutative: the last operand wins.
  subroutine last(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    if (datatype /= MPI_INTEGER) b = -1
    b = 10 * a + b
  end subroutine
  subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + extra_state
    flag = oldcomm == MPI_COMM_WORLD
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine
end module

program fortran_f08
  use functions
  implicit none
  integer :: rank, size, left, right, i, n, mistakes = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  call sections
  call planes
  call large_counts
  call partitions
  call operations
  call attributes
  call memory
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

  ! Every second element, by calls that copy and by calls that may not.
  subroutine sections
    integer, asynchronous :: a(20)
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status
    integer :: count
    a = [(i + 100 * rank, i=1, 20)]
    call MPI_Sendrecv_replace(a(1::2), 10, MPI_INTEGER, right, 1, left, 1, MPI_COMM_WORLD, status)
    call expect(all(a(1::2) == [(i + 100 * left, i=1, 20, 2)]), 'a section replaced')
    call expect(all(a(2::2) == [(i + 100 * rank, i=2, 20, 2)]), 'what lies between')
    call expect(status%MPI_SOURCE == left .and. status%MPI_TAG == 1, 'fields of a status')
    call MPI_Get_count(status, MPI_INTEGER, count)
    call expect(count == 10, 'the count of a status')
    call MPI_Irecv(a(1::2), 10, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(20:2:-2), 10, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(a(1::2) == [(i + 100 * left, i=20, 2, -2)]), 'a section sent backwards')
    call expect(all(requests == MPI_REQUEST_NULL), 'requests that are done')
  end subroutine

  ! The inside of a matrix, of which not all rows are sent; blocks of a strided vector gathered.
  subroutine planes
    integer, asynchronous :: m(6, 5), from(2 * size)
    integer, allocatable, asynchronous :: everything(:)
    type(MPI_Request) :: request
    m = reshape([(i + 100 * rank, i=1, 30)], [6, 5])
    if (rank == 0) then
      m = 0
      call MPI_Irecv(m(2:5, 2:4), 7, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call expect(all(m(2:5, 2) == [8, 9, 10, 11] + 100) .and. all(m(2:4, 3) == [14, 15, 16] + 100), 'part of a plane')
      call expect(sum(m) == 8 + 9 + 10 + 11 + 14 + 15 + 16 + 700, 'no more than that part')
    else if (rank == 1) then
      call MPI_Issend(m(2:5, 2:4), 7, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
    end if
    from = -1
    allocate (everything(4 * size), source=-1)
    from(1:3:2) = [rank, rank + 10]
    call MPI_Iallgather(from(1:3:2), 2, MPI_INTEGER, everything(1::2), 2, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(everything(1::4) == [(i, i=0, size - 1)]), 'first of each block')
    call expect(all(everything(3::4) == [(i + 10, i=0, size - 1)]), 'second of each block')
    call expect(all(everything(2::2) == -1), 'what lies between blocks')
  end subroutine

  subroutine large_counts
    integer(kind=MPI_COUNT_KIND) :: count, extent, lower
    type(MPI_Datatype) :: type
    integer :: buffer(4)
    count = 4
    buffer = rank
    call MPI_Bcast(buffer, count, MPI_INTEGER, size - 1, MPI_COMM_WORLD)
    call expect(all(buffer == size - 1), 'a broadcast with a large count')
    count = 3000000000_MPI_COUNT_KIND
    call MPI_Type_contiguous(count, MPI_INTEGER, type)
    call MPI_Type_get_extent_c(type, lower, extent)
    call expect(extent == 4 * count, 'a large extent')
    call MPI_Type_size(type, count)
    call expect(count == 12000000000_MPI_COUNT_KIND, 'a large size')
    call MPI_Type_free(type)
    call expect(type == MPI_DATATYPE_NULL, 'a freed datatype')
  end subroutine

  ! Their counts are of MPI_COUNT_KIND in the only form that there is.
  subroutine partitions
    integer, asynchronous :: a(4), b(4)
    type(MPI_Request) :: requests(2)
    a = [(i + 100 * rank, i=1, 4)]
    call MPI_Psend_init(a, 2, 2_MPI_COUNT_KIND, MPI_INTEGER, right, 3, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    call MPI_Precv_init(b, 1, 4_MPI_COUNT_KIND, MPI_INTEGER, left, 3, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
    call MPI_Startall(2, requests)
    call MPI_Pready_range(0, 1, requests(1))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(b == [(i + 100 * left, i=1, 4)]), 'partitions')
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine

  subroutine operations
    type(MPI_Op) :: op
    integer :: mine, result, expected
    call MPI_Op_create(last, .false., op)
    mine = rank + 1
    call MPI_Allreduce(mine, result, 1, MPI_INTEGER, op, MPI_COMM_WORLD)
    expected = 0
    do i = 1, size
      expected = 10 * expected + i
    end do
    call expect(result == expected, 'an operation of the program')
    call MPI_Op_free(op)
  end subroutine

  subroutine attributes
    type(MPI_Comm) :: dup, again
    integer :: key
    logical :: flag
    integer(kind=MPI_ADDRESS_KIND) :: value
    call MPI_Comm_create_keyval(copy, delete, key, 1000_MPI_ADDRESS_KIND)
    value = 5000000000_MPI_ADDRESS_KIND
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value)
    call MPI_Comm_dup(MPI_COMM_WORLD, dup)
    call MPI_Comm_get_attr(dup, key, value, flag)
    call expect(flag .and. value == 5000001000_MPI_ADDRESS_KIND, 'a copied attribute')
    call MPI_Comm_dup(dup, again)
    call MPI_Comm_get_attr(again, key, value, flag)
    call expect(.not. flag, 'an attribute that was not copied')
    call MPI_Comm_free(dup)
    call MPI_Comm_free(again)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key)
    call expect(deleted == 2, 'attributes deleted')
    call MPI_Comm_free_keyval(key)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
    call expect(flag .and. value >= 32767, 'the largest tag')
  end subroutine

  subroutine memory
    type(c_ptr) :: base, detached
    real(kind=8), pointer :: x(:)
    character(len=MPI_BSEND_OVERHEAD + 100) :: buffer
    integer :: bytes
    call MPI_Alloc_mem(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, base)
    call c_f_pointer(base, x, [10])
    x = 1
    call MPI_Sizeof(x, bytes)
    call expect(bytes == 8, 'the size of a double')
    call MPI_Free_mem(x)
    call MPI_Buffer_attach(buffer, len(buffer))
    call MPI_Buffer_detach(detached, n)
    call expect(c_associated(detached) .and. n == len(buffer), 'a buffer detached')
  end subroutine
end program
