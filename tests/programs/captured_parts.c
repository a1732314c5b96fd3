/* SPDX-License-Identifier: BSD-3-Clause
 * For `orrery capture`: partitioned messages round a ring, two pairs with the same tag, partitions that are ready one
 * by one, as a range and as a list, and others on the receiving side. Needs MPI 4.0. */
#include <mpi.h>

enum { starts = 3, sent = 8, received = 4, doubles = 1000 };

static double out[2][sent * doubles], in[2][sent * doubles];

static void ready(MPI_Request first, MPI_Request second) {
  int rest[] = {7, 4, 6, 5};
  MPI_Pready(3, first);
  MPI_Pready_range(0, 2, first);
  MPI_Pready_list(4, rest, first);
  MPI_Pready_range(0, sent - 1, second);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Request requests[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 0; i < 2; ++i) {
    MPI_Psend_init(out[i], sent, doubles, MPI_DOUBLE, next, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
    MPI_Precv_init(in[i], received, sent * doubles / received, MPI_DOUBLE, before, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[2 + i]);
  }
  for (int start = 0; start < starts; ++start) {
    int there = 0;
    MPI_Startall(4, requests);
    ready(requests[0], requests[1]);
    while (!there) MPI_Parrived(requests[2], received - 1, &there);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
