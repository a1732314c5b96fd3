! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08 of MPI-4: sections of arrays without copies, large counts, partitions, lengths of values. Prints "fine".
program fortran_f08_mpi4
  use mpi_f08
  implicit none
  integer :: rank, size, left, right, i, mistakes = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  call sections
  call planes
  call large_counts
  call partitions
  call values
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

  subroutine values
    type(MPI_Info) :: info
    character(len=20) :: value
    integer :: length
    logical :: flag
    call MPI_Info_create(info)
    call MPI_Info_set(info, ' key ', '  a value ')
    length = len(value)
    call MPI_Info_get_string(info, 'key', length, value, flag)
    call expect(flag .and. value == 'a value' .and. length == 7, 'the length of a value')
    call MPI_Info_free(info)
  end subroutine
end program
