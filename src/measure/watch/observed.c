/* SPDX-License-Identifier: BSD-3-Clause
 * Which collective calls are observed: the first ones on each communicator, and then one in 64, so that a loop of calls
 * that take less than a microsecond is not slowed down. Which these are depends on the number of the call alone, as all
 * ranks of a communicator must observe the same ones, and has no period, as programs have. */
#include "capture.h"
#include "locals.h"
#include "watch.h"

enum { all_observed = 16384, one_in = 64 };

static __thread int64_t calls __attribute__((tls_model("initial-exec")));
static __thread orrery_comm* on __attribute__((tls_model("initial-exec"))); /* NULL: all calls are observed */

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mixed(uint64_t number) {
  uint64_t z = number * 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

int orrery_passes(MPI_Comm comm) {
  if (orrery_watched == NULL || orrery_depth > 0 || comm == MPI_COMM_NULL) return 0;
  calls = 1;
  on = NULL;
  if (orrery_threads) return 0; /* several may ask at once */
  on = orrery_comm_of(comm);
  const uint64_t number = on->made++;
  if (number < all_observed) return 0;
  calls = one_in;
  return mixed(number) % one_in != 0;
}

orrery_observation orrery_observed(int64_t begin_ns, int64_t end_ns) {
  orrery_observation found = {calls, 0};
  if (calls > 1) found.others_ns = begin_ns - on->observed_ns;
  if (calls > 0 && on != NULL) on->observed_ns = end_ns;
  calls = 0;
  return found;
}
