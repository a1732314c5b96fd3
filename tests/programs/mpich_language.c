/* SPDX-License-Identifier: BSD-3-Clause
 * What MPICH's bindings of C++ do on top of its C library: their own functions call those of the program, which are
 * given other arguments than C's. Prints "fine" on each rank. */
#include "check.h"

typedef void Function(void);

/* Declared by no header that is installed. */
void MPII_Op_set_cxx(MPI_Op op, Function* caller);
void MPII_Errhandler_set_cxx(MPI_Errhandler errhandler, Function* caller);
void MPII_Keyval_set_proxy(int key, int (*copy)(Function*, int, int, void*, int, void*, void**, int*),
                           int (*destroy)(Function*, int, int, int, void*, void*));

#define THROWS ((MPI_Errhandler)0x54000002) /* by which they know that they have to throw */

static int rank, size;

/* Another order of arguments than C's stands for references to objects, which C has not. */
static void add(const int* in, int* inout, int length, double weight) {
  for (int i = 0; i < length; ++i) inout[i] += (int)(weight * in[i]);
}

static void call_op(void* in, void* inout, int length, MPI_Datatype type, Function* function) {
  CHECK(type == MPI_INT);
  ((void (*)(const int*, int*, int, double))function)(in, inout, length, 2.0);
}

static int seen_of = -1, seen_code, seen_handle;
static void handle_error(int handle, int code) {
  seen_handle = handle;
  seen_code = code;
}

static void call_handler(int of, int* handle, int* code, Function* function) {
  seen_of = of;
  ((void (*)(int, int))function)(of == 1 ? 0 : *handle, *code);
}

static int copied, destroyed;
static int copy(void) { return ++copied, MPI_SUCCESS; }
static int destroy(void) { return ++destroyed, MPI_SUCCESS; }

static int call_copy(Function* function, int handle, int key, void* extra, int kind, void* value, void** made,
                     int* flag) {
  CHECK(handle == MPI_COMM_WORLD && key != MPI_KEYVAL_INVALID && extra == &copied && kind == 0);
  *made = value;
  *flag = 1;
  return ((int (*)(void))function)();
}

static int call_destroy(Function* function, int handle, int key, int kind, void* value, void* extra) {
  CHECK(handle != MPI_COMM_NULL && key != MPI_KEYVAL_INVALID && extra == &copied && kind == 0 && value == &rank);
  return ((int (*)(void))function)();
}

static void test_operation(void) {
  MPI_Op op;
  int sum, own = rank + 1;
  MPI_Op_create((MPI_User_function*)(Function*)add, 0, &op);
  MPII_Op_set_cxx(op, (Function*)call_op);
  MPI_Scan(&own, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  CHECK(rank > 1 || sum == (rank == 0 ? 1 : 2 + 2 * 1)); /* of more ranks it depends on the order */
  MPI_Op_free(&op);
}

static void test_error_handlers(void) {
  MPI_Errhandler of_comm, of_win, now;
  MPI_Win win;
  MPI_Comm_create_errhandler((MPI_Comm_errhandler_function*)(Function*)handle_error, &of_comm);
  MPII_Errhandler_set_cxx(of_comm, (Function*)call_handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_comm);
  MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  CHECK(seen_of == 0 && seen_code == MPI_ERR_RANK && seen_handle == MPI_COMM_WORLD);

  MPI_Win_create(MPI_BOTTOM, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_create_errhandler((MPI_Win_errhandler_function*)(Function*)handle_error, &of_win);
  MPII_Errhandler_set_cxx(of_win, (Function*)call_handler);
  MPI_Win_set_errhandler(win, of_win);
  MPI_Win_call_errhandler(win, MPI_ERR_SIZE);
  CHECK(seen_of == 2 && seen_code == MPI_ERR_SIZE && seen_handle == win);
  MPI_Win_free(&win);
  MPI_Errhandler_free(&of_win);
  MPI_Errhandler_free(&of_comm);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, THROWS);
  CHECK(MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
  CHECK(now == THROWS);
  MPI_Errhandler_free(&now);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void test_attributes(void) {
  int key;
  MPI_Comm dup;
  MPI_Comm_create_keyval((MPI_Comm_copy_attr_function*)(Function*)copy,
                         (MPI_Comm_delete_attr_function*)(Function*)destroy, &key, &copied);
  MPII_Keyval_set_proxy(key, call_copy, call_destroy);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  CHECK(copied == 1);
  MPI_Comm_free(&dup);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  CHECK(destroyed == 2);
  MPI_Comm_free_keyval(&key);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  test_operation();
  test_error_handlers();
  test_attributes();
  MPI_Finalize();
  printf("fine\n");
  return 0;
}
