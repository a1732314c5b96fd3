/* SPDX-License-Identifier: BSD-3-Clause
 * What a program that was compiled for MPICH's or Open MPI's binary interface may rely on; prints "fine" on each rank.
 * Compiled with the header that is generated for tests, or with their own. */
#include "check.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static MPI_Comm handled_comm;
static int handled_code;
static MPI_Datatype reduced_type;
static int copied, deleted;

static void handler(MPI_Comm* comm, int* code, ...) {
  handled_comm = *comm;
  handled_code = *code;
}

static void last(void* in, void* inout, int* length, MPI_Datatype* type) {
  reduced_type = *type;
  for (int i = 0; i < *length; ++i) {
    if (((int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
  }
}

static int copy(MPI_Comm comm, int key, void* extra, void* value, void* made, int* flag) {
  (void)key, (void)extra;
  CHECK(comm == MPI_COMM_WORLD);
  *(void**)made = (char*)value + 1;
  *flag = 1;
  ++copied;
  return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value;
  CHECK(comm == *(MPI_Comm*)extra);
  ++deleted;
  return MPI_SUCCESS;
}

static void numbers(void) {
#ifdef OPEN_MPI /* values as in Open MPI 4.1.4's mpi.h */
  CHECK(MPI_ANY_SOURCE == -1 && MPI_PROC_NULL == -2 && MPI_ERR_TRUNCATE == 15 && sizeof(MPI_Status) == 24);
  CHECK(sizeof(MPI_Comm) == sizeof(void*));
#else /* values as in MPICH 4.0.2's mpi.h */
  CHECK(MPI_COMM_WORLD == 0x44000000 && MPI_INT == 0x4c000405 && sizeof(MPI_Comm) == sizeof(int));
  CHECK(MPI_ANY_SOURCE == -2 && MPI_PROC_NULL == -1 && MPI_ERR_TRUNCATE == 14 && sizeof(MPI_Status) == 20);
#endif
  int *value, flag;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  CHECK(flag && *value >= 32767);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
  CHECK(flag && *value == MPI_PROC_NULL);
  int level;
  MPI_Query_thread(&level);
  CHECK(level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE);
  int version, subversion;
  MPI_Get_version(&version, &subversion);
  CHECK(version >= 3 && subversion >= 0);
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(library, &length);
  CHECK(strstr(library, "Orrery") != NULL && length == (int)strlen(library));
#ifdef OPEN_MPI
  CHECK(strncmp(library, "Open MPI v4.1.4, ", 17) == 0);
#endif
}

static void messages(void) {
  const int right = (rank + 1) % size;
  int sent[2] = {rank, 7}, got[3] = {-1, -1, -1}, count;
  MPI_Status status, statuses[2];
  MPI_Request requests[2];
  MPI_Irecv(got, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent, 2, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  CHECK(statuses[0].MPI_SOURCE == (rank + size - 1) % size && statuses[0].MPI_TAG == 5);
  MPI_Get_count(&statuses[0], MPI_INT, &count);
  CHECK(count == 2 && got[0] == statuses[0].MPI_SOURCE && got[1] == 7);
  MPI_Recv(got, 3, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  MPI_Sendrecv(sent, 2, MPI_INT, 0, 1, got, 2, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Message message;
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  MPI_Status_set_cancelled(&status, 1);
  MPI_Status_set_elements(&status, MPI_INT, 3);
  MPI_Test_cancelled(&status, &count);
  CHECK(count == 1);
  MPI_Get_elements(&status, MPI_INT, &count);
  CHECK(count == 3);
}

static void collectives(void) {
  int most = rank;
  MPI_Op op;
  MPI_Op_create(last, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, op, MPI_COMM_WORLD);
  CHECK(most == size - 1);
  MPI_Reduce_local(&rank, &most, 1, MPI_INT, op);
  CHECK(reduced_type == MPI_INT);
  MPI_Op_free(&op);
  CHECK(op == MPI_OP_NULL);
  struct {
    double value;
    int place;
  } mine = {-rank, rank}, best;
  MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  CHECK(best.place == 0);
  /* One type for each rank: the array's length is the communicator's size. */
  int counts[64], places[64], in[64], out[64];
  MPI_Datatype types[64];
  for (int i = 0; i < size; ++i) {
    counts[i] = 1;
    places[i] = i * (int)sizeof(int);
    in[i] = 100 * rank + i;
    types[i] = MPI_INT;
  }
  MPI_Alltoallw(in, counts, places, types, out, counts, places, types, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) CHECK(out[i] == 100 * i + rank);
}

static void communicators(void) {
  MPI_Comm twin, half;
  MPI_Group world, other;
  int result, key, one = 1, three[3] = {0, MPI_PROC_NULL, 0}, translated[3];
  MPI_Comm_create_keyval(copy, delete, &key, &twin);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &one);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  CHECK(copied == 1 && twin != MPI_COMM_WORLD && twin != MPI_COMM_NULL);
  MPI_Comm_compare(MPI_COMM_WORLD, twin, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(twin, &other);
  MPI_Group_compare(world, other, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_translate_ranks(world, 3, three, other, translated);
  CHECK(translated[0] == 0 && translated[1] == MPI_PROC_NULL);
  MPI_Group_free(&other);
  CHECK(other == MPI_GROUP_NULL);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &half);
  CHECK((half == MPI_COMM_NULL) == (rank == 0));
  if (half != MPI_COMM_NULL) MPI_Comm_free(&half);
  MPI_Comm_free(&twin);
  CHECK(twin == MPI_COMM_NULL);
  twin = MPI_COMM_WORLD;
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  CHECK(deleted == 2);
  MPI_Comm_free_keyval(&key);
  CHECK(key == MPI_KEYVAL_INVALID);
}

static int class_of(int code) {
  int error_class;
  MPI_Error_class(code, &error_class);
  return error_class;
}

static void errors(void) {
  MPI_Errhandler mine, back;
  int error_class, code, length;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Comm_create_errhandler(handler, &mine);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &back);
  CHECK(back == mine);
  MPI_Errhandler_free(&back);
  code = MPI_Send(&length, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  CHECK(class_of(code) == MPI_ERR_RANK && handled_code == code && handled_comm == MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&mine);
  CHECK(mine == MPI_ERRHANDLER_NULL);
  CHECK(class_of(MPI_Send(&length, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
#ifndef OPEN_MPI /* a pointer that is none could not be told */
  CHECK(class_of(MPI_Send(&length, 1, (MPI_Datatype)0x8c123456, 0, 0, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
#endif
  CHECK(class_of(MPI_Send(&length, 1, MPI_INT, 0, -2, MPI_COMM_WORLD)) ==
        MPI_ERR_TAG); /* another interface's MPI_ANY_TAG */
  MPI_Add_error_class(&error_class);
  CHECK(error_class > MPI_ERR_LASTCODE);
  MPI_Add_error_string(error_class, "of my own");
  MPI_Error_string(error_class, text, &length);
  CHECK(strcmp(text, "of my own") == 0);
#ifdef OPEN_MPI /* MPI_ERR_REVOKED of 5.0, which the standard has not, and what 4.1 says of error handlers */
  CHECK(class_of(77) == 77);
  CHECK(MPI_Error_string(77, text, &length) == MPI_SUCCESS && length > 0);
  CHECK(class_of(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL)) == MPI_ERR_ARG);
#endif
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void codes_of_nobody(void) {
  /* A status keeps any number; mpi4py's tests write some. */
  MPI_Status status;
  memset(&status, 0, sizeof status);
  status.MPI_ERROR = 333;
  MPI_Status_set_elements(&status, MPI_INT, 1);
  CHECK(status.MPI_ERROR == 333);
}

static void datatypes(void) {
  const int sizes[2] = {4, 6}, part[2] = {2, 3}, start[2] = {1, 1};
  int integers[16], counts[4], i;
  MPI_Aint addresses[1];
  MPI_Datatype block, old[1];
  MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_FORTRAN, MPI_DOUBLE, &block);
  MPI_Type_commit(&block);
  MPI_Type_get_envelope(block, &counts[0], &counts[1], &counts[2], &counts[3]);
  CHECK(counts[3] == MPI_COMBINER_SUBARRAY && counts[0] == 8);
  MPI_Type_get_contents(block, counts[0], 0, 1, integers, addresses, old);
  CHECK(integers[0] == 2 && integers[7] == MPI_ORDER_FORTRAN && old[0] == MPI_DOUBLE);
  MPI_Type_size(block, &i);
  CHECK(i == 48);
  MPI_Type_free(&block);
  CHECK(block == MPI_DATATYPE_NULL);
}

static void buffers(void) {
  void* buffer = NULL;
  int bytes = -1;
  MPI_Aint address;
  char own[MPI_BSEND_OVERHEAD + 100];
  MPI_Buffer_attach(own, (int)sizeof own);
  MPI_Buffer_detach(&buffer, &bytes);
  CHECK(buffer == own && bytes == (int)sizeof own);
  MPI_Comm_attach_buffer(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0);
  MPI_Comm_detach_buffer(MPI_COMM_WORLD, &buffer, &bytes);
  CHECK(buffer == MPI_BUFFER_AUTOMATIC && bytes == 0);
  MPI_Get_address(MPI_IN_PLACE, &address);
  CHECK(address == (MPI_Aint)MPI_IN_PLACE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  numbers();
  messages();
  collectives();
  communicators();
  errors();
  datatypes();
  codes_of_nobody();
  buffers();
  printf("fine\n");
  MPI_Finalize();
  return 0;
}
