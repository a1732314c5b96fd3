// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/quantity.hpp"

namespace orrery::kernel {

/// Messages between two ranks that were sent, and that nobody has received.
struct Unreceived {
  std::uint64_t messages = 0;
  Bytes bytes;
  std::int32_t source = 0, dest = 0;  ///< world ranks, of one of them
};

}  // namespace orrery::kernel
