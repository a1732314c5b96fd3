#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
/* halo on a 4 x 4 grid whose ranks are shuffled: rank r is at place perm[r] */
int main(int c, char **v) {
  int r, n, bytes = c > 1 ? atoi(v[1]) : 8000, turns = c > 2 ? atoi(v[2]) : 100;
  MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &n);
  int w = 4, h = n / w, perm[1024], at[1024];
  unsigned s = 12345; for (int i = 0; i < n; i++) perm[i] = i;
  for (int i = n - 1; i > 0; i--) { s = s * 1103515245u + 12345u; int j = (s >> 16) % (i + 1); int t = perm[i]; perm[i] = perm[j]; perm[j] = t; }
  for (int i = 0; i < n; i++) at[perm[i]] = i;
  int x = perm[r] % w, y = perm[r] / w;
  char *in = malloc(4 * bytes), *out = calloc(4, bytes);
  MPI_Barrier(MPI_COMM_WORLD); double t0 = MPI_Wtime();
  for (int k = 0; k < turns; k++) {
    MPI_Request q[8]; int m = 0, d[4][2] = {{1,0},{-1,0},{0,1},{0,-1}};
    for (int i = 0; i < 4; i++) { int a = x + d[i][0], b = y + d[i][1]; if (a < 0 || a >= w || b < 0 || b >= h) continue;
      MPI_Irecv(in + i * bytes, bytes, MPI_BYTE, at[b * w + a], 0, MPI_COMM_WORLD, &q[m++]);
      MPI_Isend(out + i * bytes, bytes, MPI_BYTE, at[b * w + a], 0, MPI_COMM_WORLD, &q[m++]); }
    MPI_Waitall(m, q, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (r == 0) printf("Time in seconds = %.6f\n", MPI_Wtime() - t0);
  MPI_Finalize(); return 0;
}
