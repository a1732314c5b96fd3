! SPDX-License-Identifier: BSD-3-Clause
! What a Fortran program that was compiled with MPICH's mpif.h asks of libmpifort.so.12; prints "fine" on each rank.
! Values as in MPICH 4.0.2's mpif.h.
      program main
      implicit none
      integer world, int, sum, any_source, any_tag, tag_ub
      parameter (world = 1140850688, int = 1275069467)
      parameter (sum = 1476395011, any_source = -2, any_tag = -1)
      parameter (tag_ub = 1681915906)
      integer bottom, in_place, status_ignore(5)
      common /mpipriv1/ bottom, in_place, status_ignore
      save /mpipriv1/
      integer ierror, rank, ranks, total, got, status(5), request, twin
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
!     The third and fourth of a status: source and tag.
      if (got .ne. mod(rank + ranks - 1, ranks)) stop 2
      if (status(3) .ne. got .or. status(4) .ne. 7) stop 3
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
      if (twin .ne. 67108864) stop 7
      print '(a)', 'fine'
      call mpi_finalize(ierror)
      end
