! SPDX-License-Identifier: BSD-3-Clause
! mpif.h in fixed form: attributes of MPI-1, its routines that were removed, several types through one routine, a profiling routine. Prints "fine".
      program fortran_mpif
      implicit none
      include 'mpif.h'
      integer rank, size, ierror, key, value, dup, i, mistakes, sums(3)
      double precision x(4), y(4)
      logical flag
      external copy, drop
      integer calls
      common /counted/ calls
      integer type, lengths(2), places(2), types(2)
      data lengths /2, 1/, places /0, 24/, types /MPI_INTEGER, MPI_UB/
      mistakes = 0
      calls = 0
      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
      call MPI_KEYVAL_CREATE(copy, drop, key, 3, ierror)
      call MPI_ATTR_PUT(MPI_COMM_WORLD, key, -7, ierror)
      call MPI_COMM_DUP(MPI_COMM_WORLD, dup, ierror)
      call MPI_ATTR_GET(dup, key, value, flag, ierror)
      if (.not. flag .or. value .ne. -4) mistakes = mistakes + 1
      call MPI_COMM_FREE(dup, ierror)
      call MPI_KEYVAL_CREATE(MPI_DUP_FN, MPI_NULL_DELETE_FN, key, 0,
     &                       ierror)
      call MPI_ATTR_PUT(MPI_COMM_SELF, key, 99, ierror)
      call MPI_COMM_DUP(MPI_COMM_SELF, dup, ierror)
      call MPI_ATTR_GET(dup, key, value, flag, ierror)
      if (.not. flag .or. value .ne. 99) mistakes = mistakes + 1
      sums(1) = rank
      call MPI_ALLREDUCE(MPI_IN_PLACE, sums, 1, MPI_INTEGER, MPI_MAX,
     &                   MPI_COMM_WORLD, ierror)
      if (sums(1) .ne. size - 1) mistakes = mistakes + 1
      do 10 i = 1, 4
 10     x(i) = i * (rank + 1)
      call MPI_REDUCE(x, y, 4, MPI_DOUBLE_PRECISION, MPI_SUM, 0,
     &                MPI_COMM_WORLD, ierror)
      if (rank .eq. 0 .and. abs(y(4) - 2d0 * size * (size + 1)) .gt. 0)
     &  mistakes = mistakes + 1
      call MPI_TYPE_STRUCT(2, lengths, places, types, type, ierror)
      call MPI_TYPE_EXTENT(type, value, ierror)
      if (value .ne. 24) mistakes = mistakes + 1
      call MPI_TYPE_FREE(type, ierror)
      call MPI_BARRIER(MPI_COMM_WORLD, ierror)
      if (calls .ne. 1) mistakes = mistakes + 1
      if (MPI_WTIME() .lt. 0d0) mistakes = mistakes + 1
      if (mistakes .eq. 0) print '(a)', 'fine'
      call MPI_FINALIZE(ierror)
      end

! Takes the place of the library's routine, which it calls by its other name.
      subroutine MPI_BARRIER(comm, ierror)
      implicit none
      integer comm, ierror, calls
      common /counted/ calls
      calls = calls + 1
      call PMPI_BARRIER(comm, ierror)
      end

      subroutine copy(comm, key, extra, in, out, flag, ierror)
      implicit none
      include 'mpif.h'
      integer comm, key, extra, in, out, ierror
      logical flag
      out = in + extra
      flag = .true.
      ierror = MPI_SUCCESS
      end

      subroutine drop(comm, key, value, extra, ierror)
      implicit none
      include 'mpif.h'
      integer comm, key, value, extra, ierror
      ierror = MPI_SUCCESS
      end
