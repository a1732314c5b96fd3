/* SPDX-License-Identifier: BSD-3-Clause
 * What a program sees of files: four ranks, in the working directory. Ends with status 1 after the first line that is
 * not as it should be. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      fprintf(stderr, "rank %d, %s:%d: not true: %s\n", rank, __FILE__, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                            \
    }                                                                                          \
  } while (0)
#define OK(call) CHECK((call) == MPI_SUCCESS)
#define FAILS_WITH(class, call) CHECK(class_of(call) == (class))

static int class_of(int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}

static int count_of(MPI_Status *status, MPI_Datatype type) {
  int count;
  MPI_Get_count(status, type, &count);
  return count;
}

static MPI_File opened(const char *name, int amode) {
  MPI_File file;
  OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &file));
  return file;
}

static MPI_File fresh(const char *name) {
  MPI_File file = opened(name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  OK(MPI_File_set_size(file, 0));
  return file;
}

static void settle(MPI_File file) { /* what all wrote can be read by all (MPI-4.1, section 14.6.1) */
  OK(MPI_File_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  OK(MPI_File_sync(file));
}

static void opening_and_errors(void) {
  MPI_File file = MPI_FILE_NULL;
  MPI_Offset bytes;
  MPI_Group group;
  int amode, value = 7, members;
  const int create = MPI_MODE_CREATE | MPI_MODE_WRONLY;
  FAILS_WITH(MPI_ERR_NO_SUCH_FILE, MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  CHECK(file == MPI_FILE_NULL);
  FAILS_WITH(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_CREATE, MPI_INFO_NULL, &file));
  FAILS_WITH(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
  FAILS_WITH(MPI_ERR_NOT_SAME, MPI_File_open(MPI_COMM_WORLD, "none", rank == 2 ? create : MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  FAILS_WITH(MPI_ERR_BAD_FILE, MPI_File_open(MPI_COMM_WORLD, "", create, MPI_INFO_NULL, &file));
  FAILS_WITH(MPI_ERR_NO_SUCH_FILE, MPI_File_open(MPI_COMM_WORLD, "none/x", create, MPI_INFO_NULL, &file));
  FAILS_WITH(MPI_ERR_BAD_FILE, MPI_File_open(MPI_COMM_WORLD, ".", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  FAILS_WITH(MPI_ERR_FILE, MPI_File_get_size(MPI_FILE_NULL, &bytes));
  if (rank == 0) FAILS_WITH(MPI_ERR_NO_SUCH_FILE, MPI_File_delete("none", MPI_INFO_NULL));

  file = opened("ufs:plain", create);
  FAILS_WITH(MPI_ERR_FILE_EXISTS, MPI_File_open(MPI_COMM_WORLD, "plain", create | MPI_MODE_EXCL, MPI_INFO_NULL, &file));
  file = opened("plain", create);
  OK(MPI_File_get_amode(file, &amode));
  CHECK(amode == create);
  OK(MPI_File_get_group(file, &group));
  MPI_Group_size(group, &members);
  CHECK(members == size);
  MPI_Group_free(&group);
  FAILS_WITH(MPI_ERR_ACCESS, MPI_File_read(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  FAILS_WITH(MPI_ERR_NOT_SAME, MPI_File_set_size(file, rank));
  FAILS_WITH(MPI_ERR_ARG, MPI_File_set_size(file, -1));
  OK(MPI_File_preallocate(file, 100));
  OK(MPI_File_get_size(file, &bytes));
  CHECK(bytes == 100);
  MPI_File closed = file;
  OK(MPI_File_close(&file));
  CHECK(file == MPI_FILE_NULL);
  FAILS_WITH(MPI_ERR_FILE, MPI_File_get_size(closed, &bytes));
  FAILS_WITH(MPI_ERR_FILE, MPI_File_close(&closed));

  file = opened("plain", MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
  FAILS_WITH(MPI_ERR_READ_ONLY, MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  FAILS_WITH(MPI_ERR_READ_ONLY, MPI_File_set_size(file, 0));
  FAILS_WITH(MPI_ERR_COUNT, MPI_File_read(file, &value, -1, MPI_INT, MPI_STATUS_IGNORE));
  FAILS_WITH(MPI_ERR_TYPE, MPI_File_read(file, &value, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
  FAILS_WITH(MPI_ERR_ARG, MPI_File_read_at(file, -1, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_close(&file));
  FAILS_WITH(MPI_ERR_NO_SUCH_FILE, MPI_File_open(MPI_COMM_WORLD, "plain", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
}

static void full_disk(void) {
  char byte = 1;
  MPI_File file = opened("/dev/full", MPI_MODE_WRONLY);
  FAILS_WITH(MPI_ERR_NO_SPACE, MPI_File_write(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_close(&file));
}

static void offsets_and_pointers(void) {
  MPI_File file = fresh("offsets");
  MPI_Status status;
  MPI_Offset at;
  int own[2] = {10 * rank, 10 * rank + 1}, all[8];
  OK(MPI_File_write_at_all(file, 2 * sizeof(int) * rank, own, 2, MPI_INT, &status));
  CHECK(count_of(&status, MPI_INT) == 2);
  settle(file);
  memset(all, -1, sizeof all);
  OK(MPI_File_read_all(file, all, 2 * size, MPI_INT, &status));
  for (int i = 0; i < 2 * size; ++i) CHECK(all[i] == 10 * (i / 2) + i % 2);
  OK(MPI_File_get_position(file, &at));
  CHECK(at == 2 * size * (MPI_Offset)sizeof(int)); /* the etype is a byte */
  OK(MPI_File_read(file, all, 1, MPI_INT, &status));
  CHECK(count_of(&status, MPI_INT) == 0); /* the end of the file */
  OK(MPI_File_seek(file, -6, MPI_SEEK_END));
  OK(MPI_File_read(file, all, 2, MPI_INT, &status));
  CHECK(count_of(&status, MPI_BYTE) == 6 && count_of(&status, MPI_INT) == MPI_UNDEFINED);
  OK(MPI_File_seek(file, 4, MPI_SEEK_SET));
  OK(MPI_File_seek(file, 4, MPI_SEEK_CUR));
  OK(MPI_File_read_c(file, all, 1, MPI_INT, &status));
  CHECK(all[0] == 10);
  FAILS_WITH(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
  FAILS_WITH(MPI_ERR_ARG, MPI_File_seek(file, 0, 12345));
  OK(MPI_File_close(&file));
}

/* Rank r sees the r-th of every four ints behind a head of eight bytes. */
static void views(void) {
  MPI_File file = fresh("views");
  MPI_Datatype every, etype, filetype;
  MPI_Offset where;
  MPI_Status status;
  char name[MPI_MAX_DATAREP_STRING];
  int own[3], pairs[6], back[12], word = -5;
  MPI_Type_create_resized(MPI_INT, 0, 4 * sizeof(int), &every);
  MPI_Type_commit(&every);
  OK(MPI_File_set_view(file, 8 + 4 * rank, MPI_INT, every, "native", MPI_INFO_NULL));
  OK(MPI_File_get_byte_offset(file, 2, &where));
  CHECK(where == 8 + 4 * rank + 32);
  for (int i = 0; i < 3; ++i) own[i] = 100 * rank + i;
  OK(MPI_File_write_all(file, own, 3, MPI_INT, &status));
  CHECK(count_of(&status, MPI_INT) == 3);
  OK(MPI_File_get_position(file, &where));
  CHECK(where == 3);
  OK(MPI_File_get_view(file, &where, &etype, &filetype, name));
  CHECK(where == 8 + 4 * rank && etype == MPI_INT && strcmp(name, "native") == 0);
  MPI_Type_free(&filetype);
  settle(file);
  /* Into every other int of a buffer. */
  MPI_Datatype other;
  MPI_Type_vector(3, 1, 2, MPI_INT, &other);
  MPI_Type_commit(&other);
  memset(pairs, -1, sizeof pairs);
  OK(MPI_File_read_at(file, 0, pairs, 1, other, MPI_STATUS_IGNORE));
  for (int i = 0; i < 3; ++i) CHECK(pairs[2 * i] == own[i] && pairs[2 * i + 1] == -1);
  OK(MPI_File_seek(file, 0, MPI_SEEK_END));
  OK(MPI_File_get_position(file, &where));
  CHECK(where == 3);
  OK(MPI_File_set_view(file, 8, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  OK(MPI_File_read(file, back, 12, MPI_INT, &status));
  for (int i = 0; i < 12; ++i) CHECK(back[i] == 100 * (i % 4) + i / 4);
  FAILS_WITH(MPI_ERR_UNSUPPORTED_DATAREP, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "martian", MPI_INFO_NULL));
  FAILS_WITH(MPI_ERR_ARG, MPI_File_set_view(file, 0, MPI_INT, MPI_BYTE, "native", MPI_INFO_NULL));
  FAILS_WITH(MPI_ERR_DISP, MPI_File_set_view(file, -7, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  FAILS_WITH(MPI_ERR_IO, MPI_File_write(file, &word, 3, MPI_BYTE, MPI_STATUS_IGNORE)); /* no whole etypes */
  MPI_Type_free(&every);
  MPI_Type_free(&other);
  OK(MPI_File_close(&file));
}

static int changes; /* of data by the program's own functions */
static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *extra) {
  int size_in_memory;
  MPI_Type_size(type, &size_in_memory);
  *extent = 2 * size_in_memory; /* each byte comes twice */
  return *(int *)extra == 42 ? MPI_SUCCESS : MPI_ERR_OTHER;
}
static int doubled(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *extra) {
  int each;
  MPI_Type_size(type, &each);
  for (int i = 0; i < count * each; ++i) ((char *)file)[2 * i] = ((char *)file)[2 * i + 1] = ((char *)user)[i];
  ++changes;
  return position == 0 && *(int *)extra == 42 ? MPI_SUCCESS : MPI_ERR_OTHER;
}
static int halved(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *extra) {
  int each;
  MPI_Type_size(type, &each);
  for (int i = 0; i < count * each; ++i) ((char *)user)[i] = ((char *)file)[2 * i];
  ++changes;
  return position == 0 && *(int *)extra == 42 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static void representations(void) {
  static int extra = 42;
  MPI_File file = fresh("representations");
  unsigned char raw[8];
  int value = 0x01020304 + rank, back = 0;
  MPI_Offset bytes;
  MPI_Aint extent;
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
  OK(MPI_File_write_at(file, rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  settle(file);
  OK(MPI_File_read_at(file, rank, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(back == value);
  OK(MPI_File_get_type_extent(file, MPI_LONG_DOUBLE, &extent));
  CHECK(extent == 16); /* MPI-4.1, section 14.5.2 */
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "internal", MPI_INFO_NULL));
  OK(MPI_File_read_at(file, 4 * rank, raw, 4, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(raw[0] == 1 && raw[1] == 2 && raw[2] == 3 && raw[3] == 4 + rank); /* big-endian */
  OK(MPI_File_set_size(file, 0));

  OK(MPI_Register_datarep("doubled", halved, doubled, extent_of, &extra));
  FAILS_WITH(MPI_ERR_DUP_DATAREP, MPI_Register_datarep("doubled", halved, doubled, extent_of, &extra));
  FAILS_WITH(MPI_ERR_DUP_DATAREP, MPI_Register_datarep("native", halved, doubled, extent_of, &extra));
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "doubled", MPI_INFO_NULL));
  OK(MPI_File_write_at_all(file, rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  settle(file);
  back = 0;
  OK(MPI_File_read_at(file, rank, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(back == value && changes == 2);
  OK(MPI_File_get_size(file, &bytes));
  CHECK(bytes == size * 8);
  OK(MPI_File_close(&file));
}

static void shared_pointer(void) {
  MPI_File file = fresh("shared");
  MPI_Status status;
  MPI_Offset at;
  int value = rank, all[8], seen[8] = {0};
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_write_shared(file, &value, 1, MPI_INT, &status));
  MPI_Request request;
  OK(MPI_File_iwrite_shared(file, &value, 1, MPI_INT, &request));
  OK(MPI_Wait(&request, &status));
  CHECK(count_of(&status, MPI_INT) == 1);
  settle(file);
  OK(MPI_File_get_position_shared(file, &at));
  CHECK(at == 2 * size);
  OK(MPI_File_read_at(file, 0, all, 2 * size, MPI_INT, MPI_STATUS_IGNORE));
  for (int i = 0; i < 2 * size; ++i) ++seen[all[i]];
  for (int i = 0; i < size; ++i) CHECK(seen[i] == 2);

  OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  for (int i = 0; i < 2; ++i) all[i] = 10 * rank + i;
  OK(MPI_File_write_ordered(file, all, rank % 2 + 1, MPI_INT, &status)); /* 1, 2, 1, 2 */
  FAILS_WITH(MPI_ERR_COUNT, MPI_File_write_ordered(file, all, rank == 1 ? -1 : 1, MPI_INT, &status)); /* of one: of all */
  OK(MPI_File_write_ordered_begin(file, all, 1, MPI_INT));
  OK(MPI_File_write_ordered_end(file, all, &status));
  settle(file);
  OK(MPI_File_read_at(file, 0, all, 6, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(all[0] == 0 && all[1] == 10 && all[2] == 11 && all[3] == 20 && all[4] == 30 && all[5] == 31);
  OK(MPI_File_seek_shared(file, -4, MPI_SEEK_CUR));
  OK(MPI_File_read_ordered(file, &value, 1, MPI_INT, &status));
  CHECK(value == 10 * rank);
  OK(MPI_File_seek_shared(file, -4, MPI_SEEK_END));
  OK(MPI_File_read_shared(file, &value, 1, MPI_INT, &status));
  CHECK(value % 10 == 0);
  FAILS_WITH(MPI_ERR_ARG, MPI_File_seek_shared(file, -1, MPI_SEEK_SET));
  FAILS_WITH(MPI_ERR_NOT_SAME, MPI_File_seek_shared(file, rank, MPI_SEEK_SET));
  OK(MPI_File_close(&file));

  file = opened("appended", MPI_MODE_CREATE | MPI_MODE_WRONLY);
  OK(MPI_File_write_ordered(file, "ab", 2, MPI_CHAR, &status));
  OK(MPI_File_close(&file));
  file = opened("appended", MPI_MODE_WRONLY | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_SEQUENTIAL);
  OK(MPI_File_get_position_shared(file, &at));
  CHECK(at == 2 * size);
  FAILS_WITH(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_write(file, "x", 1, MPI_CHAR, &status));
  OK(MPI_File_close(&file));
}

static void later(void) {
  MPI_File file = fresh("later");
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int own[2] = {rank, -rank}, back[2] = {99, 99};
  OK(MPI_File_iwrite_at(file, 8 * rank, &own[0], 1, MPI_INT, &requests[0]));
  OK(MPI_File_iwrite_at_all(file, 8 * rank + 4, &own[1], 1, MPI_INT, &requests[1]));
  OK(MPI_Waitall(2, requests, statuses));
  CHECK(count_of(&statuses[1], MPI_INT) == 1 && requests[0] == MPI_REQUEST_NULL);
  settle(file);
  OK(MPI_File_seek(file, 8 * rank, MPI_SEEK_SET));
  OK(MPI_File_iread(file, &back[0], 1, MPI_INT, &requests[0]));
  OK(MPI_File_iread_all(file, &back[1], 1, MPI_INT, &requests[1]));
  for (int done = 0, index, flag; done < 2;) {
    OK(MPI_Testany(2, requests, &index, &flag, statuses));
    done += flag;
  }
  CHECK(back[0] == rank && back[1] == -rank);

  OK(MPI_File_read_at_all_begin(file, 8 * rank, back, 2, MPI_INT));
  FAILS_WITH(MPI_ERR_IO, MPI_File_read_all_begin(file, back, 1, MPI_INT));
  FAILS_WITH(MPI_ERR_IO, MPI_File_read_all_end(file, back, statuses));
  OK(MPI_File_read_at_all_end(file, back, statuses));
  CHECK(count_of(statuses, MPI_INT) == 2 && back[1] == -rank);
  FAILS_WITH(MPI_ERR_IO, MPI_File_read_at_all_end(file, back, statuses));
  OK(MPI_File_close(&file));
}

/* In atomic mode two ranks never see half of each other's writes, and writes are seen in their order. */
static void atomic_mode(void) {
  MPI_File file = fresh("atomic");
  enum { length = 1000 };
  static int data[length];
  int flag;
  OK(MPI_File_set_atomicity(file, 1));
  OK(MPI_File_get_atomicity(file, &flag));
  CHECK(flag);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < length; ++i) data[i] = rank;
    OK(MPI_File_write_at(file, 0, data, length, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(file, 0, data, length, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 1; i < length; ++i) CHECK(data[i] == data[0]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) { /* a flag in a file: polled until it is there, as time goes on */
    for (int word = 0; word != 77;) OK(MPI_File_read_at(file, 0, &word, 1, MPI_INT, MPI_STATUS_IGNORE));
  } else if (rank == 1) {
    int word = 77;
    OK(MPI_File_write_at(file, 0, &word, 1, MPI_INT, MPI_STATUS_IGNORE));
  }
  OK(MPI_File_close(&file));
}

static void hints(void) {
  MPI_File file;
  MPI_Info info, used;
  char value[16];
  int flag;
  MPI_Info_create(&info);
  MPI_Info_set(info, "striping_factor", "4");
  MPI_Info_set(info, "of_no_meaning", "x");
  OK(MPI_File_open(MPI_COMM_WORLD, "hints", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file));
  OK(MPI_File_get_info(file, &used));
  MPI_Info_get(used, "striping_factor", 15, value, &flag);
  CHECK(flag && strcmp(value, "4") == 0);
  MPI_Info_get(used, "filename", 15, value, &flag);
  CHECK(flag && strcmp(value, "hints") == 0);
  MPI_Info_get(used, "of_no_meaning", 15, value, &flag);
  CHECK(!flag);
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  OK(MPI_File_close(&file));
}

static MPI_File failed_file;
static int failures;
static void note_failure(MPI_File *file, int *code, ...) {
  failed_file = *file;
  failures += *code == MPI_ERR_ACCESS;
}

static void handlers(void) {
  MPI_Errhandler handler, same;
  int value;
  MPI_File file = opened("handlers", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE);
  MPI_File_create_errhandler(note_failure, &handler);
  MPI_File_set_errhandler(file, handler);
  MPI_File_get_errhandler(file, &same);
  CHECK(same == handler);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_free(&same);
  MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(failures == 1 && failed_file == file);
  OK(MPI_File_close(&file));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  opening_and_errors();
  full_disk();
  offsets_and_pointers();
  views();
  representations();
  shared_pointer();
  later();
  atomic_mode();
  hints();
  handlers();
  MPI_Finalize();
  if (rank == 0) puts("ok");
  return 0;
}
