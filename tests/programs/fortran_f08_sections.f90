! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: sections of arrays that are not contiguous, as buffers of calls that are not complete when they return.
! Prints "fine". With an argument: a window of a section, which there cannot be.
program fortran_f08_sections
  use mpi_f08
  implicit none
  integer :: rank, size, left, right, i, mistakes = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  call expect(MPI_SUBARRAYS_SUPPORTED, 'what the module says')
  if (command_argument_count() > 0) call window_of_a_section
  call reductions
  call started_again
  call planes
  call types_with_gaps
  call freed
  call partitions
  call one_sided
  call files
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

  subroutine reductions
    integer, asynchronous :: a(24), b(24), c(12)
    type(MPI_Request) :: request
    a = [(i + 100 * rank, i=1, 24)]
    b = -1
    call MPI_Iallreduce(a(1::2), b(2::2), 12, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    b(1) = -2  ! lies between
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(b(2::2) == [(size * i + 50 * size * (size - 1), i=1, 24, 2)]), 'a sum of sections')
    call expect(b(1) == -2 .and. all(b(3::2) == -1), 'what lies between')
    call MPI_Iallreduce(MPI_IN_PLACE, a(1::2), 12, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(a(1::2) == b(2::2)), 'a sum in place')
    call expect(all(a(2::2) == [(i + 100 * rank, i=2, 24, 2)]), 'what lies between in place')
    c = 0
    call MPI_Ireduce(a(24:2:-2), c, 12, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (rank == 0) call expect(all(c == [(i + 100 * (size - 1), i=24, 2, -2)]), 'a maximum of a section backwards')
    call MPI_Iscan(a(2::2), c, 12, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(c == a(2::2)), 'a scan')
    call MPI_Ireduce_scatter_block(a(2::2), b(1:12 / size), 12 / size, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(b(1) == 2 + 2 * rank * (12 / size), 'a scattered minimum')
  end subroutine

  ! What a persistent request finds in a section whenever it is started.
  subroutine started_again
    integer, asynchronous :: a(24), b(24)
    type(MPI_Request) :: requests(3)
    integer :: round
    b = -1
    call MPI_Allreduce_init(a(1::2), b(1::2), 12, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    call MPI_Send_init(a(2::4), 6, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Recv_init(b(2::4), 6, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(3))
    do round = 1, 3
      a = [(i * round + rank, i=1, 24)]
      call MPI_Startall(3, requests)
      call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
      call expect(all(b(1::2) == [(size * i * round + size * (size - 1) / 2, i=1, 24, 2)]), 'a sum that is started again')
      call expect(all(b(2::4) == [(i * round + left, i=2, 24, 4)]), 'a message that is started again')
      call expect(all(b(4::4) == -1), 'what lies between')
    end do
    do i = 1, 3
      call MPI_Request_free(requests(i))
    end do
  end subroutine

  subroutine planes
    integer, asynchronous :: m(6, 6), g(6, 6), w(16)
    integer, allocatable :: flat(:)
    type(MPI_Request) :: request
    integer :: n
    m = reshape([(i + 100 * rank, i=1, 36)], [6, 6])
    n = 16 / size
    call MPI_Ialltoall(m(1:4, 1:4), n, MPI_INTEGER, w, n, MPI_INTEGER, MPI_COMM_WORLD, request)
    m(5, :) = 0  ! no part of the section
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(w(1) == m(1 + modulo(rank * n, 4), 1 + rank * n / 4) - 100 * rank, 'a plane to all')
    g = 0
    call MPI_Iallgather(w(1:8), 4, MPI_INTEGER, g(1:2 * size, 1:2), 4, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    flat = reshape(g(1:2 * size, 1:2), [4 * size])
    call expect(all(flat(1::4) == [(1 + modulo(i * n, 4) + 6 * (i * n / 4), i=0, size - 1)]), 'all into a plane')
    call expect(count(g /= 0) == 4 * size, 'as many as were sent')
  end subroutine

  ! Every second element of a section of every second element.
  subroutine types_with_gaps
    integer, asynchronous :: a(48), b(48)
    type(MPI_Request) :: requests(2)
    type(MPI_Datatype) :: type
    a = [(i + 100 * rank, i=1, 48)]
    b = -1
    call MPI_Type_vector(3, 1, 2, MPI_INTEGER, type)
    call MPI_Type_commit(type)
    call MPI_Irecv(b(1::2), 2, type, left, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(1::2), 2, type, right, 2, MPI_COMM_WORLD, requests(2))
    b(3) = 7  ! in a gap of the type
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    ! Elements 1, 3, 5 and, as the extent is 5 elements, 6, 8, 10 of the section.
    call expect(all([b(1), b(5), b(9), b(11), b(15), b(19)] == [1, 5, 9, 11, 15, 19] + 100 * left), 'a type with gaps')
    call expect(b(3) == 7 .and. count(b == -1) == 41, 'the gaps')
    call MPI_Type_free(type)
  end subroutine

  ! A request that is freed takes its section along.
  subroutine freed
    integer, asynchronous :: a(20), b(20)
    type(MPI_Request) :: request
    a = rank
    b = -1
    call MPI_Irecv(b(1::2), 10, MPI_INTEGER, left, 3, MPI_COMM_WORLD, request)
    call MPI_Request_free(request)
    call MPI_Send(a(1::2), 10, MPI_INTEGER, right, 3, MPI_COMM_WORLD)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Barrier(MPI_COMM_WORLD)
    call expect(all(b(1::2) == left) .and. all(b(2::2) == -1), 'a freed receive')
  end subroutine

  subroutine partitions
    integer, asynchronous :: a(24), b(24)
    type(MPI_Request) :: requests(2)
    logical :: is_there
    integer :: part
    b = -1
    a = 0
    call MPI_Psend_init(a(1::2), 4, 3_MPI_COUNT_KIND, MPI_INTEGER, right, 4, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    call MPI_Precv_init(b(2::2), 4, 3_MPI_COUNT_KIND, MPI_INTEGER, left, 4, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
    call MPI_Startall(2, requests)
    do part = 0, 3
      a(6 * part + 1:6 * part + 5:2) = [1, 2, 3] + 10 * part + 100 * rank  ! once it is started
      call MPI_Pready(part, requests(1))
      is_there = .false.
      do while (.not. is_there)
        call MPI_Parrived(requests(2), part, is_there)
      end do
      call expect(all(b(6 * part + 2:6 * part + 6:2) == [1, 2, 3] + 10 * part + 100 * left), 'a partition of a section')
    end do
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(b(1::2) == -1), 'what lies between partitions')
    do i = 1, 2
      call MPI_Request_free(requests(i))
    end do
  end subroutine

  subroutine one_sided
    integer, asynchronous :: there(12), a(12), b(12)
    type(MPI_Win) :: window
    type(MPI_Request) :: request
    there = [(i, i=1, 12)]
    a = [(1000 * i, i=1, 12)]
    b = -1
    call MPI_Win_create(there, 48_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
    call MPI_Win_lock_all(0, window)
    call MPI_Get_accumulate(a(1::2), 6, MPI_INTEGER, b(1::2), 6, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 6, MPI_INTEGER, &
                            MPI_SUM, window)
    call MPI_Win_flush(right, window)
    call expect(all(b(1::2) == [(i, i=1, 6)]) .and. all(b(2::2) == -1), 'a result in a section')
    call MPI_Rget(b(2::2), 6, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 6, MPI_INTEGER, window, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(b(2::2) == [(i + 1000 * (2 * i - 1), i=1, 6)]), 'a get into a section')
    call MPI_Win_unlock_all(window)
    call MPI_Win_fence(0, window)
    call MPI_Put(a(2::2), 6, MPI_INTEGER, right, 6_MPI_ADDRESS_KIND, 6, MPI_INTEGER, window)
    call MPI_Win_fence(0, window)
    call expect(all(there(7:12) == [(2000 * i, i=1, 6)]), 'a put of a section')
    call MPI_Win_free(window)
  end subroutine

  subroutine files
    integer, asynchronous :: a(20), b(20)
    type(MPI_File) :: file
    type(MPI_Request) :: request
    integer(kind=MPI_OFFSET_KIND) :: place
    a = [(i + 100 * rank, i=1, 20)]
    b = -1
    place = 40 * rank
    call MPI_File_open(MPI_COMM_WORLD, 'sections', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                       MPI_INFO_NULL, file)
    call MPI_File_iwrite_at(file, place, a(1::2), 10, MPI_INTEGER, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_File_read_at_all_begin(file, place, b(2::2), 10, MPI_INTEGER)
    call MPI_File_read_at_all_end(file, b(2::2), MPI_STATUS_IGNORE)
    call expect(all(b(2::2) == a(1::2)) .and. all(b(1::2) == -1), 'a section of a file')
    call MPI_File_close(file)
  end subroutine

  subroutine window_of_a_section
    integer, asynchronous :: a(20)
    type(MPI_Win) :: window
    a = 0
    call MPI_Win_create(a(1::2), 40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  end subroutine
end program
