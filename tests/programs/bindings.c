/* SPDX-License-Identifier: BSD-3-Clause
 * What a program sees of the library through its C binding: handles, statuses, callbacks, errors. Three ranks.
 * Ends with status 1 after the first line that is not as it should be. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      fprintf(stderr, "rank %d, %s:%d: not true: %s\n", rank, __FILE__, __LINE__, #condition); \
      exit(1);                                                                                 \
    }                                                                                          \
  } while (0)
#define FAILS_WITH(class, call) CHECK(class_of(call) == (class))

static int class_of(int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}

static void before_init(void) {
  int flag = 1, version, subversion, major, minor, length;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Initialized(&flag);
  CHECK(!flag);
  MPI_Finalized(&flag);
  CHECK(!flag);
  MPI_Get_version(&version, &subversion);
  CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION);
  MPI_Abi_get_version(&major, &minor);
  CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
  MPI_Get_library_version(text, &length);
  CHECK(length == (int)strlen(text) && strstr(text, "Orrery") != NULL);
}

static void bad_arguments(void) {
  int value;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  FAILS_WITH(MPI_ERR_COMM, MPI_Comm_rank(MPI_COMM_NULL, &value));
  FAILS_WITH(MPI_ERR_ARG, MPI_Comm_rank(MPI_COMM_WORLD, NULL));
  FAILS_WITH(MPI_ERR_TYPE, MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
  FAILS_WITH(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD));
  FAILS_WITH(MPI_ERR_OP, MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
  FAILS_WITH(MPI_ERR_TYPE, MPI_Type_free(&type));
}

/* What MPI-3.0 removed. */
static void removed(void) {
  struct {
    char c;
    double d;
  } pair;
  int lengths[] = {1, 1};
  MPI_Aint places[2], lower, upper, extent;
  MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE}, type;
  MPI_Errhandler handler;
  MPI_Address(&pair.c, &places[0]);
  MPI_Address(&pair.d, &places[1]);
  places[1] -= places[0];
  places[0] = 0;
  MPI_Type_struct(2, lengths, places, types, &type);
  MPI_Type_lb(type, &lower);
  MPI_Type_ub(type, &upper);
  MPI_Type_extent(type, &extent);
  CHECK(lower == 0 && upper == (MPI_Aint)sizeof pair && extent == upper);
  MPI_Type_free(&type);
  MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Errhandler_get(MPI_COMM_SELF, &handler);
  CHECK(handler == MPI_ERRORS_RETURN);
}

static int file_errors;
static void note_file_error(MPI_File *file, int *code, ...) {
  CHECK(*file == MPI_FILE_NULL);
  ++file_errors;
  *code = MPI_ERR_OTHER;
}

/* Files have a handler of their own, which returns by default; a function may change what is returned. */
static void errors_of_files(void) {
  MPI_Errhandler handler;
  FAILS_WITH(MPI_ERR_FILE, MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO));
  MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
  CHECK(handler == MPI_ERRORS_RETURN);
  MPI_File_create_errhandler(note_file_error, &handler);
  MPI_File_set_errhandler(MPI_FILE_NULL, handler);
  MPI_Errhandler_free(&handler);
  FAILS_WITH(MPI_ERR_OTHER, MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO));
  CHECK(file_errors == 1);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
}

static void requests_and_statuses(void) {
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  int out[2] = {10 * rank, 10 * rank + 1}, in[2] = {-1, -1}, flag, count, indices[3], done;
  MPI_Request requests[4];
  MPI_Status statuses[4], status;
  requests[0] = MPI_REQUEST_NULL;
  MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv_c(&in[1], 1, MPI_INT, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[2]);
  MPI_Send(&out[0], 1, MPI_INT, next, 1, MPI_COMM_WORLD);
  MPI_Isend_c(&out[1], 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[3]);
  for (int i = 0; i < 4; ++i) statuses[i].MPI_ERROR = 77;
  CHECK(MPI_Waitall(4, requests, statuses) == MPI_SUCCESS);
  for (int i = 0; i < 4; ++i) CHECK(requests[i] == MPI_REQUEST_NULL && statuses[i].MPI_ERROR == MPI_SUCCESS);
  CHECK(in[0] == 10 * previous && in[1] == 10 * previous + 1);
  CHECK(statuses[0].MPI_SOURCE == MPI_ANY_SOURCE && statuses[0].MPI_TAG == MPI_ANY_TAG);
  CHECK(statuses[1].MPI_SOURCE == previous && statuses[1].MPI_TAG == 1 && statuses[2].MPI_TAG == 2);
  MPI_Get_count(&statuses[1], MPI_INT, &count);
  CHECK(count == 1);
  MPI_Get_count(&statuses[1], MPI_DOUBLE, &count); /* four bytes are no whole number of doubles */
  CHECK(count == MPI_UNDEFINED);
  MPI_Test_cancelled(&statuses[1], &flag);
  CHECK(!flag);

  MPI_Status_set_source(&status, 5);
  MPI_Status_set_tag(&status, 6);
  MPI_Status_set_error(&status, MPI_ERR_TAG);
  MPI_Status_set_cancelled(&status, 1);
  MPI_Status_set_elements(&status, MPI_DOUBLE, 3);
  MPI_Test_cancelled(&status, &flag);
  MPI_Get_elements(&status, MPI_DOUBLE, &count);
  CHECK(flag && count == 3 && status.MPI_SOURCE == 5 && status.MPI_TAG == 6 && status.MPI_ERROR == MPI_ERR_TAG);

  MPI_Send_init(out, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 2; ++round) {
    out[0] = 100 * round + rank;
    MPI_Startall(2, requests);
    for (int left = 2; left > 0; left -= done) {
      MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
      CHECK(done == 1 || done == 2);
    }
    CHECK(in[0] == 100 * round + previous);
    CHECK(requests[0] != MPI_REQUEST_NULL); /* persistent ones stay */
  }
  MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
  CHECK(done == MPI_UNDEFINED); /* none is active */
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  CHECK(requests[0] == MPI_REQUEST_NULL);
}

/* Their counts are large in the only form that there is (MPI-4.0, section 4.2). */
static void partitions(void) {
  int next = (rank + 1) % size, previous = (rank + size - 1) % size, out[4], in[4] = {-1, -1, -1, -1};
  MPI_Datatype empty;
  MPI_Request requests[2];
  for (int i = 0; i < 4; ++i) out[i] = 10 * rank + i;
  MPI_Psend_init(out, 2, (MPI_Count)2, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, 1, (MPI_Count)4, MPI_INT, previous, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Pready_range(0, 1, requests[0]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4; ++i) CHECK(in[i] == 10 * previous + i);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  CHECK(MPI_Psend_init(out, 1, (MPI_Count)1 << 31, empty, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[0]) == MPI_SUCCESS); /* 2^31 would be negative as an int */
  MPI_Request_free(&requests[0]);
  MPI_Type_free(&empty);
}

static void matched_messages(void) {
  int next = (rank + 1) % size, previous = (rank + size - 1) % size, in = -1;
  MPI_Message message;
  MPI_Status status;
  MPI_Request request;
  MPI_Isend(&rank, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &request);
  MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, &status);
  CHECK(status.MPI_SOURCE == previous && message != MPI_MESSAGE_NULL);
  MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
  CHECK(in == previous && message == MPI_MESSAGE_NULL);
  MPI_Mprobe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  CHECK(message == MPI_MESSAGE_NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static MPI_Datatype seen_type;

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  seen_type = *type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void add_large(void* in, void* inout, MPI_Count* length, MPI_Datatype* type) {
  seen_type = *type;
  for (MPI_Count i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void collectives(void) {
  int sum, all[3], mine = rank;
  MPI_Op op;
  MPI_Datatype type, types[3] = {MPI_INT, MPI_INT, MPI_INT};
  const int ones[3] = {1, 1, 1}, places[3] = {0, 4, 8};
  int sent[3] = {10 * rank, 10 * rank + 1, 10 * rank + 2};
  MPI_Request request;

  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  CHECK(sum == 3);
  MPI_Reduce_local(&rank, &sum, 1, MPI_INT, op);
  CHECK(sum == 3 + rank && seen_type == MPI_INT);
  MPI_Type_contiguous(1, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Reduce_local(&rank, &sum, 1, type, op);
  CHECK(sum == 3 + 2 * rank && seen_type == type); /* the program's own handle */
  MPI_Op_free(&op);
  CHECK(op == MPI_OP_NULL);
  MPI_Op_create_c(add_large, 1, &op);
  MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  CHECK(sum == 3);
  MPI_Reduce_local_c(&rank, &sum, 1, MPI_INT, op);
  CHECK(sum == 3 + rank && seen_type == MPI_INT);
  MPI_Op_free(&op);
  MPI_Type_free(&type);

  /* What does not matter may be anything (MPI-5.0, sections 6.5 and 6.6). */
  if (rank == 1) {
    all[1] = rank;
    MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, all, 1, MPI_INT, 1, MPI_COMM_WORLD);
    CHECK(all[0] == 0 && all[1] == 1 && all[2] == 2);
    MPI_Scatter(all, 1, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
  } else {
    MPI_Gather(&rank, 1, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
    MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, &mine, 1, MPI_INT, 1, MPI_COMM_WORLD);
    CHECK(mine == rank);
  }
  MPI_Alltoallw(sent, ones, places, types, all, ones, places, types, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) CHECK(all[i] == 10 * i + rank);
  MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, all, ones, places, types, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i) CHECK(all[i] == 10 * rank + i);
}

static void datatypes(void) {
  MPI_Datatype type, decoded[2];
  int blocks[2] = {1, 2}, integers, addresses, types, combiner, contents[3];
  MPI_Aint places[2] = {0, 8}, decoded_places[2], lb, extent;
  MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Count true_extent, large_lb;
  MPI_Type_create_struct(2, blocks, places, parts, &type);
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  CHECK(integers == 3 && addresses == 2 && types == 2 && combiner == MPI_COMBINER_STRUCT);
  MPI_Type_get_contents(type, integers, addresses, types, contents, decoded_places, decoded);
  CHECK(contents[0] == 2 && contents[2] == 2 && decoded_places[1] == 8);
  CHECK(decoded[0] == MPI_INT && decoded[1] == MPI_DOUBLE);
  MPI_Type_get_extent(type, &lb, &extent);
  MPI_Type_get_true_extent_c(type, &large_lb, &true_extent);
  CHECK(lb == 0 && extent == 24 && large_lb == 0 && true_extent == 24);
  MPI_Type_free(&type);
  CHECK(type == MPI_DATATYPE_NULL);
  MPI_Type_contiguous_c((MPI_Count)1 << 40, MPI_DOUBLE, &type);
  MPI_Type_size(type, &integers);
  CHECK(integers == MPI_UNDEFINED); /* 2^43 is no int */
  FAILS_WITH(MPI_ERR_TYPE, MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
  MPI_Type_free(&type);
}

static MPI_Comm copied_from, deleted_from, failed_in;
static int failed_with;

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)key;
  (void)extra;
  copied_from = comm;
  memcpy(out, &in, sizeof in);
  *flag = 1;
  return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int key, void* value, void* extra) {
  (void)key;
  (void)value;
  (void)extra;
  deleted_from = comm;
  return MPI_SUCCESS;
}

static void on_error(MPI_Comm* comm, int* code, ...) {
  failed_in = *comm;
  failed_with = *code;
}

static void communicators(void) {
  MPI_Comm dup, part, other;
  MPI_Group group, world;
  MPI_Errhandler handler, got;
  int key, flag, value = 42, *found, result, part_size, none[1] = {0};
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Comm_create_keyval(copy, delete, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  CHECK(copied_from == MPI_COMM_WORLD);
  MPI_Comm_get_attr(dup, key, &found, &flag);
  CHECK(flag && found == &value);
  MPI_Comm_get_attr(dup, MPI_TAG_UB, &found, &flag);
  CHECK(flag && *found >= 32767); /* MPI-5.0, section 9.1.2 */
  MPI_Comm_compare(dup, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT);

  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(dup, handler);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
  CHECK(got == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  FAILS_WITH(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, -7, dup));
  CHECK(failed_in == dup && class_of(failed_with) == MPI_ERR_TAG);

  CHECK(MPI_Comm_fromint(MPI_Comm_toint(dup)) == dup);
  CHECK(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_SELF)) == MPI_COMM_SELF);
  other = dup;
  MPI_Comm_free(&dup);
  CHECK(dup == MPI_COMM_NULL && deleted_from == other);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
  CHECK(key == MPI_KEYVAL_INVALID);

  MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 0, -rank, &part);
  CHECK((part == MPI_COMM_NULL) == (rank == 2));
  if (part != MPI_COMM_NULL) {
    MPI_Comm_size(part, &part_size);
    MPI_Comm_set_name(part, "a part");
    MPI_Comm_get_name(part, name, &result);
    CHECK(part_size == 2 && result == 6 && strcmp(name, "a part") == 0);
    MPI_Comm_free(&part);
  }
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 0, none, &group);
  CHECK(group == MPI_GROUP_EMPTY);
  MPI_Group_free(&world);
  CHECK(world == MPI_GROUP_NULL);
}

static void info_and_memory(void) {
  MPI_Info info;
  char value[MPI_MAX_INFO_VAL];
  int length = sizeof value, flag, *memory;
  MPI_Aint address;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Info_get_string(info, "key", &length, value, &flag);
  CHECK(flag && length == 6 && strcmp(value, "value") == 0);
  MPI_Info_free(&info);
  CHECK(info == MPI_INFO_NULL);
  MPI_Abi_get_info(&info);
  length = sizeof value;
  MPI_Info_get_string(info, "mpi_aint_size", &length, value, &flag);
  CHECK(flag && atoi(value) == (int)sizeof(MPI_Aint));
  MPI_Info_free(&info);
  MPI_Alloc_mem(64, MPI_INFO_NULL, &memory);
  memory[15] = 1;
  MPI_Get_address(&memory[15], &address);
  CHECK(MPI_Aint_diff(address, (MPI_Aint)memory) == 60);
  MPI_Free_mem(memory);
}

static void absolute_addresses(void) {
  int sent[3], got[3] = {-1, -1, -1}, counts[3] = {1, 1, 1}, displacements[3] = {0, 0, 0}, one = 1;
  MPI_Datatype from[3], to[3], type = MPI_INT;
  MPI_Aint address;
  for (int i = 0; i < size; ++i) {
    sent[i] = 10 * rank + i;
    MPI_Get_address(&sent[i], &address);
    MPI_Type_create_struct(1, &one, &address, &type, &from[i]);
    MPI_Get_address(&got[i], &address);
    MPI_Type_create_struct(1, &one, &address, &type, &to[i]);
    MPI_Type_commit(&from[i]);
    MPI_Type_commit(&to[i]);
  }
  MPI_Alltoallw(MPI_BOTTOM, counts, displacements, from, MPI_BOTTOM, counts, displacements, to, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    CHECK(got[i] == 10 * i + rank);
    MPI_Type_free(&from[i]);
    MPI_Type_free(&to[i]);
  }
}

int main(int argc, char **argv) {
  int provided;
  before_init();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size == 3);
  bad_arguments();
  removed();
  errors_of_files();
  requests_and_statuses();
  absolute_addresses();
  partitions();
  matched_messages();
  collectives();
  datatypes();
  communicators();
  info_and_memory();
  MPI_Pcontrol(1);
  MPI_Finalize();
  puts("fine");
  return 0;
}
