/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORRERY_ONE_MESSAGE_H
#define ORRERY_ONE_MESSAGE_H

/* A message from a to b, with the receive posted `gap_s` before the send, or after it. */
struct orrery_message {
  int a, b;
  int send_first; /* or the receive */
  int immediate;  /* Isend, Irecv and waits, or blocking calls */
  long long bytes;
  double gap_s;
};

/* Seconds, known to a: in the call of the send (and in the wait for it), in that of the receive (and its wait), and
 * from the call of the send until the data were there. */
struct orrery_took {
  double send_s, send_wait_s, recv_s, recv_wait_s, oneway_s;
};

struct orrery_message orrery_message_of(const char* line);
/* Called by a and b. What it returns holds on a only. */
struct orrery_took orrery_one_message(const struct orrery_message* message);

#endif
