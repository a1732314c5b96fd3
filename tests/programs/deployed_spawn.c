/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank spawns two more of itself, which make another number of collective calls than it does; prints "ok". */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent, between;
  MPI_Comm_get_parent(&parent);
  const int is_first = parent == MPI_COMM_NULL;
  if (is_first)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between, MPI_ERRCODES_IGNORE);
  int one = 1, sum = 0;
  for (int i = 0; i < (is_first ? 1 : 3); ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_disconnect(is_first ? &between : &parent);
  if (is_first) puts(sum == 1 ? "ok" : "a wrong sum");
  MPI_Finalize();
  return 0;
}
