/* SPDX-License-Identifier: BSD-3-Clause
 * Windows: what `orrery run` would have written down for the same calls (docs/design/one-sided.md), so that a replay
 * simulates them. Accesses of one origin to one target are counted under one request, which the end of an epoch waits
 * for. */
#include "windows.h"

#include <stdlib.h>
#include <string.h>

static orrery_window* windows;

static uint64_t key_of(MPI_Win win) {
  uint64_t key = 0;
  memcpy(&key, &win, sizeof win);
  return key;
}

orrery_window* orrery_window_of(MPI_Win win) {
  const uint64_t key = key_of(win);
  for (orrery_window* w = windows; w != NULL; w = w->chain)
    if (w->handle == key) return w;
  return NULL;
}

void orrery_window_made(orrery_call* call, MPI_Comm comm, MPI_Win win) {
  orrery_comm* parent = orrery_comm_of(comm);
  orrery_window* w = calloc(1, sizeof *w);
  if (w == NULL) abort();
  w->handle = key_of(win);
  w->comm = orrery_comm_hidden(parent);
  w->targets = calloc((size_t)parent->size, sizeof *w->targets);
  if (w->targets == NULL) abort();
  w->chain = windows;
  windows = w;
  orrery_agreement(call, parent);
  orrery_collective(call, w->comm, ORRERY_COLL_Bcast, 8); /* where the memory of all is */
  orrery_collective(call, w->comm, ORRERY_COLL_Barrier, 0);
}

void orrery_window_freed(orrery_call* call, uint64_t handle) {
  for (orrery_window** at = &windows; *at != NULL; at = &(*at)->chain) {
    orrery_window* w = *at;
    if (w->handle != handle) continue;
    orrery_complete_all(call, w);
    orrery_collective(call, w->comm, ORRERY_COLL_Barrier, 0);
    orrery_comm_forgotten(call, w->comm);
    *at = w->chain;
    free(w->targets);
    free(w->started);
    free(w->awaited);
    free(w);
    return;
  }
  orrery_nothing(call);
}

uint64_t orrery_window_key(MPI_Win win) { return key_of(win); }

void orrery_access(orrery_call* call, enum orrery_kind kind, int64_t bytes, int target, MPI_Win win,
                   MPI_Request* request) {
  orrery_window* w = orrery_window_of(win);
  if (w == NULL || target < 0 || target >= w->comm->size) { /* MPI_PROC_NULL */
    orrery_nothing(call);
    return;
  }
  orrery_trace_record r = orrery_record(kind);
  orrery_target* to = &w->targets[target];
  if (to->outstanding == 0) {
    to->outstanding = orrery_request_number();
    ++w->open;
  }
  r.comm = w->comm->number;
  r.peer = orrery_world_rank(w->comm, target);
  r.bytes = bytes;
  r.request = to->outstanding;
  if (request != NULL) {
    const uint32_t own = orrery_request_number();
    orrery_request_add(*request, own);
    r.tag = (int32_t)own;
  }
  orrery_write(call, &r);
}

void orrery_complete(orrery_call* call, orrery_window* w, const int* ranks, int count) {
  uint32_t* numbers = w->open > 0 && count > 0 ? malloc(sizeof *numbers * (size_t)count) : NULL;
  orrery_trace_record r = orrery_record(ORRERY_OP_WaitAll);
  for (int i = 0; numbers != NULL && i < count; ++i) {
    const int rank = ranks == NULL ? i : ranks[i];
    if (rank < 0 || rank >= w->comm->size || w->targets[rank].outstanding == 0) continue;
    numbers[r.requests_length++] = w->targets[rank].outstanding;
    w->targets[rank].outstanding = 0;
    --w->open;
  }
  r.requests = numbers;
  if (r.requests_length > 0) orrery_write(call, &r);
  while (r.requests_length > 0) orrery_request_number_back(numbers[--r.requests_length]);
  free(numbers);
}

void orrery_complete_all(orrery_call* call, orrery_window* w) { orrery_complete(call, w, NULL, w->comm->size); }
