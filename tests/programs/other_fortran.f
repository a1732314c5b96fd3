! SPDX-License-Identifier: BSD-3-Clause
! What a Fortran program that was compiled with another MPI's mpif.h asks of that MPI's library; prints "fine" on each rank.
! interface.h has what that mpif.h has: values of constants, and common blocks.
      program main
      implicit none
      include 'interface.h'
      integer ierror, rank, ranks, total, got, request, twin
      integer status(status_size)
      logical flag
      integer (kind=8) bound
      character*32 name
      call mpi_init(ierror)
      call mpi_comm_rank(world, rank, ierror)
      call mpi_comm_size(world, ranks, ierror)
      total = rank + 1
      call mpi_allreduce(in_place, total, 1, int, sum, world, ierror)
      if (total .ne. ranks * (ranks + 1) / 2) stop 1
      call mpi_irecv(got, 1, int, any_source, any_tag, world,
     &               request, ierror)
      call mpi_send(rank, 1, int, mod(rank + 1, ranks), 7, world,
     &              ierror)
      call mpi_wait(request, status, ierror)
      if (got .ne. mod(rank + ranks - 1, ranks)) stop 2
      if (status(source) .ne. got .or. status(tag) .ne. 7) stop 3
      call mpi_sendrecv(rank, 1, int, rank, 1, got, 1, int, rank, 1,
     &                  world, status_ignore, ierror)
      if (got .ne. rank) stop 4
      call mpi_comm_get_attr(world, tag_ub, bound, flag, ierror)
      if (.not. flag .or. bound .lt. 32767) stop 5
      call mpi_comm_dup(world, twin, ierror)
      call mpi_comm_set_name(twin, 'twin', ierror)
      call mpi_comm_get_name(twin, name, got, ierror)
      if (name .ne. 'twin' .or. got .ne. 4) stop 6
      call mpi_comm_free(twin, ierror)
      if (twin .ne. comm_null) stop 7
      print '(a)', 'fine'
      call mpi_finalize(ierror)
      end
