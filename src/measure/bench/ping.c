/* SPDX-License-Identifier: BSD-3-Clause
 *   ping a=RANK b=RANK order=recvfirst|sendfirst call=send|isend bytes=B reps=R gap_us=G
 *
 * Samples of blocking calls: `send`, `oneway` (recvfirst: b waits in MPI_Recv when a sends); `send_early`, `recv_late`
 * (sendfirst: b receives G later, when an eager message has long been there). Of immediate ones: `isend`, `isend_wait`,
 * and `irecv` (recvfirst). */
#include "bench.h"
#include "one_message.h"

static void sample(const struct orrery_message* m, const char* what, int repetition, double value) {
  orrery_sample(what, m->a, m->b, m->bytes, repetition, value);
}

static void keep(const struct orrery_message* m, const struct orrery_took* took, int repetition) {
  if (m->immediate) {
    sample(m, "isend", repetition, took->send_s);
    sample(m, "isend_wait", repetition, took->send_wait_s);
    sample(m, "irecv", repetition, took->recv_s);
  } else if (m->send_first) {
    sample(m, "send_early", repetition, took->send_s);
    sample(m, "recv_late", repetition, took->recv_s);
  } else {
    sample(m, "send", repetition, took->send_s);
    sample(m, "oneway", repetition, took->oneway_s);
  }
}

void orrery_ping(const char* line) {
  const struct orrery_message message = orrery_message_of(line);
  const int repetitions = (int)orrery_number(line, "reps", 5);
  for (int i = 0; i < repetitions; ++i) {
    const struct orrery_took took = orrery_one_message(&message);
    if (orrery_rank == message.a) keep(&message, &took, i);
  }
}
