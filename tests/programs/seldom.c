/* SPDX-License-Identifier: BSD-3-Clause
 * What other programs here do not do: collectives of all kinds on parts of the ranks, blocking, immediate and
 * persistent; waits for some, requests that are cancelled or forgotten, atomic accesses to a file. For traces: nothing
 * is looked at. */
#include <mpi.h>
#include <stdio.h>

enum { MANY = 600 };

static int here[64 * MANY], there[64 * MANY], counts[64], at[64], sizes[64];
static MPI_Datatype types[64];

static void work(int amount) {
  volatile double x = 1;
  for (int i = 0; i < 20000 * amount; ++i) x = x * 1.0000001;
}

static void blocking(MPI_Comm comm) {
  MPI_Bcast(here, MANY, MPI_INT, 0, comm);
  MPI_Reduce(here, there, MANY, MPI_INT, MPI_SUM, 0, comm);
  MPI_Scan(here, there, MANY, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(here, there, MANY, MPI_INT, MPI_SUM, comm);
  MPI_Gather(here, MANY, MPI_INT, there, MANY, MPI_INT, 0, comm);
  MPI_Scatter(here, MANY, MPI_INT, there, MANY, MPI_INT, 0, comm);
  MPI_Reduce_scatter(here, there, counts, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(here, there, MANY, MPI_INT, MPI_SUM, comm);
  MPI_Alltoallv(here, counts, at, MPI_INT, there, counts, at, MPI_INT, comm);
  MPI_Alltoallw(here, counts, sizes, types, there, counts, sizes, types, comm);
}

static void immediate(MPI_Comm comm, int rank) {
  MPI_Request all[6];
  MPI_Iallgather(here, MANY, MPI_INT, there, MANY, MPI_INT, comm, &all[0]);
  MPI_Ireduce_scatter_block(here, there, MANY, MPI_INT, MPI_SUM, comm, &all[1]);
  MPI_Iscan(here, there, MANY, MPI_INT, MPI_SUM, comm, &all[2]);
  work(1 + rank);
  MPI_Igatherv(here, counts[0], MPI_INT, there, counts, at, MPI_INT, 0, comm, &all[3]);
  MPI_Iscatterv(here, counts, at, MPI_INT, there, counts[0], MPI_INT, 0, comm, &all[4]);
  MPI_Ialltoallv(here, counts, at, MPI_INT, there, counts, at, MPI_INT, comm, &all[5]);
  MPI_Waitall(6, all, MPI_STATUSES_IGNORE);
}

static void persistent(MPI_Comm comm, int rank) {
  MPI_Request both[2];
  MPI_Bcast_init(here, MANY, MPI_INT, 0, comm, MPI_INFO_NULL, &both[0]);
  MPI_Alltoall_init(here, MANY, MPI_INT, there, MANY, MPI_INT, comm, MPI_INFO_NULL, &both[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, both);
    work(rank);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
}

/* Each rank hears of all others in the order in which they come. */
static void some(MPI_Comm comm, int rank, int size) {
  MPI_Request from[64], never, forgotten;
  int done[64], left = size - 1, count;
  for (int i = 0; i < size - 1; ++i) MPI_Irecv(&there[i], 1, MPI_INT, MPI_ANY_SOURCE, 4, comm, &from[i]);
  MPI_Irecv(&there[size], 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, &never);
  work(1 + 3 * rank);
  for (int other = 0; other < size; ++other) {
    if (other == rank) continue;
    MPI_Isend(&here[other], 1, MPI_INT, other, 4, comm, &forgotten);
    MPI_Request_free(&forgotten);
  }
  while (left > 0) {
    MPI_Waitsome(size - 1, from, &count, done, MPI_STATUSES_IGNORE);
    left -= count;
  }
  MPI_Cancel(&never);
  MPI_Wait(&never, MPI_STATUS_IGNORE);
}

static void file(MPI_Comm comm, int rank) {
  MPI_File it;
  MPI_File_open(comm, "seldom.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &it);
  MPI_File_set_atomicity(it, 1);
  MPI_File_write_at(it, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&it);
}

int main(int argc, char** argv) {
  int world, rank, size;
  MPI_Comm part;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  MPI_Comm_split(MPI_COMM_WORLD, world % 2, -world, &part);
  MPI_Comm_rank(part, &rank);
  MPI_Comm_size(part, &size);
  for (int i = 0; i < 64; ++i) {
    counts[i] = MANY / 2;
    at[i] = i * MANY;
    sizes[i] = at[i] * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  blocking(part);
  immediate(part, rank);
  persistent(MPI_COMM_WORLD, world);
  some(part, rank, size);
  file(MPI_COMM_WORLD, world);
  MPI_Comm_free(&part);
  MPI_Finalize();
  return 0;
}
