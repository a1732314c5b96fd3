/* SPDX-License-Identifier: BSD-3-Clause
 * A trace has every call. */
#include "capture.h"

int orrery_passes(MPI_Comm comm) {
  (void)comm;
  return 0;
}
