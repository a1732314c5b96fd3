// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// The stream of a call by what was chosen for it. Where it is non-blocking and of several ranks, its end is seen
/// `Call::late_ns` later; a new communicator's rounds, which are calls of their own, see to that themselves.
[[nodiscard]] op::Script stream_as_seen(const Choice& choice, const Call& call);

}  // namespace orrery::collective
