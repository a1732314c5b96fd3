/* SPDX-License-Identifier: BSD-3-Clause
 * CHECK of the programs that are compiled for other interfaces: what is not true ends the run. `rank` is the caller's.
 */
#include <mpi.h>
#include <stdio.h>

#define CHECK(what)                                       \
  do {                                                    \
    if (!(what)) {                                        \
      printf("%d: line %d: %s\n", rank, __LINE__, #what); \
      fflush(stdout);                                     \
      MPI_Abort(MPI_COMM_WORLD, 1);                       \
    }                                                     \
  } while (0)
