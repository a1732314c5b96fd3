/* SPDX-License-Identifier: BSD-3-Clause
   Each group of the job sums the ranks that it has, in a communicator of its own:
     orrery run -n 8 --groups job.toml ./groups                       simulated
     orrery launch --groups job.toml -- mpirun -n 8 ./groups          on another MPI */
#include <mpi.h>
#include <orrery/groups.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int world_rank, colour, rank, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  for (colour = 0; colour < orrery_group_count(); ++colour) {
    MPI_Comm comm;
    if (orrery_group_comm(colour, &comm) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
    if (comm == MPI_COMM_NULL) continue;
    MPI_Reduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) printf("%s: %d ranks, sum %d\n", orrery_group_name(colour), orrery_group_size(colour), sum);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
