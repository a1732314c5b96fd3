/* SPDX-License-Identifier: BSD-3-Clause */
/* The half in C of openmpi_mixed.f90. */
#include <mpi.h>
#include <stdio.h>

static int mistakes;

static void expect(int is_so, const char *what) {
  if (is_so) return;
  ++mistakes;
  printf("wrong: %s\n", what);
}

int checked_in_c(MPI_Fint comm, MPI_Fint type, MPI_Fint op, MPI_Fint file, MPI_Fint win, MPI_Fint *status) {
  int rank, size, result, value;
  MPI_Status own;
  MPI_Offset bytes = -1;
  MPI_Comm_rank(MPI_Comm_f2c(comm), &rank);
  MPI_Comm_size(MPI_Comm_f2c(comm), &size);
  MPI_Comm_compare(MPI_Comm_f2c(comm), MPI_COMM_WORLD, &result);
  expect(result == MPI_CONGRUENT, "a communicator of Fortran");
  expect(MPI_Comm_c2f(MPI_Comm_f2c(comm)) == comm, "there and back");

  /* As mpif.h has them. */
  expect(MPI_Comm_c2f(MPI_COMM_WORLD) == 0 && MPI_Comm_f2c(0) == MPI_COMM_WORLD, "the world");
  expect(MPI_Comm_c2f(MPI_COMM_NULL) == 2 && MPI_Type_c2f(MPI_INT) == 39 && MPI_Op_c2f(MPI_SUM) == 3, "numbers");
  expect(MPI_Type_f2c(17) == MPI_DOUBLE_PRECISION && MPI_Request_f2c(0) == MPI_REQUEST_NULL, "predefined handles");
  expect(MPI_File_c2f(MPI_FILE_NULL) == 0 && MPI_Win_c2f(MPI_WIN_NULL) == 0 && MPI_Group_f2c(1) == MPI_GROUP_EMPTY,
         "more predefined handles");

  MPI_Type_size(MPI_Type_f2c(type), &value);
  expect(value == 12, "a datatype of Fortran");
  value = 1;
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INTEGER, MPI_Op_f2c(op), MPI_COMM_SELF);
  expect(value == 1, "an operation of Fortran, of one operand");
  if (size == 2) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INTEGER, MPI_Op_f2c(op), MPI_COMM_WORLD);
    expect(value == 4, "an operation of Fortran");
  }
  MPI_File_get_size(MPI_File_f2c(file), &bytes);
  expect(bytes == 0 && MPI_File_c2f(MPI_File_f2c(file)) == file, "a file of Fortran");
  expect(MPI_Win_fence(0, MPI_Win_f2c(win)) == MPI_SUCCESS && MPI_Win_c2f(MPI_Win_f2c(win)) == win, "a window of Fortran");

  expect(MPI_Status_f2c(status, &own) == MPI_SUCCESS, "a status of Fortran");
  MPI_Get_count(&own, MPI_INT, &value);
  expect(own.MPI_SOURCE == rank && own.MPI_TAG == 5 && value == 3, "what is in a status of Fortran");
  own.MPI_TAG = 77;
  MPI_Status_c2f(&own, status);
  return mistakes;
}

void made_in_c(MPI_Fint comm, MPI_Fint *type, MPI_Fint *request, int *buffer, MPI_Fint *twin) {
  MPI_Datatype every_other;
  MPI_Request receive;
  MPI_Comm dup;
  MPI_Type_vector(2, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Irecv(buffer, 1, every_other, MPI_ANY_SOURCE, 6, MPI_Comm_f2c(comm), &receive);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  *type = MPI_Type_c2f(every_other);
  *request = MPI_Request_c2f(receive);
  *twin = MPI_Comm_c2f(dup);
}
