/* SPDX-License-Identifier: BSD-3-Clause
 * What the tool interface tells of a run: prints each variable of rank 1 with its value, and ends with the number of
 * mistakes in how it behaves. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int mistakes = 0;

static void expect(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "tool: %s\n", what);
  ++mistakes;
}

static void show_control(int index) {
  char name[64], text[256];
  int length = sizeof name, bind, scope, count, number;
  unsigned long long wide;
  double real;
  MPI_Datatype type;
  MPI_T_enum values;
  MPI_T_cvar_handle handle;
  MPI_T_cvar_get_info(index, name, &length, NULL, &type, &values, NULL, NULL, &bind, &scope);
  expect(length == (int)strlen(name) + 1, "length of a name");
  expect(bind == MPI_T_BIND_NO_OBJECT && scope == MPI_T_SCOPE_CONSTANT, "settings are constant");
  MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
  if (values != MPI_T_ENUM_NULL) {
    MPI_T_cvar_read(handle, &number);
    length = sizeof text;
    MPI_T_enum_get_item(values, number, &count, text, &length);
    printf("%s %s\n", name, text);
  } else if (type == MPI_INT) {
    MPI_T_cvar_read(handle, &number);
    printf("%s %d\n", name, number);
  } else if (type == MPI_UNSIGNED_LONG_LONG) {
    MPI_T_cvar_read(handle, &wide);
    printf("%s %llu\n", name, wide);
  } else if (type == MPI_DOUBLE) {
    MPI_T_cvar_read(handle, &real);
    printf("%s %g\n", name, real);
  } else {
    expect(count <= (int)sizeof text, "room for a text");
    MPI_T_cvar_read(handle, text);
    printf("%s %s\n", name, text);
  }
  expect(MPI_T_cvar_write(handle, &number) == MPI_T_ERR_CVAR_SET_NEVER, "settings cannot be set");
  MPI_T_cvar_handle_free(&handle);
  expect(handle == MPI_T_CVAR_HANDLE_NULL, "a freed handle");
}

static unsigned long long counter(MPI_T_pvar_session session, const char *name, int variable_class) {
  int index = -1, count;
  unsigned long long value = 0;
  MPI_T_pvar_handle handle;
  expect(MPI_T_pvar_get_index(name, variable_class, &index) == MPI_SUCCESS, "a counter by its name");
  MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
  expect(MPI_T_pvar_start(session, handle) == MPI_T_ERR_PVAR_NO_STARTSTOP, "counters always run");
  expect(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS, "reading a counter");
  MPI_T_pvar_handle_free(session, &handle);
  return value;
}

int main(int argc, char **argv) {
  int rank, provided, number, i, length = 4;
  char little[4];
  MPI_T_pvar_session session;

  expect(MPI_T_cvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED, "not before MPI_T_init_thread");
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send(little, 3, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(little, 3, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_T_cvar_get_num(&number);
    for (i = 0; i < number; ++i) show_control(i);
    expect(MPI_T_cvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX,
           "an index too far");
    MPI_T_cvar_get_info(0, little, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    expect(strcmp(little, "ran") == 0 && length == 6, "a name that does not fit is cut");
    MPI_T_event_get_num(&number);
    expect(number == 0, "there are no events");
  }
  MPI_T_pvar_session_create(&session);
  expect(counter(session, "messages_sent", MPI_T_PVAR_CLASS_COUNTER) == (rank == 0), "one message");
  expect(counter(session, "bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE) == (rank == 0 ? 3 : 0), "of three bytes");
  MPI_T_pvar_session_free(&session);
  expect(MPI_T_pvar_session_free(&session) == MPI_T_ERR_INVALID_SESSION, "a session is freed once");
  MPI_T_finalize();
  MPI_Finalize();
  return mistakes;
}
