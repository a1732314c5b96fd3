// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"

/// Which algorithm Open MPI 4.1 and 5.0 (component `tuned`, without settings of the user's) choose for a call.
namespace orrery::collective {

[[nodiscard]] Choice openmpi_choice(const Call& call);
/// The stream of a call by that algorithm: for algorithms that are made of other collective calls.
[[nodiscard]] op::Script openmpi_stream(const Call& call);

/// The algorithm that Open MPI runs when it is told to use one that does not serve the call's size or operation; the
/// same one otherwise.
[[nodiscard]] const Algorithm* openmpi_fallback(const Algorithm& algorithm, const Call& call);

}  // namespace orrery::collective
