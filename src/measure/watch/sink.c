/* SPDX-License-Identifier: BSD-3-Clause
 * What the wrappers of the capture library write down, as src/trace/writer.h has it, goes to the board. */
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "watch.h"

/* There is one of each. */
struct orrery_trace_writer {
  char folder[4096];
  uint32_t ranks;
};
struct orrery_trace_stream {
  int64_t begin_ns, end_ns; /* of the call that is written down */
  int64_t all_ns;           /* that it took, and those for which it stands */
  orrery_trace_record last; /* that an answer follows */
};
static struct orrery_trace_writer writer;
static struct orrery_trace_stream stream;

static int bucket_of(int64_t bytes) {
  int bucket = 0;
  for (; bytes > 0; bytes >>= 1) ++bucket;
  return bucket;
}

/* Ranks know different sizes, or not all of them: they are one class, whatever the size. */
static int is_of_any_size(uint8_t kind) {
  return kind == ORRERY_COLL_Gatherv || kind == ORRERY_COLL_Scatterv || kind == ORRERY_COLL_Allgatherv || kind == ORRERY_COLL_Alltoallv ||
         kind == ORRERY_COLL_Alltoallw || kind == ORRERY_COLL_ReduceScatter;
}

static int has_equal_blocks(const orrery_trace_record* r) {
  for (uint32_t i = 1; i < r->counts_length; ++i)
    if (r->counts[i] != r->counts[0]) return 0;
  return 1;
}

static int is_left_out(const orrery_trace_record* r, const orrery_members* comm, int64_t weight) {
  enum orrery_left why = ORRERY_LEFT_REASONS;
  if (r->collective == ORRERY_COLL_NewComm) {
    why = ORRERY_LEFT_NEW_COMM;
  } else if (comm->two_groups) {
    why = ORRERY_LEFT_TWO_GROUPS;
  } else if (r->collective >= ORRERY_COLL_NeighborAllgather) {
    why = ORRERY_LEFT_NEIGHBOURS;
  } else if ((r->flags & ORRERY_FLAG_Blocking) == 0) {
    why = ORRERY_LEFT_NONBLOCKING;
  }
  if (why == ORRERY_LEFT_REASONS) return 0;
  orrery_watched->left[why] += (uint64_t)(weight > 0 ? weight : 1);
  return 1;
}

static void collective(const orrery_trace_record* r, int64_t weight) {
  const orrery_members* comm = orrery_members_of(r->comm);
  if (is_left_out(r, comm, weight) || weight == 0) return;
  const int any_size = is_of_any_size(r->collective);
  const uint8_t bucket = any_size ? 0 : (uint8_t)bucket_of(r->bytes);
  orrery_cell* cell = orrery_cell_of(ORRERY_COLLECTIVE_CALLS, comm->id, r->peer, 0, r->collective, bucket);
  if (cell == NULL) return;
  if (cell->calls == 0) {
    cell->ranks = comm->ranks;
    cell->element = r->element;
    cell->extent = r->extent;
    if (r->flags & ORRERY_FLAG_Commutative) cell->flags |= ORRERY_COMMUTES;
  }
  if (any_size && !has_equal_blocks(r)) cell->flags |= ORRERY_UNEQUAL;
  const orrery_sample sample = {stream.begin_ns, stream.begin_ns, stream.end_ns, r->bytes, 1};
  const int64_t number = orrery_cell_count(cell, r->bytes, weight);
  orrery_cell_spent(cell, stream.end_ns - stream.begin_ns, stream.all_ns);
  orrery_cell_sample(cell, number, &sample);
}

static void leave(const orrery_trace_record* r) {
  if (r->kind >= ORRERY_OP_Put && r->kind <= ORRERY_OP_GetAccumulate) {
    ++orrery_watched->left[ORRERY_LEFT_ONE_SIDED];
  } else if (r->kind == ORRERY_OP_FileRead || r->kind == ORRERY_OP_FileWrite) {
    ++orrery_watched->left[ORRERY_LEFT_FILES];
  } else if (r->kind == ORRERY_OP_Psend || r->kind == ORRERY_OP_Precv) {
    ++orrery_watched->left[ORRERY_LEFT_PARTITIONED];
  }
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The time of a call and of those for which it stands. Each of these is taken to be as long as it was, but all of them
 * lie where nothing else was observed: a call in which the host was away for ten milliseconds does not count 64 times.
 */
static int64_t all_ns(const orrery_observation* of, int64_t begin_ns, int64_t end_ns) {
  const int64_t own = end_ns - begin_ns;
  if (of->calls <= 1) return own;
  const int64_t outside = end_ns - own - orrery_watched->mpi_ns; /* of all observed calls since the start */
  const int64_t others = least((of->calls - 1) * own, least(of->others_ns, outside));
  return others > 0 ? own + others : own;
}

int orrery_trace_operation(orrery_trace_stream* to, const orrery_trace_record* r) {
  if (orrery_watched == NULL) return 0;
  if (r->flags & ORRERY_FLAG_FirstOfCall) {
    to->begin_ns = r->begin_ns;
    to->end_ns = r->end_ns;
  }
  orrery_observation observed = {0, 0};
  if (r->kind == ORRERY_OP_Collective) observed = orrery_observed(to->begin_ns, to->end_ns);
  if (r->flags & ORRERY_FLAG_FirstOfCall) {
    to->all_ns = all_ns(&observed, r->begin_ns, r->end_ns);
    orrery_watched->now_ns = r->end_ns;
    orrery_watched->mpi_ns += to->all_ns;
    orrery_watched->calls += observed.calls > 0 ? observed.calls : 1;
  }
  to->last.kind = r->kind;
  to->last.flags = r->flags;
  to->last.request = r->request;
  to->last.requests = r->requests;
  to->last.requests_length = r->requests_length;
  if (r->kind == ORRERY_OP_Collective) {
    collective(r, observed.calls);
  } else if (r->kind == ORRERY_OP_Isend) {
    orrery_channel_sent(r, to->begin_ns, to->end_ns);
  } else if (r->kind == ORRERY_OP_Irecv) {
    orrery_channel_received(r, to->begin_ns, to->end_ns);
  } else if (r->kind == ORRERY_OP_WaitAll) {
    orrery_channel_completed(r->requests, r->requests_length, NULL, 0, to->begin_ns, to->end_ns);
  } else {
    leave(r);
  }
  return 0;
}

int orrery_trace_answered(orrery_trace_stream* to, const orrery_trace_answer* answer) {
  const orrery_trace_record* r = &to->last;
  if (orrery_watched == NULL) return 0;
  if (r->kind == ORRERY_OP_Match || r->kind == ORRERY_OP_Irecv) {
    orrery_channel_matched(r->request, r->kind == ORRERY_OP_Irecv, answer->source, answer->tag, answer->bytes);
  } else if (r->kind == ORRERY_OP_TestAll && answer->flag && (r->flags & ORRERY_FLAG_Peek) == 0) {
    orrery_channel_completed(r->requests, r->requests_length, NULL, 0, to->begin_ns, to->end_ns);
  } else if (answer->completed != NULL && answer->completed_length > 0) {
    orrery_channel_completed(r->requests, r->requests_length, answer->completed, answer->completed_length, to->begin_ns,
                             to->end_ns);
  }
  return 0;
}

orrery_trace_writer* orrery_trace_create(const char* path, uint32_t ranks) {
  const char* name = strrchr(path, '/');
  const size_t length = name == NULL ? 0 : (size_t)(name - path);
  if (length == 0 || length >= sizeof writer.folder) return NULL;
  memcpy(writer.folder, path, length);
  writer.folder[length] = 0;
  writer.ranks = ranks;
  return orrery_board_open(writer.folder, (uint32_t)strtoul(name + 1, NULL, 10), ranks) ? &writer : NULL;
}

static void keep(char* to, size_t size, const char* text) {
  strncpy(to, text, size - 1);
  to[size - 1] = 0;
}

int orrery_trace_property(orrery_trace_writer* of, const char* key, const char* value) {
  orrery_board* board = orrery_watched;
  (void)of;
  if (board == NULL) return 0;
  if (strcmp(key, "host") == 0) keep(board->host, sizeof board->host, value);
  if (strcmp(key, "library") == 0) keep(board->library, sizeof board->library, value);
  if (strcmp(key, "clock_drift_ns") == 0) board->drift_ns = strtoll(value, NULL, 10);
  if (strcmp(key, "clock_span_ns") == 0) board->span_ns = strtoll(value, NULL, 10);
  if (strcmp(key, "threads") == 0) board->threads = 1;
  if (strcmp(key, "aborted") == 0) board->aborted = 1;
  return 0;
}

orrery_trace_stream* orrery_trace_open_stream(orrery_trace_writer* of, uint32_t rank) {
  orrery_members_start(of->folder, rank, of->ranks);
  return &stream;
}

int orrery_trace_communicator(orrery_trace_writer* of, uint32_t comm, uint32_t first_group, const int32_t* members,
                              uint32_t count) {
  (void)of;
  orrery_members_add(comm, first_group > 0, members, count);
  return 0;
}

int orrery_trace_close_stream(orrery_trace_stream* of, int complete) {
  (void)of;
  if (orrery_watched != NULL) orrery_watched->finalized = complete != 0;
  return 0;
}

int orrery_trace_close(orrery_trace_writer* of) {
  (void)of;
  orrery_board_close();
  return 0;
}

/* A board needs none of these. */
int orrery_trace_names(orrery_trace_writer* of, enum orrery_trace_table table, uint32_t first, const char* const* texts,
                       uint32_t count) {
  (void)of, (void)table, (void)first, (void)texts, (void)count;
  return 0;
}
int orrery_trace_local(orrery_trace_writer* of, uint32_t rank, const orrery_trace_local_calls* calls, uint32_t count) {
  (void)of, (void)rank, (void)calls, (void)count;
  return 0;
}
int orrery_trace_flush(orrery_trace_stream* of) {
  (void)of;
  return 0;
}
void orrery_rest_start(const char* folder, uint32_t world_rank) { (void)folder, (void)world_rank; }
void orrery_rest_keep(const orrery_trace_stream* of) { (void)of; }
void orrery_rest_over(void) {}

/* Nor how long the program computed. */
void orrery_meter_start(void) {}
double orrery_meter_call(int64_t begin_ns) {
  (void)begin_ns;
  return 0;
}
void orrery_meter_resume(int64_t begin_ns) { (void)begin_ns; }
