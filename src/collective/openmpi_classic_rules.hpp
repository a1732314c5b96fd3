// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"

/// Which algorithm Open MPI 1.3 and 1.6 (component `tuned`, without settings of the user's) choose for a call. What
/// these releases do not have (non-blocking calls, all-to-alls in place, MPI_Reduce_scatter_block) and what they leave
/// to their component `basic` is chosen as by 4.1.
namespace orrery::collective {

[[nodiscard]] Choice openmpi_1_3_choice(const Call& call);
[[nodiscard]] Choice openmpi_1_6_choice(const Call& call);

}  // namespace orrery::collective
