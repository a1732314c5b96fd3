/* SPDX-License-Identifier: BSD-3-Clause
 * Synchronisation of windows: fences, locks, and messages between those who expose and those who access. */
#include <stdlib.h>

#include "windows.h"

enum { tag_post = 1, tag_complete = 2 };

/* A call that had nothing to do is still one. */
static void done(orrery_call* call) {
  if (!call->written) orrery_nothing(call);
}

void orrery_fence(orrery_call* call, MPI_Win win) {
  orrery_window* w = orrery_window_of(win);
  if (w != NULL) {
    orrery_complete_all(call, w);
    orrery_collective(call, w->comm, ORRERY_COLL_Barrier, 0);
  }
  done(call);
}

void orrery_flush(orrery_call* call, int rank, MPI_Win win) {
  orrery_window* w = orrery_window_of(win);
  if (w != NULL) orrery_complete(call, w, &rank, 1);
  done(call);
}

void orrery_flush_all(orrery_call* call, MPI_Win win) {
  orrery_window* w = orrery_window_of(win);
  if (w != NULL) orrery_complete_all(call, w);
  done(call);
}

static void about_lock(orrery_call* call, const orrery_window* w, enum orrery_kind kind, int rank, int exclusive) {
  orrery_trace_record r = orrery_record(kind);
  const orrery_trace_answer answer = orrery_answer(1);
  r.comm = w->comm->number;
  r.peer = rank < 0 ? ORRERY_ANY_SOURCE : orrery_world_rank(w->comm, rank);
  if (exclusive) r.flags |= ORRERY_FLAG_Exclusive;
  if (kind == ORRERY_OP_Lock) {
    orrery_write_answered(call, &r, &answer);
  } else {
    orrery_write(call, &r);
  }
}

void orrery_locked(orrery_call* call, int type, int rank, int assertion, MPI_Win win) {
  orrery_window* w = orrery_window_of(win);
  if (w != NULL && rank >= 0 && rank < w->comm->size && (assertion & MPI_MODE_NOCHECK) == 0) {
    w->targets[rank].locked = 1;
    about_lock(call, w, ORRERY_OP_Lock, rank, type == MPI_LOCK_EXCLUSIVE);
  }
  done(call);
}

void orrery_unlocked(orrery_call* call, int rank, MPI_Win win) {
  orrery_window* w = orrery_window_of(win);
  if (w != NULL && rank >= 0 && rank < w->comm->size) {
    orrery_complete(call, w, &rank, 1);
    if (w->targets[rank].locked) about_lock(call, w, ORRERY_OP_Unlock, rank, 0);
    w->targets[rank].locked = 0;
  }
  done(call);
}

void orrery_locked_all(orrery_call* call, int assertion, MPI_Win win) {
  orrery_window* w = orrery_window_of(win);
  if (w != NULL && (assertion & MPI_MODE_NOCHECK) == 0) {
    w->all_locked = 1;
    about_lock(call, w, ORRERY_OP_Lock, -1, 0);
  }
  done(call);
}

void orrery_unlocked_all(orrery_call* call, MPI_Win win) {
  orrery_window* w = orrery_window_of(win);
  if (w != NULL) {
    orrery_complete_all(call, w);
    if (w->all_locked) about_lock(call, w, ORRERY_OP_Unlock, -1, 0);
    w->all_locked = 0;
  }
  done(call);
}

/* Ranks in the window of a group's members. */
static int* ranks_of(MPI_Group group, MPI_Win win, int* count) {
  MPI_Group all;
  PMPI_Group_size(group, count);
  int* ranks = malloc(2 * sizeof *ranks * (size_t)(*count + 1));
  if (ranks == NULL) abort();
  int* own = ranks + *count + 1;
  for (int i = 0; i < *count; ++i) own[i] = i;
  PMPI_Win_get_group(win, &all);
  PMPI_Group_translate_ranks(group, *count, own, all, ranks);
  PMPI_Group_free(&all);
  return ranks;
}

static void tell(orrery_call* call, const orrery_window* w, const int* ranks, int count, int tag) {
  orrery_trace_record r = orrery_record(ORRERY_OP_Isend);
  r.flags = ORRERY_FLAG_Blocking;
  r.comm = w->comm->number;
  r.tag = tag;
  for (int i = 0; i < count; ++i) {
    r.peer = orrery_world_rank(w->comm, ranks[i]);
    orrery_write(call, &r);
  }
}

/* Receives from all of them; numbers of their requests. */
static uint32_t* expect(orrery_call* call, const orrery_window* w, const int* ranks, int count, int tag) {
  uint32_t* numbers = malloc(sizeof *numbers * (size_t)(count + 1));
  orrery_trace_record r = orrery_record(ORRERY_OP_Irecv);
  if (numbers == NULL) abort();
  r.comm = w->comm->number;
  r.tag = tag;
  for (int i = 0; i < count; ++i) {
    numbers[i] = r.request = orrery_request_number();
    r.peer = orrery_world_rank(w->comm, ranks[i]);
    orrery_write(call, &r);
  }
  return numbers;
}

static void give_back(uint32_t* numbers, uint32_t count) {
  while (count > 0) orrery_request_number_back(numbers[--count]);
  free(numbers);
}

static void wait_for(orrery_call* call, uint32_t* numbers, uint32_t count) {
  orrery_trace_record r = orrery_record(ORRERY_OP_WaitAll);
  r.requests = numbers;
  r.requests_length = count;
  if (count > 0) orrery_write(call, &r);
  give_back(numbers, count);
}

void orrery_posted(orrery_call* call, MPI_Group group, MPI_Win win) {
  orrery_window* w = orrery_window_of(win);
  int count = 0;
  if (w != NULL) {
    int* origins = ranks_of(group, win, &count);
    w->awaited = expect(call, w, origins, count, tag_complete);
    w->awaited_count = (uint32_t)count;
    tell(call, w, origins, count, tag_post);
    free(origins);
  }
  done(call);
}

void orrery_window_started(orrery_call* call, MPI_Group group, MPI_Win win) {
  orrery_window* w = orrery_window_of(win);
  if (w != NULL) {
    free(w->started);
    w->started = ranks_of(group, win, &w->count);
    wait_for(call, expect(call, w, w->started, w->count, tag_post), (uint32_t)w->count);
  }
  done(call);
}

void orrery_window_completed(orrery_call* call, MPI_Win win) {
  orrery_window* w = orrery_window_of(win);
  if (w != NULL) {
    orrery_complete(call, w, w->started, w->count);
    tell(call, w, w->started, w->count, tag_complete);
    w->count = 0;
  }
  done(call);
}

void orrery_window_waited(orrery_call* call, MPI_Win win) {
  orrery_window* w = orrery_window_of(win);
  if (w != NULL && w->awaited != NULL) {
    wait_for(call, w->awaited, w->awaited_count);
    w->awaited = NULL;
  }
  done(call);
}

void orrery_window_tested(orrery_call* call, MPI_Win win, int flag) {
  orrery_window* w = orrery_window_of(win);
  if (w != NULL && w->awaited != NULL) {
    orrery_trace_record r = orrery_record(ORRERY_OP_TestAll);
    const orrery_trace_answer answer = orrery_answer(flag);
    r.requests = w->awaited;
    r.requests_length = w->awaited_count;
    orrery_write_answered(call, &r, &answer);
    if (flag) {
      give_back(w->awaited, w->awaited_count);
      w->awaited = NULL;
    }
  }
  done(call);
}
