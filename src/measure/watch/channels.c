/* SPDX-License-Identifier: BSD-3-Clause
 * Messages. Those of one sender to one receiver with one tag on one communicator do not overtake each other, so the
 * n-th send and the n-th receive are the two ends of the same message. */
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "watch.h"

/* Operations that are under way, by request. */
typedef struct pending {
  orrery_cell* cell; /* NULL: it has none, or is over */
  int64_t number;
  orrery_sample sample;
  uint64_t comm;
} pending;
static pending* table;
static uint32_t capacity;
static pending open_to_all; /* a receive from any source, of a call that is about to be answered */

static pending* pending_of(uint32_t request) {
  if (request >= capacity) {
    const uint32_t larger = 2 * request + 64;
    pending* grown = (pending*)realloc(table, larger * sizeof *grown);
    if (grown == NULL) abort();
    memset(grown + capacity, 0, (larger - capacity) * sizeof *grown);
    table = grown;
    capacity = larger;
  }
  return &table[request];
}

/* A call that started and completed it. */
static void complete_at_once(orrery_cell* cell, int64_t bytes, int64_t begin_ns, int64_t end_ns) {
  const orrery_sample sample = {begin_ns, begin_ns, end_ns, bytes, 1};
  const int64_t number = orrery_cell_count(cell, bytes, 1);
  orrery_cell_spent(cell, end_ns - begin_ns, 1);
  orrery_cell_sample(cell, number, &sample);
}

static void start(orrery_cell* cell, uint32_t request, int64_t bytes, int64_t begin_ns) {
  pending* p = pending_of(request);
  p->cell = cell;
  p->number = orrery_cell_count(cell, bytes, 1);
  p->sample = (orrery_sample){.posted_ns = begin_ns, .bytes = bytes};
}

void orrery_channel_sent(const orrery_trace_record* r, int64_t begin_ns, int64_t end_ns) {
  orrery_cell* cell = orrery_cell_of(ORRERY_SENDS, orrery_members_of(r->comm)->id, r->peer, r->tag, 0, 0);
  if (cell == NULL) return;
  if (r->flags & ORRERY_FLAG_Part) {
    orrery_cell_count(cell, r->bytes, 1);
  } else if (r->flags & ORRERY_FLAG_Blocking) {
    complete_at_once(cell, r->bytes, begin_ns, end_ns);
  } else {
    start(cell, r->request, r->bytes, begin_ns);
  }
}

/* Of what is known too little to say which message it was: those of this sender are not told apart. */
static void confuse(uint64_t comm, int32_t peer) {
  orrery_cell* cell = orrery_cell_of(ORRERY_RECEIVES, comm, peer, ORRERY_ANY_TAG, 0, 0);
  if (cell == NULL) return;
  cell->flags |= ORRERY_UNORDERED;
  ++cell->calls;
}

void orrery_channel_received(const orrery_trace_record* r, int64_t begin_ns, int64_t end_ns) {
  const uint64_t comm = orrery_members_of(r->comm)->id;
  const int at_once = (r->flags & ORRERY_FLAG_Blocking) != 0;
  if (r->flags & ORRERY_FLAG_WantsMatch) {
    pending* p = at_once ? &open_to_all : pending_of(r->request);
    *p = (pending){.comm = comm, .sample = {begin_ns, begin_ns, at_once ? end_ns : 0, r->bytes, 1}};
    return;
  }
  if (r->tag == ORRERY_ANY_TAG || (r->flags & (ORRERY_FLAG_Take | ORRERY_FLAG_Part)) != 0) {
    confuse(comm, r->peer);
    if (!at_once && (r->flags & ORRERY_FLAG_Part) == 0) pending_of(r->request)->cell = NULL;
    return;
  }
  orrery_cell* cell = orrery_cell_of(ORRERY_RECEIVES, comm, r->peer, r->tag, 0, 0);
  if (cell == NULL) {
    if (!at_once) pending_of(r->request)->cell = NULL;
  } else if (at_once) {
    complete_at_once(cell, r->bytes, begin_ns, end_ns);
  } else {
    start(cell, r->request, r->bytes, begin_ns);
  }
}

static void complete(uint32_t request, uint32_t together, int64_t begin_ns, int64_t end_ns) {
  pending* p = pending_of(request);
  p->sample.begin_ns = begin_ns;
  p->sample.end_ns = end_ns;
  p->sample.together = together;
  if (p->cell == NULL) return; /* if it was open to all, the answer says whose it is */
  if (together == 1) orrery_cell_spent(p->cell, end_ns - begin_ns, 1);
  orrery_cell_sample(p->cell, p->number, &p->sample);
  p->cell = NULL;
}

void orrery_channel_completed(const uint32_t* requests, uint32_t count, const uint32_t* which, uint32_t which_count,
                              int64_t begin_ns, int64_t end_ns) {
  if (which == NULL) {
    for (uint32_t i = 0; i < count; ++i) complete(requests[i], count, begin_ns, end_ns);
  } else {
    for (uint32_t i = 0; i < which_count; ++i)
      if (which[i] < count) complete(requests[which[i]], count, begin_ns, end_ns);
  }
}

void orrery_channel_matched(uint32_t request, int at_once, int32_t source, int32_t tag, int64_t bytes) {
  pending* p = at_once ? &open_to_all : pending_of(request);
  if (source < 0 || p->sample.end_ns == 0) return;
  orrery_cell* cell = orrery_cell_of(ORRERY_RECEIVES, p->comm, source, tag, 0, 0);
  if (cell == NULL) return;
  p->sample.bytes = bytes;
  const int64_t number = orrery_cell_count(cell, bytes, 1);
  orrery_cell_sample(cell, number, &p->sample);
}
