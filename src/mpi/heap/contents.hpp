// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/channel/channel.hpp"

namespace orrery::mpi::heap {

/// Whether a word of memory can be a floating-point number, or two, such as programs compute with: of a size between
/// 1e-200 and 1e200. Integers, alone or in pairs, and addresses are not, as long as they are below 2^52 or negative.
/// Texts are not told apart. 0 says nothing: it counts as one.
[[nodiscard]] bool looks_computed(std::uint64_t word);

/// Adds what is in a block to what is known of the place that asked for it: 256 words of it, equally far apart.
void look_into(channel::Memory& memory, const void* first, std::size_t bytes, const void* caller);

}  // namespace orrery::mpi::heap
