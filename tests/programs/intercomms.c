/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators within and between halves of the world, with persistent and immediate collectives. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, size, part, parts;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half, between, merged, again;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  /* Leaders have the largest ranks of the halves, as the order in them is turned around. */
  const int last_even = (size - 1) / 2 * 2, last_odd = (size / 2) * 2 - 1;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? last_odd : last_even, 5, &between);
  MPI_Comm_rank(half, &part);
  MPI_Comm_size(half, &parts);
  double give[16] = {rank}, take[16 * 64];
  MPI_Allreduce(give, take, 16, MPI_DOUBLE, MPI_SUM, half);
  MPI_Allgather(give, 1, MPI_DOUBLE, take, 1, MPI_DOUBLE, between);
  MPI_Bcast(give, 4, MPI_DOUBLE, rank % 2 == 0 ? (part == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, between);
  MPI_Sendrecv(give, 3, MPI_DOUBLE, (part + 1) % parts, 1, take, 3, MPI_DOUBLE, (part + parts - 1) % parts, 1, half,
               MPI_STATUS_IGNORE);
  MPI_Comm_dup(half, &again);
  MPI_Request requests[3];
  MPI_Iallreduce(give, take, 8, MPI_DOUBLE, MPI_MAX, again, &requests[0]);
  MPI_Ibarrier(half, &requests[1]);
  MPI_Ialltoall(give, 1, MPI_DOUBLE, take + 512, 1, MPI_DOUBLE, half, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Request persistent[2];
  MPI_Allreduce_init(give, take, 2, MPI_DOUBLE, MPI_SUM, half, MPI_INFO_NULL, &persistent[0]);
  MPI_Send_init(give, 2, MPI_DOUBLE, (part + 1) % parts, 9, half, &persistent[1]);
  for (int i = 0; i < 5; ++i) {
    MPI_Startall(2, persistent);
    MPI_Recv(take + 100, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 9, half, MPI_STATUS_IGNORE);
    MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&persistent[0]);
  MPI_Request_free(&persistent[1]);
  MPI_Intercomm_merge(between, rank % 2, &merged);
  MPI_Barrier(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&again);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
