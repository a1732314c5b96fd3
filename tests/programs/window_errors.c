/* SPDX-License-Identifier: BSD-3-Clause
 * Wrong calls of one-sided communication: each must give its error class. Prints the lines of those that do not. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void expect(int line, int code, int expected) {
  int class = 0;
  MPI_Error_class(code, &class);
  if (class != expected) printf("line %d: class %d, expected %d\n", line, class, expected);
}
#define EXPECT(call, class) expect(__LINE__, call, class)

int main(int argc, char **argv) {
  int memory[4] = {0}, value = 1, rank;
  MPI_Win win, dynamic;
  MPI_Datatype wide;
  MPI_Aint size;
  int unit;
  void *base;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  EXPECT(MPI_Win_create(memory, -1, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE);
  EXPECT(MPI_Win_create(memory, 16, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
  EXPECT(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
  MPI_Type_vector(2, 1, 4, MPI_INT, &wide);
  MPI_Type_commit(&wide);

  EXPECT(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  EXPECT(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
  EXPECT(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
  EXPECT(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
  EXPECT(MPI_Win_fence(1 << 20, win), MPI_ERR_ASSERT);
  EXPECT(MPI_Win_lock(0, 0, 0, win), MPI_ERR_LOCKTYPE);
  EXPECT(MPI_Win_lock(MPI_LOCK_SHARED, 77, 0, win), MPI_ERR_RANK);

  MPI_Win_lock_all(0, win);
  EXPECT(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
  EXPECT(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
  EXPECT(MPI_Put(&value, 1, MPI_INT, 0, 4, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
  EXPECT(MPI_Put(&value, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP);
  EXPECT(MPI_Get(memory, 2, MPI_INT, 0, 0, 1, wide, win), MPI_ERR_RMA_RANGE);
  EXPECT(MPI_Put(&value, 1, MPI_INT, 99, 0, 1, MPI_INT, win), MPI_ERR_RANK);
  EXPECT(MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
  EXPECT(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
  EXPECT(MPI_Accumulate(&value, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win), MPI_ERR_OP);
  EXPECT(MPI_Fetch_and_op(&value, &memory[1], wide, 0, 0, MPI_SUM, win), MPI_ERR_TYPE);
  EXPECT(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 1000, 1, MPI_INT, win), MPI_SUCCESS);
  EXPECT(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
  MPI_Win_unlock_all(win);

  EXPECT(MPI_Win_attach(win, memory, 4), MPI_ERR_RMA_FLAVOR);
  EXPECT(MPI_Win_attach(dynamic, memory, sizeof memory), MPI_SUCCESS);
  EXPECT(MPI_Win_attach(dynamic, memory + 1, 4), MPI_ERR_RMA_ATTACH);
  EXPECT(MPI_Win_detach(dynamic, memory + 1), MPI_ERR_RMA_ATTACH);
  EXPECT(MPI_Win_shared_query(dynamic, 0, &size, &unit, &base), MPI_ERR_RMA_FLAVOR);
  MPI_Win_lock_all(0, dynamic);
  /* Address 8 is nobody's memory. */
  EXPECT(MPI_Put(&value, 1, MPI_INT, 1 - rank, 8, 1, MPI_INT, dynamic), MPI_ERR_RMA_RANGE);
  EXPECT(MPI_Accumulate(&value, 1, MPI_INT, 1 - rank, 8, 1, MPI_INT, MPI_SUM, dynamic), MPI_SUCCESS);
  EXPECT(MPI_Win_flush_all(dynamic), MPI_ERR_RMA_RANGE);
  MPI_Win_unlock_all(dynamic);
  MPI_Win_free(&dynamic);
  MPI_Win_free(&win);
  MPI_Type_free(&wide);
  if (rank == 0) printf("checked\n");
  MPI_Finalize();
  return 0;
}
