/* SPDX-License-Identifier: BSD-3-Clause
 *   limit a=RANK b=RANK of=send|recv low=B high=B gap_us=G reps=R
 *
 * Finds the largest size, from `low` on, whose protocol is that of `low`: doubles the size until it behaves otherwise
 * or exceeds `high`, then bisects.
 * of=send: sizes whose MPI_Send returns without a receive (S_d). of=recv: sizes that have arrived when a late receive
 * is posted, so that it takes much less than the whole way (S_a). "Late" is G, or half as long again as the message
 * takes. Samples: `limit_send` or `limit_recv`, in bytes, -1 when there is no such change; and each probe, as `ping`
 * would sample it. */
#include <stdlib.h>

#include "bench.h"
#include "one_message.h"

/* A late receive of what has arrived only copies; otherwise it takes the whole way, and the request's before it. */
static const double part_of_way = 0.6;
/* A send that waits for its receive takes all of the gap; one that only waits for buffers two thirds of it at most. */
static const double part_of_gap = 0.8;

enum { MOST_REPETITIONS = 32 };

static int by_value(const void* x, const void* y) {
  const double a = *(const double*)x, b = *(const double*)y;
  return (a > b) - (a < b);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 2];
}

struct search {
  struct orrery_message message;
  int of_send, repetitions;
};

/* Median one-way time with the receive posted first. */
static double way(const struct search* s) {
  double values[MOST_REPETITIONS];
  struct orrery_message m = s->message;
  m.send_first = 0;
  for (int i = 0; i < s->repetitions; ++i) {
    values[i] = orrery_one_message(&m).oneway_s;
    if (orrery_rank == m.a) orrery_sample("oneway", m.a, m.b, m.bytes, i, values[i]);
  }
  return median(values, s->repetitions);
}

/* Median time in the send, or in the late receive. */
static double late(const struct search* s, double gap_s) {
  double values[MOST_REPETITIONS];
  struct orrery_message m = s->message;
  m.send_first = 1;
  m.gap_s = gap_s;
  for (int i = 0; i < s->repetitions; ++i) {
    const struct orrery_took took = orrery_one_message(&m);
    values[i] = s->of_send ? took.send_s : took.recv_s;
    if (orrery_rank != m.a) continue;
    orrery_sample("send_early", m.a, m.b, m.bytes, i, took.send_s);
    orrery_sample("recv_late", m.a, m.b, m.bytes, i, took.recv_s);
    /* A send counts as blocked when it took this share of the gap. */
    orrery_sample("blocked", m.a, m.b, m.bytes, i, took.send_s / gap_s);
  }
  return median(values, s->repetitions);
}

/* a decides, and tells b. */
static int is_past(struct search* s, long long bytes) {
  s->message.bytes = bytes;
  const struct orrery_message* m = &s->message;
  const double way_s = way(s);
  const double gap_s = 1.5 * way_s > m->gap_s ? 1.5 * way_s : m->gap_s;
  const double late_s = late(s, gap_s);
  int past = late_s > (s->of_send ? part_of_gap * gap_s : part_of_way * way_s);
  const int other = orrery_rank == m->a ? m->b : m->a;
  if (orrery_rank == m->a) MPI_Send(&past, 1, MPI_INT, other, ORRERY_TAG, MPI_COMM_WORLD);
  if (orrery_rank == m->b) MPI_Recv(&past, 1, MPI_INT, other, ORRERY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return past;
}

static long long search(struct search* s, long long low, long long most) {
  if (is_past(s, low)) return -1;
  long long high = 2 * low;
  while (high <= most && !is_past(s, high)) {
    low = high;
    high *= 2;
  }
  if (high > most) return -1;
  while (high - low > 1) {
    const long long middle = low + (high - low) / 2;
    if (is_past(s, middle))
      high = middle;
    else
      low = middle;
  }
  return low;
}

void orrery_limit(const char* line) {
  struct search s = {orrery_message_of(line), orrery_is(line, "of", "send"), (int)orrery_number(line, "reps", 3)};
  const struct orrery_message* m = &s.message;
  if (orrery_rank != m->a && orrery_rank != m->b) return;
  if (s.repetitions > MOST_REPETITIONS) s.repetitions = MOST_REPETITIONS;
  const long long found = search(&s, orrery_number(line, "low", 1), orrery_number(line, "high", 1 << 20));
  if (orrery_rank == m->a) orrery_sample(s.of_send ? "limit_send" : "limit_recv", m->a, m->b, 0, 0, (double)found);
}
