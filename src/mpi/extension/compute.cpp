// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "base/error.hpp"
#include "mpi/extension/extension.hpp"
#include "mpi/process/environment.hpp"
#include "mpi/rank/rank.hpp"

using namespace orrery;
using namespace orrery::mpi;

ORRERY_EXTENDS void orrery_compute(double seconds) noexcept {
  Rank* rank = rank_if_running();
  if (rank == nullptr) return;
  if (!std::isfinite(seconds) || seconds < 0)
    end_run(concat("ORRERY_COMPUTE(", seconds, "): expected seconds, finite and not negative"), 1);
  rank->add_computation(seconds / rank->settings().compute_scale);
}
