/* SPDX-License-Identifier: BSD-3-Clause
 * What a program sees of predefined datatypes that there need not be: all have handles, and MPI_UNDEFINED is the size of
 * those that there are not (MPI-5.0, section 20.4). */
#include "check.h"

#include <string.h>

static int rank;

static void described(MPI_Datatype type, const char *name) {
  int size = 0, length = 0, integers, addresses, types, combiner;
  MPI_Count large = 0, lower;
  MPI_Aint lb, extent;
  char given[MPI_MAX_OBJECT_NAME] = "";
  CHECK(MPI_Type_size(type, &size) == MPI_SUCCESS && size == MPI_UNDEFINED);
  CHECK(MPI_Type_size_c(type, &large) == MPI_SUCCESS && large == MPI_UNDEFINED);
  large = 0;
  CHECK(MPI_Type_size_x(type, &large) == MPI_SUCCESS && large == MPI_UNDEFINED);
  CHECK(MPI_Type_get_extent(type, &lb, &extent) == MPI_SUCCESS && extent == MPI_UNDEFINED);
  CHECK(MPI_Type_get_true_extent(type, &lb, &extent) == MPI_SUCCESS && extent == MPI_UNDEFINED);
  large = 0;
  CHECK(MPI_Type_get_extent_c(type, &lower, &large) == MPI_SUCCESS && large == MPI_UNDEFINED);
  CHECK(MPI_Type_get_name(type, given, &length) == MPI_SUCCESS && strcmp(given, name) == 0);
  CHECK(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS);
  CHECK(combiner == MPI_COMBINER_NAMED && integers == 0 && addresses == 0 && types == 0);
}

static void unusable(MPI_Datatype type) {
  char buffer[64];
  int class;
  MPI_Datatype made;
  MPI_Error_class(MPI_Send(buffer, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD), &class);
  CHECK(class == MPI_ERR_TYPE);
  MPI_Error_class(MPI_Type_contiguous(2, type, &made), &class);
  CHECK(class == MPI_ERR_TYPE);
}

int main(void) {
  MPI_Init(NULL, NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  described(MPI_REAL2, "MPI_REAL2");
  described(MPI_COMPLEX4, "MPI_COMPLEX4");
  unusable(MPI_REAL2);
  int size = 0, class;
  CHECK(MPI_Type_size(MPI_REAL4, &size) == MPI_SUCCESS && size == 4);
  MPI_Error_class(MPI_Type_size(MPI_DATATYPE_NULL, &size), &class);
  CHECK(class == MPI_ERR_TYPE);
  puts("all as they should be");
  MPI_Finalize();
  return 0;
}
