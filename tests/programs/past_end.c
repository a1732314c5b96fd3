/* SPDX-License-Identifier: BSD-3-Clause
 * Where file pointers are after reads that end where the file does: behind all that was asked for, in every form of the
 * routine (MPI-4.1, section 14.4.1: the count is that of the items to be accessed). Two ranks. */
#include "check.h"

static int rank;

enum { There = 20, Asked = 50 };

static MPI_Offset after(MPI_File file, int form, int *count) {
  int got[Asked];
  MPI_Request request;
  MPI_Status status;
  MPI_Offset position;
  switch (form) {
    case 0: MPI_File_read(file, got, Asked, MPI_INT, &status); break;
    case 1: MPI_File_iread(file, got, Asked, MPI_INT, &request), MPI_Wait(&request, &status); break;
    case 2: MPI_File_read_all(file, got, Asked, MPI_INT, &status); break;
    case 3: MPI_File_read_all_begin(file, got, Asked, MPI_INT), MPI_File_read_all_end(file, got, &status); break;
    default: MPI_File_iread_all(file, got, Asked, MPI_INT, &request), MPI_Wait(&request, &status); break;
  }
  MPI_Get_count(&status, MPI_INT, count);
  MPI_File_get_position(file, &position);
  return position;
}

static MPI_Offset after_shared(MPI_File file, int form) {
  int got[Asked];
  MPI_Request request;
  MPI_Offset position;
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  switch (form) {
    case 0: MPI_File_read_shared(file, got, Asked, MPI_INT, MPI_STATUS_IGNORE); break;
    case 1: MPI_File_iread_shared(file, got, Asked, MPI_INT, &request), MPI_Wait(&request, MPI_STATUS_IGNORE); break;
    case 2: MPI_File_read_ordered(file, got, Asked, MPI_INT, MPI_STATUS_IGNORE); break;
    default:
      MPI_File_read_ordered_begin(file, got, Asked, MPI_INT);
      MPI_File_read_ordered_end(file, got, MPI_STATUS_IGNORE);
      break;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_position_shared(file, &position);
  MPI_Barrier(MPI_COMM_WORLD);
  return position;
}

int main(void) {
  int numbers[There] = {0}, count;
  MPI_File file;
  MPI_Datatype with_hole;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &with_hole);
  MPI_Type_commit(&with_hole);
  MPI_File_open(MPI_COMM_WORLD, "short", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, 0, numbers, There, MPI_INT, MPI_STATUS_IGNORE);
  for (int holes = 0; holes < 2; ++holes) {
    for (int form = 0; form < 5; ++form) {
      MPI_File_set_view(file, 0, MPI_INT, holes ? with_hole : MPI_INT, "native", MPI_INFO_NULL);
      CHECK(after(file, form, &count) == Asked);
      CHECK(count == (holes ? There / 2 : There));
      CHECK(after(file, form, &count) == 2 * Asked); /* and there is nothing more */
      CHECK(count == 0);
    }
    for (int form = 0; form < 4; ++form) CHECK(after_shared(file, form) == 2 * Asked);
  }
  MPI_File_close(&file);
  if (rank == 0) puts("all as they should be");
  MPI_Finalize();
  return 0;
}
