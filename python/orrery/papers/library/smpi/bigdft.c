// SPDX-License-Identifier: BSD-3-Clause
// The pattern of BigDFT (section 6): bursts of computation of regular length, and collective calls of all ranks between them,
// over work arrays that are large. It computes nothing, so its arrays are shared by all ranks where Orrery runs it.
//
//   bigdft ITERATIONS MIB_PER_RANK
//
// Orbitals are spread over the ranks. To make them orthogonal each rank needs a part of all of them: the array is
// transposed (alltoallv), the matrix of overlaps summed (allreduce), and the array transposed back. The density is summed
// over all (allreduce), Poisson's equation solved on slabs (alltoallv), energies summed, and the next step told (bcast).
#include <mpi.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARRAYS = 10, MATRIX = 256 * 256, SLAB = 1 << 15, PAGE = 4096 };

// Seconds of a processor of speed 1, about a GFlop/s.
static const double seconds_per_value = 40e-9;  // of the Hamiltonian, which is a sum over some 40 neighbours
static const double seconds_per_overlap = 2e-9;

static int rank, size;

static void* work_array(size_t bytes) {
  char* array = ORRERY_SHARED_MALLOC(bytes);
  if (array == NULL) {
    fprintf(stderr, "rank %d: no room for %zu bytes\n", rank, bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (size_t i = 0; i < bytes; i += PAGE) array[i] = 0;
  return array;
}

// Sends values to all others and gets as many; how many to each differs a little, as orbitals do not divide evenly.
static void transpose(const double* from, double* to, const int* counts, const int* places) {
  MPI_Alltoallv(from, counts, places, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int iterations = argc > 1 ? atoi(argv[1]) : 4;
  const double mib = argc > 2 ? atof(argv[2]) : 568;

  const size_t values = (size_t)(mib * 1048576 / ARRAYS / sizeof(double));
  double* array[ARRAYS];
  for (int i = 0; i < ARRAYS; ++i) array[i] = work_array(values * sizeof(double));
  double* overlaps = work_array(MATRIX * sizeof(double));
  int* counts = malloc((size_t)size * sizeof(int));
  int* places = malloc((size_t)size * sizeof(int));
  const int each = (int)(values / 4 / (size_t)size);  // a group of orbitals at a time
  for (int other = 0, place = 0; other < size; ++other) {
    counts[other] = each - (rank + other) % 8;
    places[other] = place;
    place += counts[other];
  }

  int right = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int step = 0; step < iterations; ++step) {
    ORRERY_COMPUTE((double)values * seconds_per_value);
    transpose(array[0], array[1], counts, places);
    ORRERY_COMPUTE((double)values * seconds_per_overlap);
    MPI_Allreduce(MPI_IN_PLACE, overlaps, MATRIX, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    transpose(array[1], array[0], counts, places);
    MPI_Allreduce(MPI_IN_PLACE, array[2], SLAB, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    ORRERY_COMPUTE((double)values * seconds_per_overlap);
    transpose(array[3], array[4], counts, places);
    double energies[4] = {step, rank, 0, 0};
    MPI_Allreduce(MPI_IN_PLACE, energies, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(energies, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    right &= energies[0] == (double)step * size && energies[1] == size * (size - 1) / 2.0;
  }
  const double took = MPI_Wtime() - start;
  int all_right = 0;
  MPI_Reduce(&right, &all_right, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\nloop: %.9f s\n", all_right ? "check: ok" : "energies are wrong", took);

  free(places);
  free(counts);
  ORRERY_SHARED_FREE(overlaps);
  for (int i = 0; i < ARRAYS; ++i) ORRERY_SHARED_FREE(array[i]);
  MPI_Finalize();
  return 0;
}
