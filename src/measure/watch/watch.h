/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Watch: the wrappers of the capture library (src/measure/capture) in front of another sink. Instead of a trace each
 * rank keeps a board: a mapped file RANK.watch of bounded size, which `orrery watch` reads while the program runs
 * (python/orrery/watch/board.py) and which outlives the process.
 *
 * A board has cells. A cell counts all calls of one class: a collective on one communicator, with one root, of about
 * one size; or the messages to, or from, one rank with one tag on one communicator. Of some calls it has the times.
 * Which these are depends only on the number of the call in its class, so all ranks choose the same ones, and what they
 * did can be put together afterwards without a message. */

#include <stdint.h>

#include "trace/writer.h"

enum { ORRERY_SAMPLES = 48, ORRERY_CELLS = 1024, ORRERY_HEAD_BYTES = 4096, ORRERY_CELL_BYTES = 2048 };

enum orrery_cell_kind { ORRERY_COLLECTIVE_CALLS = 1, ORRERY_SENDS = 2, ORRERY_RECEIVES = 3 };
enum orrery_cell_flag {
  ORRERY_COMMUTES = 1,
  ORRERY_UNEQUAL = 2,  /* blocks of a collective differ */
  ORRERY_UNORDERED = 4 /* not every message of the class was counted here: numbers do not tell which is which */
};

/* Calls that no cell has, by reason. */
enum orrery_left {
  ORRERY_LEFT_NONBLOCKING, /* collectives */
  ORRERY_LEFT_TWO_GROUPS,  /* collectives between them */
  ORRERY_LEFT_NEIGHBOURS,  /* collectives among them */
  ORRERY_LEFT_NEW_COMM,
  ORRERY_LEFT_ONE_SIDED,
  ORRERY_LEFT_FILES,
  ORRERY_LEFT_PARTITIONED,
  ORRERY_LEFT_NO_ROOM, /* more classes than cells */
  ORRERY_LEFT_REASONS
};

/* Times of one call, on the clock of rank 0 since the start. `end` is written last; 0: there is none yet. */
typedef struct orrery_sample {
  int64_t posted_ns;        /* the operation was started */
  int64_t begin_ns, end_ns; /* the call in which it was completed */
  int64_t bytes;
  int64_t together; /* operations that this call completed */
} orrery_sample;

typedef struct orrery_cell {
  uint32_t version; /* odd: it is being written */
  uint8_t what, collective, flags, bucket;
  uint64_t comm; /* the same number on all of its ranks */
  int32_t ranks, peer, tag;
  uint32_t stride; /* sample i is call i * stride */
  int64_t element, extent;
  int64_t calls, bytes, time_ns, least_ns, most_ns;
  int64_t observed; /* of `calls` */
  int64_t unused[4];
  orrery_sample samples[ORRERY_SAMPLES];
} orrery_cell;

typedef struct orrery_board {
  char magic[8];
  uint32_t rank, ranks, cells, finalized, threads, aborted;
  uint32_t cores, unused;    /* of the host, that are there for processes */
  int64_t now_ns;            /* end of the last call */
  int64_t calls, mpi_ns;     /* of the program, and in them */
  int64_t drift_ns, span_ns; /* of our clock against that of rank 0, between start and MPI_Finalize */
  uint64_t left[ORRERY_LEFT_REASONS];
  char host[256], library[256];
} orrery_board;

/* The board (board.c). */
extern orrery_board* orrery_watched; /* NULL: there is none */
int orrery_board_open(const char* folder, uint32_t rank, uint32_t ranks);
void orrery_board_close(void);

/* The cell of a class, which is made where there is none; NULL: no room, which is counted. */
orrery_cell* orrery_cell_of(enum orrery_cell_kind what, uint64_t comm, int32_t peer, int32_t tag, uint8_t collective,
                            uint8_t bucket);
/* One more call, which stands for `weight` calls: its number among those that were observed. */
int64_t orrery_cell_count(orrery_cell* cell, int64_t bytes, int64_t weight);
/* A call took so long; with those for which it stands `all_ns`. */
void orrery_cell_spent(orrery_cell* cell, int64_t ns, int64_t all_ns);
/* Times of a call, if it is one of those that are kept. */
void orrery_cell_sample(orrery_cell* cell, int64_t number, const orrery_sample* sample);

/* Which collective calls are observed (observed.c). */
typedef struct orrery_observation {
  int64_t calls;     /* for which the observed one stands, itself included; 0: it is none of the program's own */
  int64_t others_ns; /* between the call observed before it, on its communicator, and this one: the others lie there */
} orrery_observation;
/* What the call stands for that is written down now. What MPI does for it is written down after it, and is none. */
orrery_observation orrery_observed(int64_t begin_ns, int64_t end_ns);

/* Communicators (members.c): what is the same on all ranks of each. */
typedef struct orrery_members {
  uint64_t id; /* 0: it has two groups, or there are too many */
  int32_t ranks;
  int two_groups;
} orrery_members;
void orrery_members_start(const char* folder, uint32_t rank, uint32_t ranks);
void orrery_members_add(uint32_t comm, int two_groups, const int32_t* members, uint32_t count);
const orrery_members* orrery_members_of(uint32_t comm);

/* Messages (channels.c): operations as they come, `begin` and `end` those of their call. */
void orrery_channel_sent(const orrery_trace_record* r, int64_t begin_ns, int64_t end_ns);
void orrery_channel_received(const orrery_trace_record* r, int64_t begin_ns, int64_t end_ns);
void orrery_channel_completed(const uint32_t* requests, uint32_t count, const uint32_t* which, uint32_t which_count,
                              int64_t begin_ns, int64_t end_ns);
void orrery_channel_matched(uint32_t request, int blocking, int32_t source, int32_t tag, int64_t bytes);
