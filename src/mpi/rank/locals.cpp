// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/rank/locals.hpp"

namespace orrery::mpi {

Locals& locals() {
  static Locals of_process;
  return of_process;
}

}  // namespace orrery::mpi
