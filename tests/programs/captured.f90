! SPDX-License-Identifier: BSD-3-Clause
! For `orrery capture`: Fortran enters MPI elsewhere than C. Two ranks or more.
program captured
  use mpi
  implicit none
  integer :: rank, ranks, error, half
  integer :: request(2), statuses(MPI_STATUS_SIZE, 2)
  double precision :: in(100), out(100)
  out = 1
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
  call MPI_Irecv(in, 100, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, request(1), error)
  call MPI_Isend(out, 100, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 1, MPI_COMM_WORLD, request(2), error)
  call MPI_Waitall(2, request, statuses, error)
  call MPI_Allreduce(MPI_IN_PLACE, out, 100, MPI_DOUBLE_PRECISION, MPI_SUM, half, error)
  if (rank == 0) call MPI_Recv(in, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  if (rank == 1) call MPI_Send(out, 50, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program captured
