// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"
#include "collective/parts/accumulator.hpp"

/// What algorithms for inter-communicators share: most let the first ranks of the two groups talk for all others.
namespace orrery::collective {

/// Whom a stream calls rank `rank` of the other group.
[[nodiscard]] constexpr int remote(const Call& call, int rank) { return call.size + rank; }

/// Whether the call's data goes from this rank's group to the root in the other one (reduce, gather), or comes from
/// there (bcast, scatter).
[[nodiscard]] constexpr bool opposite_root(const Call& call) { return call.root >= 0; }

/// Reduces the inputs of the own group at its first rank. `accumulator` belongs to the calling script.
[[nodiscard]] op::Script reduce_to_first(int self, int size, Accumulator* accumulator, Bytes bytes);

/// Gathers the inputs of the own group, `block` each, at its first rank, in scratch memory.
[[nodiscard]] op::Script gather_to_first(int self, int size, Bytes block);

/// Broadcasts from the first rank of the own group.
[[nodiscard]] op::Script bcast_from_first(int self, int size, Slice data);

}  // namespace orrery::collective
