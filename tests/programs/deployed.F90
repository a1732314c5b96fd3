! SPDX-License-Identifier: BSD-3-Clause
! Collective calls with the sentinels of Fortran, which are other addresses than those of C: "ok" if all results are right.
! By the module mpi, or with F08 defined by mpi_f08, whose bindings have other entry points.
#ifdef F08
#define MODULE mpi_f08
#define DATATYPE type(MPI_Datatype)
#else
#define MODULE mpi
#define DATATYPE integer
#endif
program deployed
  use MODULE
  implicit none
  integer, parameter :: n = 100
  integer :: code, me, ranks, i, from, wrong, all, lengths(1)
  DATATYPE :: types(1), bottom
  integer(kind=mpi_address_kind) :: where(1)
  double precision :: sums(n)
  integer, allocatable :: blocks(:)
  integer :: whole(n)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  wrong = 0
  sums = [(dble(me + i), i = 1, n)]
  call MPI_Allreduce(MPI_IN_PLACE, sums, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
  do i = 1, n
    if (sums(i) /= ranks * (ranks - 1) / 2 + ranks * i) wrong = wrong + 1
  end do
  sums = [(dble(me + i), i = 1, n)]
  if (me == 0) then
    call MPI_Reduce(MPI_IN_PLACE, sums, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, code)
    do i = 1, n
      if (sums(i) /= ranks * (ranks - 1) / 2 + ranks * i) wrong = wrong + 1
    end do
  else
    call MPI_Reduce(sums, sums, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, code)
  end if
  allocate(blocks(n * ranks))
  blocks = -1
  blocks(me * n + 1:(me + 1) * n) = [(1000 * me + i, i = 1, n)]
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, blocks, n, MPI_INTEGER, MPI_COMM_WORLD, code)
  do from = 0, ranks - 1
    do i = 1, n
      if (blocks(from * n + i) /= 1000 * from + i) wrong = wrong + 1
    end do
  end do
  ! A type of absolute addresses, from the bottom of memory.
  whole = me
  lengths(1) = n
  types(1) = MPI_INTEGER
  call MPI_Get_address(whole, where(1), code)
  call MPI_Type_create_struct(1, lengths, where, types, bottom, code)
  call MPI_Type_commit(bottom, code)
  call MPI_Bcast(MPI_BOTTOM, 1, bottom, ranks - 1, MPI_COMM_WORLD, code)
  call MPI_Get_address(whole, where(1), code)
  if (any(whole /= ranks - 1)) wrong = wrong + 1
  call MPI_Type_free(bottom, code)
  call MPI_Reduce(wrong, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, code)
  if (me == 0 .and. all == 0) print '(A)', 'ok'
  if (me == 0 .and. all /= 0) print *, all, 'values are wrong'
  call MPI_Finalize(code)
end program deployed
