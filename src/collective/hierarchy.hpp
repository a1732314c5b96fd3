// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "base/quantity.hpp"
#include "collective/places.hpp"

namespace orrery::collective {

/// Which flat algorithm the stages of a hierarchical one use: the one of this name where it serves the stage, the
/// default selector's choice otherwise, and where the name is empty.
struct PartChoice {
  std::string_view algorithm = {};  ///< a name in the registry
  Bytes segment = {};
  int fanout = 0;

  friend bool operator==(const PartChoice&, const PartChoice&) = default;
};

/// Parameters of hierarchical algorithms.
struct Hierarchy {
  Places::Mask levels = Places::all_levels;
  PartChoice inner;  ///< inside the groups of the outermost level
  PartChoice outer;  ///< between these

  friend bool operator==(const Hierarchy&, const Hierarchy&) = default;
};

}  // namespace orrery::collective
