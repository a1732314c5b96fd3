/* SPDX-License-Identifier: BSD-3-Clause
 * The library's life: from MPI_Init to MPI_Finalize, or to where the process ends.
 *
 * Operations go to the file RANK.trace in blocks. What is not yet in a block lies in the mapped file RANK.rest
 * (rest.c), so that nothing of it is lost however the process ends; `orrery capture` puts both together. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "locals.h"

orrery_trace_writer* orrery_writer;
int orrery_threads;
__thread int orrery_depth __attribute__((tls_model("initial-exec")));
static orrery_trace_stream* stream;
static int64_t start_ns;  /* of the run, by our clock */
static int64_t offset_ns; /* of rank 0's clock from ours, at the start */
static int all_captured;
static pid_t owner;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[3072];
static uint32_t world_rank;

void* orrery_real(const char* name) {
  void* address = dlsym(RTLD_NEXT, name);
  if (address == NULL) {
    fprintf(stderr, "orrery: the MPI library has no %s: the capture library was built for another one\n", name);
    abort();
  }
  return address;
}

orrery_trace_record orrery_record(enum orrery_kind kind) {
  static const orrery_trace_record empty = {.begin_ns = -1, .end_ns = -1}; /* to copy it is quicker than to make it */
  orrery_trace_record record = empty;
  record.kind = (uint8_t)kind;
  return record;
}

orrery_trace_answer orrery_answer(int yes) {
  orrery_trace_answer answer;
  memset(&answer, 0, sizeof answer);
  answer.flag = yes != 0;
  answer.source = -1;
  answer.tag = ORRERY_ANY_TAG;
  return answer;
}

/* Begin of a call: whether it is the program's own, and is to be written down. */
int orrery_begin(orrery_call* call, uint16_t routine, const void* from) {
  if (stream == NULL || orrery_depth > 0) return 0;
  orrery_depth = 1;
  call->routine = routine;
  call->written = 0;
  call->from = from;
  call->begin_ns = orrery_now_ns();
  call->compute_s = orrery_meter_call(call->begin_ns);
  return 1;
}

void orrery_lock(void) {
  if (orrery_threads) pthread_mutex_lock(&lock);
}

void orrery_unlock(void) {
  if (orrery_threads) pthread_mutex_unlock(&lock);
}

void orrery_over(orrery_call* call) {
  call->end_ns = orrery_now_ns();
  orrery_lock();
  call->site = orrery_site(call->from);
}

void orrery_end(orrery_call* call) {
  orrery_unlock();
  orrery_meter_resume(call->begin_ns);
  orrery_depth = 0;
}

/* From 1, in the order in which threads call first. */
static uint32_t thread_number(void) {
  static uint32_t count;
  static __thread uint32_t number __attribute__((tls_model("initial-exec")));
  if (number == 0) number = ++count;
  return number;
}

static void write_one(orrery_call* call, orrery_trace_record* record) {
  record->routine = call->routine;
  record->site = call->site;
  if (orrery_threads) record->thread = thread_number();
  if (!call->written) {
    call->written = 1;
    record->flags |= ORRERY_FLAG_FirstOfCall;
    record->compute_s = call->compute_s;
    record->begin_ns = call->begin_ns - start_ns;
    record->end_ns = call->end_ns - start_ns;
    if (record->begin_ns < 0) record->begin_ns = 0;
    if (record->end_ns < record->begin_ns) record->end_ns = record->begin_ns;
  }
  orrery_trace_operation(stream, record);
}

void orrery_write(orrery_call* call, orrery_trace_record* record) {
  write_one(call, record);
  orrery_rest_keep(stream);
}

void orrery_write_answered(orrery_call* call, orrery_trace_record* record, const orrery_trace_answer* answer) {
  write_one(call, record);
  orrery_trace_answered(stream, answer);
  orrery_rest_keep(stream);
}

void orrery_nothing(orrery_call* call) {
  orrery_trace_record record = orrery_record(ORRERY_OP_Nothing);
  orrery_write(call, &record);
}

/* What it starts are processes of another run, and messages to them are none of this trace's: a replay would be wrong.
 */
void orrery_not_captured(orrery_call* call, const char* name) {
  orrery_trace_property(orrery_writer, "not_captured", name);
  orrery_nothing(call);
}

static void property_number(const char* key, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  orrery_trace_property(orrery_writer, key, text);
}

/* The first line of what the library says of itself. */
static void property_library(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(text, &length);
  text[strcspn(text, "\n")] = 0;
  orrery_trace_property(orrery_writer, "library", text);
}

static void open_trace(int size) {
  char path[4096], host[256] = "";
  snprintf(path, sizeof path, "%s/%u.trace", folder, world_rank);
  orrery_writer = orrery_trace_create(path, (uint32_t)size);
  if (orrery_writer == NULL) {
    fprintf(stderr, "orrery: rank %u: %s: %s: it is not captured\n", world_rank, path, strerror(errno));
    return;
  }
  property_number("rank", world_rank);
  gethostname(host, sizeof host - 1);
  orrery_trace_property(orrery_writer, "host", host);
  property_number("process", (int64_t)getpid());
  property_library();
  stream = orrery_trace_open_stream(orrery_writer, world_rank);
  if (stream != NULL) orrery_rest_start(folder, world_rank);
}

/* The run starts when the last rank is there, by the clock of rank 0. */
static void agree_on_start(void) {
  int64_t start = 0;
  offset_ns = orrery_clock_offset();
  PMPI_Barrier(MPI_COMM_WORLD);
  start = orrery_now_ns();
  PMPI_Bcast(&start, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  start_ns = start - offset_ns;
}

/* Ranks that were spawned have a world of their own, which is not this trace's. */
static int is_spawned(void) {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) return 0;
  char path[4096];
  snprintf(path, sizeof path, "%s/spawned.%ld", folder, (long)getpid());
  const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file >= 0) close(file);
  return 1;
}

void orrery_initialised(uint16_t routine, int provided, int64_t took_ns) {
  const char* where = getenv("ORRERY_CAPTURE");
  int rank = 0, size = 0, captured = 0;
  orrery_call call;
  if (where == NULL || stream != NULL || strlen(where) >= sizeof folder) return;
  strcpy(folder, where);
  if (is_spawned()) return;
  owner = getpid();
  orrery_depth = 1;
  orrery_now_start();
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  world_rank = (uint32_t)rank;
  agree_on_start();
  open_trace(size);
  captured = stream != NULL;
  PMPI_Allreduce(&captured, &all_captured, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (captured) {
    orrery_comms_start();
    orrery_meter_start();
    orrery_threads = provided == MPI_THREAD_MULTIPLE;
    if (orrery_threads) orrery_trace_property(orrery_writer, "threads", "multiple");
    orrery_locals_start();
    orrery_sites_start();
    orrery_locals_outside(routine, took_ns);
    call = (orrery_call){.routine = routine, .begin_ns = start_ns, .end_ns = orrery_now_ns()};
    orrery_nothing(&call);
    call.begin_ns = orrery_now_ns();
    orrery_meter_call(call.begin_ns);
    orrery_meter_resume(call.begin_ns);
  }
  orrery_depth = 0;
}

static void close_stream(int complete) {
  orrery_trace_close_stream(stream, complete);
  stream = NULL;
}

static void close_trace(void) {
  orrery_locals_write(world_rank);
  const int error = orrery_trace_close(orrery_writer);
  orrery_writer = NULL;
  if (error == 0) {
    orrery_rest_over();
  } else {
    fprintf(stderr, "orrery: rank %u: %s: its trace ends before the rank does\n", world_rank, strerror(error));
  }
}

/* Clocks are compared again, while ranks can talk to each other: they may have drifted apart. */
void orrery_finalising(orrery_call* call) {
  orrery_trace_record record = orrery_record(ORRERY_OP_Finalize);
  const orrery_trace_answer answer = orrery_answer(1);
  orrery_write_answered(call, &record, &answer);
  if (all_captured) {
    property_number("clock_drift_ns", orrery_clock_offset() - offset_ns);
    property_number("clock_span_ns", orrery_now_ns() - start_ns);
  }
  close_stream(1);
  orrery_locals_stop(); /* what MPI calls from here on is its own */
}

void orrery_finalised(uint16_t routine, int64_t took_ns) {
  orrery_locals_outside(routine, took_ns);
  close_trace();
}

void orrery_aborting(int code) {
  if (stream == NULL) return;
  property_number("aborted", code);
  orrery_trace_flush(stream);
  orrery_rest_keep(stream);
  orrery_locals_write(world_rank);
  orrery_locals_stop();
}

__attribute__((destructor)) static void unload(void) {
  if (orrery_writer == NULL || owner != getpid()) return;
  if (stream != NULL) close_stream(0);
  close_trace();
}
