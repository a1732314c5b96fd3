/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of drawn sizes between all ranks, each with a digest of its own: digests ROUNDS. Rank 0 prints how many
 * rounds are left when one begins. Ends with 3 when one is wrong. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 3000000 };
static unsigned char out[most + 8], in[most + 8];

static uint64_t next(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

static uint64_t digest(const unsigned char* data, int bytes) {
  uint64_t hash = 14695981039346656037u ^ (uint64_t)bytes;
  for (int i = 0; i < bytes; ++i) hash = (hash ^ data[i]) * 1099511628211u;
  return hash;
}

static int drawn_bytes(uint64_t* state) {
  const uint64_t kind = next(state) % 4;
  return (int)(next(state) % (kind == 0 ? 10 : kind == 1 ? 10000 : kind == 2 ? 200000 : most));
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  uint64_t state = 17, sum = 0;
  for (long round = atol(argv[1]); round > 0; --round) {
    const int bytes = drawn_bytes(&state), to = (rank + 1) % size, from = (rank + size - 1) % size;
    uint64_t content = state + (uint64_t)rank, wanted;
    for (int i = 0; i < bytes; ++i) out[i] = (unsigned char)next(&content);
    wanted = digest(out, bytes);
    memcpy(out + bytes, &wanted, sizeof wanted);
    if (rank == 0) printf("round %ld\n", round), fflush(stdout);
    MPI_Status status;
    int got;
    MPI_Sendrecv(out, bytes + 8, MPI_BYTE, to, 0, in, most + 8, MPI_BYTE, from, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &got);
    memcpy(&wanted, in + got - 8, sizeof wanted);
    if (got != bytes + 8 || digest(in, bytes) != wanted) {
      printf("wrong: rank %d got %d of %d bytes\n", rank, got, bytes + 8);
      fflush(stdout);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
    sum += wanted;
  }
  printf("right: rank %d %llx\n", rank, (unsigned long long)sum), fflush(stdout);
  MPI_Finalize();
  return 0;
}
