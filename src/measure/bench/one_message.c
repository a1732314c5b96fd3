/* SPDX-License-Identifier: BSD-3-Clause
 * One message from a network and processors that have been idle. */
#include "one_message.h"

#include "bench.h"

enum { CLOCK_ROUNDS = 8 };

struct orrery_message orrery_message_of(const char* line) {
  const struct orrery_message message = {
      .a = (int)orrery_number(line, "a", 0),
      .b = (int)orrery_number(line, "b", 1),
      .send_first = orrery_is(line, "order", "sendfirst"),
      .immediate = orrery_is(line, "call", "isend"),
      .bytes = orrery_number(line, "bytes", 0),
      .gap_s = (double)orrery_number(line, "gap_us", 5000) * 1e-6,
  };
  return message;
}

/* Times of a call and of the wait that completes it; `begin` and `end` are clock readings. */
struct call {
  double begin, call_s, wait_s, end;
};

static struct call call_of(double begin, double posted) {
  const double end = MPI_Wtime();
  const struct call call = {begin, posted - begin, end - posted, end};
  return call;
}

static struct call send_it(const struct orrery_message* m) {
  MPI_Request request;
  const char* data = orrery_buffer(0, m->bytes);
  const double begin = MPI_Wtime();
  if (!m->immediate) {
    MPI_Send(data, (int)m->bytes, MPI_BYTE, m->b, ORRERY_TAG, MPI_COMM_WORLD);
    return call_of(begin, MPI_Wtime());
  }
  MPI_Isend(data, (int)m->bytes, MPI_BYTE, m->b, ORRERY_TAG, MPI_COMM_WORLD, &request);
  const double posted = MPI_Wtime();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return call_of(begin, posted);
}

static struct call receive_it(const struct orrery_message* m) {
  MPI_Request request;
  char* data = orrery_buffer(1, m->bytes);
  const double begin = MPI_Wtime();
  if (!m->immediate) {
    MPI_Recv(data, (int)m->bytes, MPI_BYTE, m->a, ORRERY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return call_of(begin, MPI_Wtime());
  }
  MPI_Irecv(data, (int)m->bytes, MPI_BYTE, m->a, ORRERY_TAG, MPI_COMM_WORLD, &request);
  const double posted = MPI_Wtime();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return call_of(begin, posted);
}

/* a tells b when to receive, by the clock of b; b reports how it went. */
static struct orrery_took as_sender(const struct orrery_message* m) {
  const double b_to_a = orrery_clock_offset(m->b, 1, CLOCK_ROUNDS);
  const double start = MPI_Wtime() + 300e-6;
  const double receive_at = start + m->gap_s - b_to_a;
  MPI_Send(&receive_at, 1, MPI_DOUBLE, m->b, ORRERY_TAG, MPI_COMM_WORLD);
  orrery_wait_until(m->send_first ? start : start + m->gap_s);
  const struct call sent = send_it(m);
  struct call received;
  MPI_Recv(&received, sizeof received, MPI_BYTE, m->b, ORRERY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const struct orrery_took took = {sent.call_s, sent.wait_s, received.call_s, received.wait_s,
                                   received.end + b_to_a - sent.begin};
  return took;
}

static void as_receiver(const struct orrery_message* m) {
  orrery_clock_offset(m->a, 0, CLOCK_ROUNDS);
  double receive_at = 0;
  orrery_buffer(1, m->bytes);
  MPI_Recv(&receive_at, 1, MPI_DOUBLE, m->a, ORRERY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (m->send_first) orrery_wait_until(receive_at);
  const struct call received = receive_it(m);
  MPI_Send(&received, sizeof received, MPI_BYTE, m->a, ORRERY_TAG, MPI_COMM_WORLD);
}

struct orrery_took orrery_one_message(const struct orrery_message* message) {
  struct orrery_took took = {0, 0, 0, 0, 0};
  if (orrery_rank == message->a) {
    orrery_buffer(0, message->bytes);
    took = as_sender(message);
  } else if (orrery_rank == message->b) {
    as_receiver(message);
  }
  return took;
}
