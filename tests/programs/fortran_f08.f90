! SPDX-License-Identifier: BSD-3-Clause
! What only mpi_f08 has: handle types, functions of the program that get them, c_ptr. Prints "fine".
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
  integer :: rank, size, i, n, mistakes = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
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
