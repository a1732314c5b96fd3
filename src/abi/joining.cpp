// SPDX-License-Identifier: BSD-3-Clause
#include "abi/coexistence.hpp"

/// In each library that has entry points.
namespace orrery::abi {

[[gnu::constructor]] static void join() { joins(reinterpret_cast<const void*>(&join)); }

}  // namespace orrery::abi
