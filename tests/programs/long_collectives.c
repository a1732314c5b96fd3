/* SPDX-License-Identifier: BSD-3-Clause */
/* Ten allreduces of 64 KiB and three broadcasts of 32 KiB. */
#include <mpi.h>

int main(int argc, char** argv) {
  static double in[8192], out[8192];
  int i;
  MPI_Init(&argc, &argv);
  for (i = 0; i < 10; i++) MPI_Allreduce(in, out, 8192, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0; i < 3; i++) MPI_Bcast(in, 4096, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
