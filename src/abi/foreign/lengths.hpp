// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "foreign_values.hpp"

/// Lengths of arrays of handles that no parameter gives: 0 where the communicator is none, which the routine will say.
namespace orrery::abi::foreign {

/// Elements of an array with one for each peer of a collective call; none where the buffer is MPI_IN_PLACE.
[[nodiscard]] std::int64_t peers(Comm comm, const void* buffer);
/// Neighbours in the communicator's topology that this rank receives from, and sends to.
[[nodiscard]] std::int64_t in_neighbors(Comm comm);
[[nodiscard]] std::int64_t out_neighbors(Comm comm);
/// `length` at the root, where alone the arrays are looked at; elsewhere 0.
[[nodiscard]] std::int64_t at_root(int root, Comm comm, std::int64_t length);

}  // namespace orrery::abi::foreign
