/* SPDX-License-Identifier: BSD-3-Clause
 * A data representation without conversion functions: its extent function says how far apart elements lie in the file
 * (MPI-4.1, section 14.5.1), and what they are is as in memory. */
#include "check.h"

static int rank, calls;

static int twice(MPI_Datatype type, MPI_Aint *extent, void *extra) {
  int size;
  (void)extra;
  ++calls;
  MPI_Type_size(type, &size);
  *extent = 2 * size;
  return MPI_SUCCESS;
}

int main(void) {
  const int numbers[3] = {1, 2, 3};
  int got[6] = {0};
  MPI_File file;
  MPI_Aint extent;
  MPI_Offset bytes;
  MPI_Datatype pair;
  MPI_Init(NULL, NULL);
  MPI_Register_datarep("wide", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, twice, NULL);
  MPI_File_open(MPI_COMM_SELF, "wide", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "wide", MPI_INFO_NULL);
  MPI_File_get_type_extent(file, MPI_INT, &extent);
  CHECK(extent == 8 && calls > 0);
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_File_get_type_extent(file, pair, &extent);
  CHECK(extent == 32);
  MPI_File_write(file, numbers, 3, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_get_byte_offset(file, 3, &bytes);
  CHECK(bytes == 24);
  MPI_File_read_at(file, 1, got, 2, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(got[0] == 2 && got[1] == 3);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_read_at(file, 0, got, 6, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(got[0] == 1 && got[2] == 2 && got[4] == 3);
  MPI_File_close(&file);
  puts("all as they should be");
  MPI_Finalize();
  return 0;
}
