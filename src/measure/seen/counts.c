/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <string.h>

#include "seen.h"

static struct sent* sent;
static int counting, ranks;

void seen_begin(void) {
  memset(sent, 0, (size_t)ranks * sizeof *sent);
  counting = 1;
}
void seen_end(void) { counting = 0; }

void seen_message(int destination, size_t bytes) {
  if (!counting) return;
  sent[destination].messages++;
  sent[destination].bytes += (long long)bytes;
}

/* To each rank a message, so that its endpoint is known, and another one, which is counted where messages can be seen.
 */
static int sees(int to, int from) {
  char out = 0, in;
  ucx_expect(to);
  MPI_Sendrecv(&out, 1, MPI_CHAR, to, 77, &in, 1, MPI_CHAR, from, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ucx_expect(-1);
  seen_begin();
  MPI_Sendrecv(&out, 1, MPI_CHAR, to, 5, &in, 1, MPI_CHAR, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  seen_end();
  return sent[to].messages == 1 && sent[to].bytes == 1;
}

void seen_set_up(struct sent* destinations, int* visible, int rank, int size) {
  int d;
  sent = destinations;
  ranks = size;
  for (d = 1; d < size; d++) visible[(rank + d) % size] = sees((rank + d) % size, (rank - d + size) % size);
}
