// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"

/// Which algorithm Open MPI 4.1 and 5.0 (component `tuned`, without settings of the user's) choose for a call. For
/// non-blocking ones see libnbc_rules.hpp.
namespace orrery::collective {

[[nodiscard]] Choice openmpi_choice(const Call& call);   ///< of 4.1
[[nodiscard]] Choice openmpi5_choice(const Call& call);  ///< of 5.0 on one node, and for what `han` leaves to `tuned`
/// The component `han` of 5.0, which comes before `tuned` and its rules files where there are several nodes, one of
/// them with several ranks; no algorithm where it does not serve.
[[nodiscard]] Choice han_choice(const Call& call);
/// What 5.0 does by the same name: its alltoallv leaves empty messages out, and pairwise also sends to itself.
[[nodiscard]] Choice as_openmpi5(Choice choice);
/// The stream of a call by that algorithm, or by the one that `Call::parts` chooses: for algorithms that are made of
/// other collective calls.
[[nodiscard]] op::Script openmpi_stream(const Call& call);

/// The algorithm that Open MPI runs when it is told to use one that does not serve the call's size or operation; the
/// same one otherwise.
[[nodiscard]] const Algorithm* openmpi_fallback(const Algorithm& algorithm, const Call& call);

}  // namespace orrery::collective
