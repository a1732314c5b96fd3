/* SPDX-License-Identifier: BSD-3-Clause
 *   flows list=A>B,... bytes=B reps=R call=isend|send|sendrecv count=N late_us=L inside=0|1 hold_us=H
 *
 * Transfers that start together: on each flow N messages, all flows of a rank at once (isend), or a blocking send here
 * and receive there (send; a rank is on one flow only), or MPI_Sendrecv (a rank sends on one flow and receives on one).
 * Every flow but the first starts L later, waiting outside of MPI or inside (where the library makes progress, as in a
 * collective); ranks that only receive begin H later. Samples, from the start of the first
 * flow: `arrived` when the receiver had all of a flow, `left` when the sender could go on. */
#include <stdlib.h>

#include "bench.h"

struct scheme {
  int (*list)[2];
  int flows, count;
  long long bytes;
  int receives, sends; /* of this rank, in flows */
};

static int is_mine(const struct scheme* s, int flow, int end) { return s->list[flow][end] == orrery_rank; }

static void sample(const struct scheme* s, int flow, const char* what, int repetition, double start) {
  orrery_sample(what, s->list[flow][0], s->list[flow][1], s->bytes, repetition, MPI_Wtime() - start);
}

/* All receives, then all sends; then whatever completes. Request i belongs to flow `of[i]`. */
static void by_immediate(const struct scheme* s, int repetition, double start) {
  const int most = s->count * (s->receives + s->sends);
  MPI_Request* requests = malloc(((size_t)most + 1) * sizeof *requests);
  int* of = malloc(((size_t)most + 1) * sizeof *of);
  int* open = calloc(2 * (size_t)s->flows + 1, sizeof *open);
  int posted = 0;
  for (int end = 1; end >= 0; --end)
    for (int message = 0; message < s->count; ++message)
      for (int flow = 0; flow < s->flows; ++flow) {
        if (!is_mine(s, flow, end)) continue;
        if (end == 1)
          MPI_Irecv(orrery_buffer(1, 0) + s->bytes * posted, (int)s->bytes, MPI_BYTE, s->list[flow][0], ORRERY_TAG,
                    MPI_COMM_WORLD, &requests[posted]);
        else
          MPI_Isend(orrery_buffer(0, 0), (int)s->bytes, MPI_BYTE, s->list[flow][1], ORRERY_TAG, MPI_COMM_WORLD,
                    &requests[posted]);
        of[posted++] = 2 * flow + end;
        ++open[2 * flow + end];
      }
  for (int i = 0; i < posted; ++i) {
    int which = 0;
    MPI_Waitany(posted, requests, &which, MPI_STATUS_IGNORE);
    if (--open[of[which]] == 0) sample(s, of[which] / 2, of[which] % 2 ? "arrived" : "left", repetition, start);
  }
  free(requests);
  free(of);
  free(open);
}

static void by_blocking(const struct scheme* s, int repetition, double start) {
  for (int flow = 0; flow < s->flows; ++flow) {
    for (int message = 0; message < s->count; ++message) {
      if (is_mine(s, flow, 0))
        MPI_Send(orrery_buffer(0, 0), (int)s->bytes, MPI_BYTE, s->list[flow][1], ORRERY_TAG, MPI_COMM_WORLD);
      if (is_mine(s, flow, 1))
        MPI_Recv(orrery_buffer(1, 0), (int)s->bytes, MPI_BYTE, s->list[flow][0], ORRERY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    if (is_mine(s, flow, 0)) sample(s, flow, "left", repetition, start);
    if (is_mine(s, flow, 1)) sample(s, flow, "arrived", repetition, start);
  }
}

static void by_sendrecv(const struct scheme* s, int repetition, double start) {
  int to = MPI_PROC_NULL, from = MPI_PROC_NULL, in = -1;
  for (int flow = 0; flow < s->flows; ++flow) {
    if (is_mine(s, flow, 0)) to = s->list[flow][1];
    if (is_mine(s, flow, 1)) from = s->list[in = flow][0];
  }
  if (to == MPI_PROC_NULL && from == MPI_PROC_NULL) return;
  for (int message = 0; message < s->count; ++message)
    MPI_Sendrecv(orrery_buffer(0, 0), (int)s->bytes, MPI_BYTE, to, ORRERY_TAG, orrery_buffer(1, 0), (int)s->bytes,
                 MPI_BYTE, from, ORRERY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (in >= 0) sample(s, in, "arrived", repetition, start);
}

/* Polls for what nobody sends. */
static void wait_inside(double time) {
  int flag = 0;
  while (MPI_Wtime() < time) MPI_Iprobe(MPI_ANY_SOURCE, ORRERY_TAG + 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* Inside of MPI only once others have started: until then there is nothing to make progress with. */
static void wait_turn(double start, double late_s, int inside) {
  orrery_wait_until(inside ? start : start + late_s);
  if (late_s > 0 && inside) wait_inside(start + late_s);
}

void orrery_flows(const char* line) {
  static int list[ORRERY_PAIRS][2];
  struct scheme s = {
      list, orrery_pairs(line, "list", list), (int)orrery_number(line, "count", 1), orrery_number(line, "bytes", 0), 0,
      0};
  const int repetitions = (int)orrery_number(line, "reps", 5);
  const double late_s = (double)orrery_number(line, "late_us", 0) * 1e-6;
  const double hold_s = (double)orrery_number(line, "hold_us", 0) * 1e-6;
  for (int flow = 0; flow < s.flows; ++flow) {
    s.sends += is_mine(&s, flow, 0);
    s.receives += is_mine(&s, flow, 1);
  }
  orrery_buffer(0, s.bytes);
  orrery_buffer(1, s.bytes * s.count * (s.receives > 0 ? s.receives : 1));
  orrery_synchronise(8);
  for (int i = 0; i < repetitions; ++i) {
    const double start = orrery_common_start(20e-3);
    const double late = s.sends == 0 ? hold_s : s.flows > 0 && is_mine(&s, 0, 0) ? 0 : late_s;
    wait_turn(start, late, (int)orrery_number(line, "inside", 0));
    if (orrery_is(line, "call", "send"))
      by_blocking(&s, i, start);
    else if (orrery_is(line, "call", "sendrecv"))
      by_sendrecv(&s, i, start);
    else
      by_immediate(&s, i, start);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
