/* SPDX-License-Identifier: BSD-3-Clause
   What orrery/groups.h says of the groups of a job, on any MPI; rank 0 prints it. Each communicator of a group is used. */
#include <mpi.h>
#include <orrery/groups.h>
#include <stdio.h>

static int sum_in(int colour, int rank) {
  MPI_Comm comm;
  int sum = -1, code = orrery_group_comm(colour, &comm);
  if (code != MPI_SUCCESS) printf("rank %d: code %d\n", rank, code);
  if (comm == MPI_COMM_NULL) return 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_rank(comm, &code);
  MPI_Comm_free(&comm);
  return code == 0 ? sum : 0;
}

int main(int argc, char **argv) {
  int rank, size, i, colour, ranks[64], mine[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0 && orrery_group_error()[0] != '\0') printf("%s\n", orrery_group_error());
  for (colour = 0; colour < orrery_group_count(); ++colour) {
    int own = sum_in(colour, rank), sum = 0;
    const char *name = orrery_group_name(colour);
    MPI_Reduce(&own, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (orrery_group_colour(name) != colour) printf("%s: another colour\n", name);
    if (rank != 0) continue;
    char cores[16] = "-";
    orrery_group_fact(colour, "asked_cores", cores, sizeof cores);
    printf("%d %s in %d at %d:", colour, name, orrery_group_parent(colour), orrery_group_depth(colour));
    for (i = 0; i < orrery_group_ranks(colour, ranks); ++i) printf(" %d", ranks[i]);
    printf(" sum %d cores %s\n", sum, cores);
  }
  colour = orrery_group_mine(ORRERY_INNERMOST);
  MPI_Gather(&colour, 1, MPI_INT, mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("innermost:");
    for (i = 0; i < size; ++i) printf(" %d", mine[i]);
    printf("\nno such: %d %d %s\n", orrery_group_colour("nobody"), orrery_group_size(999),
           orrery_group_name(-1) ? "name" : "null");
  }
  MPI_Finalize();
  return 0;
}
