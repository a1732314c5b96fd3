/* SPDX-License-Identifier: BSD-3-Clause
 * Accesses to a file of all kinds, for capture on a real MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { length = 1 << 14 };

int main(int argc, char** argv) {
  int rank, size;
  MPI_File file;
  MPI_Request request;
  MPI_Status status;
  MPI_Datatype every;
  MPI_Offset bytes;
  int* data = calloc(length, sizeof *data);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File_open(MPI_COMM_WORLD, argc > 1 ? argv[1] : "captured.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                &file);
  const MPI_Offset own = (MPI_Offset)rank * length * (MPI_Offset)sizeof(int);
  MPI_File_write_at_all(file, own, data, length, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_File_read_at(file, own, data, length, MPI_INT, &status);
  MPI_File_iread_at(file, 0, data, length, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_seek(file, own, MPI_SEEK_SET);
  MPI_File_write(file, data, length / 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write(file, data, length / 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_get_size(file, &bytes);
  MPI_File_read_at(file, bytes - 4, data, length, MPI_INT, MPI_STATUS_IGNORE); /* one number is left */

  MPI_Type_vector(length / 4, 1, size, MPI_INT, &every); /* interleaved */
  MPI_Type_commit(&every);
  MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL);
  MPI_File_write_all_begin(file, data, length / 4, MPI_INT);
  MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_shared(file, data, 100, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_ordered(file, data, 100, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Type_free(&every);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_File_delete(argc > 1 ? argv[1] : "captured.data", MPI_INFO_NULL);
  free(data);
  MPI_Finalize();
  return 0;
}
