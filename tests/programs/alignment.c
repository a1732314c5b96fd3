/* SPDX-License-Identifier: BSD-3-Clause
 * Memory that MPI provides is as well aligned as the hint mpi_minimum_memory_alignment says (MPI-4.1, sections 9.2 and
 * 12.2.2): of MPI_Alloc_mem, of windows, and of the first part, or all parts, of shared windows. */
#include "check.h"

#include <stdint.h>

static int rank;

static int is_aligned(const void *memory, long bytes) { return (uintptr_t)memory % (uintptr_t)bytes == 0; }

int main(void) {
  static const struct { const char *text; long bytes; } alignments[] = {
    {"64", 64}, {"256", 256}, {"4096", 4096}, {"2097152", 2097152}, {"12", 8}, {"none", 8}};
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t k = 0; k < sizeof alignments / sizeof *alignments; ++k) {
    const long bytes = alignments[k].bytes;
    void *memory[20];
    MPI_Win window;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", alignments[k].text);
    for (int i = 0; i < 20; ++i) { /* kept, so that they lie in different places */
      MPI_Alloc_mem(i * 40, info, &memory[i]);
      CHECK(is_aligned(memory[i], bytes));
    }
    for (int i = 0; i < 20; ++i) MPI_Free_mem(memory[i]);
    for (int i = 1; i < 4; ++i) {
      MPI_Win_allocate(i * 40, 1, info, MPI_COMM_WORLD, memory, &window);
      CHECK(is_aligned(memory[0], bytes));
      MPI_Win_free(&window);
      MPI_Win_allocate_shared(i * 40, 1, info, MPI_COMM_WORLD, memory, &window);
      CHECK(rank != 0 || is_aligned(memory[0], bytes));
      MPI_Win_free(&window);
    }
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(40, 1, info, MPI_COMM_WORLD, memory, &window);
    CHECK(is_aligned(memory[0], bytes));
    MPI_Win_free(&window);
    MPI_Info_free(&info);
  }
  if (rank == 0) puts("all as they should be");
  MPI_Finalize();
  return 0;
}
