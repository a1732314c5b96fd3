! SPDX-License-Identifier: BSD-3-Clause
! As groups.c, by the module of orrery/groups.f90.
include 'orrery/groups.f90'

program groups
  use mpi
  use orrery_groups
  implicit none
  integer :: rank, ranks_there, code, colour, comm, own, total
  integer, allocatable :: ranks(:), mine(:)
  character(len=:), allocatable :: cores
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks_there, code)
  if (rank == 0 .and. orrery_group_error() /= '') print '(a)', orrery_group_error()
  do colour = 0, orrery_group_count() - 1
    call orrery_group_comm(colour, comm, code)
    if (code /= MPI_SUCCESS) print '(a,i0,a,i0)', 'rank ', rank, ': code ', code
    own = 0
    if (comm /= MPI_COMM_NULL) then
      call MPI_Allreduce(rank, own, 1, MPI_INTEGER, MPI_SUM, comm, code)
      call MPI_Comm_rank(comm, total, code)
      if (total /= 0) own = 0
      call MPI_Comm_free(comm, code)
    end if
    call MPI_Reduce(own, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, code)
    if (orrery_group_colour(orrery_group_name(colour)) /= colour) print '(a)', 'another colour'
    if (rank /= 0) cycle
    ranks = orrery_group_ranks(colour)
    cores = orrery_group_fact(colour, 'asked_cores')
    if (cores == '') cores = '-'
    print '(i0,a,i0,a,i0,a,*(1x,i0))', colour, ' '//orrery_group_name(colour)//' in ', orrery_group_parent(colour), &
      ' at ', orrery_group_depth(colour), ':', ranks
    print '(a,i0,a)', 'sum ', total, ' cores '//cores
  end do
  colour = orrery_group_mine(orrery_innermost)
  allocate (mine(ranks_there))
  call MPI_Gather(colour, 1, MPI_INTEGER, mine, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
  if (rank == 0) print '(a,*(1x,i0))', 'innermost:', mine
  if (rank == 0) print '(a,2(1x,i0))', 'no such:', orrery_group_colour('nobody'), orrery_group_size(999)
  call MPI_Finalize(code)
end program
