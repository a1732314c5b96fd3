/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts N more ranks of itself (argument 1), which meet their parents in every way that there is; argument 2 says what
   one of them does then: "crash", "exit" (without MPI_Finalize), "abort", or nothing. Prints what is seen. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void child(MPI_Comm parent, const char *fate) {
  int rank, size, remote, *appnum, flag, sum = 0, one = 1;
  char name[MPI_MAX_PROCESSOR_NAME], parents[MPI_MAX_OBJECT_NAME];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_remote_size(parent, &remote);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &flag);
  MPI_Get_processor_name(name, &flag);
  MPI_Comm_get_name(parent, parents, &flag);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("child %d of %d, %d parents in %s, program %d, on %s, sum %d\n", rank, size, remote, parents, *appnum, name, sum);
  fflush(stdout);
  if (rank == size - 1 && strcmp(fate, "crash") == 0) raise(SIGSEGV);
  if (rank == size - 1 && strcmp(fate, "exit") == 0) exit(3);
  if (rank == size - 1 && strcmp(fate, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  int value = 10 + rank;
  MPI_Send(&value, 1, MPI_INT, 0, 5, parent);
  MPI_Reduce(&value, NULL, 1, MPI_INT, MPI_SUM, 0, parent);
  MPI_Comm all;
  MPI_Intercomm_merge(parent, 1, &all);
  MPI_Barrier(all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&parent);
  MPI_Finalize();
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    child(parent, argc > 2 ? argv[2] : "");
    return 0;
  }
  const int children = argc > 1 ? atoi(argv[1]) : 2;
  int rank, size, codes[64], merged_rank, merged_size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm between, all;
  const double before = MPI_Wtime();
  MPI_Comm_spawn(argv[0], argv + 1, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, codes);
  const double took = MPI_Wtime() - before;
  if (rank == 0) printf("spawn took %s 0.1 s, codes %d\n", took >= 0.1 && took < 0.2 ? "about" : "not", codes[0]);
  if (rank == 0) {
    for (int i = 0; i < children; ++i) {
      int value;
      MPI_Status status;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, between, &status);
      if (value != 10 + status.MPI_SOURCE) printf("wrong value %d from %d\n", value, status.MPI_SOURCE);
    }
  }
  int total = 0;
  /* Beside the root only the root is looked at: MPI_BYTE has no sum. */
  MPI_Reduce(NULL, &total, 1, rank == 0 ? MPI_INT : MPI_BYTE, MPI_SUM, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, between);
  MPI_Intercomm_merge(between, 0, &all);
  MPI_Comm_rank(all, &merged_rank);
  MPI_Comm_size(all, &merged_size);
  MPI_Barrier(all);
  if (rank == 0) printf("sum %d, rank %d of %d when merged\n", total, merged_rank, merged_size);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int error, class = 0;
  error = MPI_Comm_spawn("./no-such-program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, codes);
  MPI_Error_class(error, &class);
  if (rank == 0) printf("unknown program: %s\n", class == MPI_ERR_SPAWN ? "MPI_ERR_SPAWN" : "another class");
  MPI_Finalize();
  return 0;
}
