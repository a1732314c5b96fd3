// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"
#include "collective/parts/team.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// What the members of `call` say to each other in another collective call, whose data is the library's own: its
/// messages, without what they carry. The algorithm is the one that `Call::parts` chooses, or `otherwise`; where it
/// does not serve, the default one. `immediate`: in a non-blocking call, for which the rank waits.
[[nodiscard]] op::Script said(const Call& call, CollectiveKind kind, Bytes bytes, Choose otherwise,
                              bool immediate = false);

}  // namespace orrery::collective
