/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "capture.h"

/* What a rank knows of another one of a window. */
typedef struct orrery_target {
  uint32_t outstanding; /* request that counts the accesses under way; 0: there are none */
  uint8_t locked;       /* the kernel of a simulation keeps the lock; 0 with MPI_MODE_NOCHECK */
} orrery_target;

typedef struct orrery_window {
  uint64_t handle;
  orrery_comm* comm; /* of its own */
  orrery_target* targets;
  int open;            /* targets with accesses under way */
  int all_locked;      /* as `locked`, of all */
  int *started, count; /* targets of MPI_Win_start */
  uint32_t* awaited;   /* of MPI_Win_post: the messages of those who complete */
  uint32_t awaited_count;
  struct orrery_window* chain;
} orrery_window;

/* NULL: it was made in a way that is not written down. */
orrery_window* orrery_window_of(MPI_Win win);
/* Waits for what is under way, to these targets, or to all. Writes nothing if there is nothing. */
void orrery_complete(orrery_call* call, orrery_window* w, const int* ranks, int count);
void orrery_complete_all(orrery_call* call, orrery_window* w);
