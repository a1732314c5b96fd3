// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"

/// One function for each algorithm, described where it is defined, in a file of its family (algorithms/).
namespace orrery::collective {

#define ALGORITHM(collective, name, ...)        \
  namespace collective {                        \
  op::Script name(Call call);                   \
  HandOver name##_hands_over(const Call& call); \
  }
#define SHARED_ALGORITHM(...)
#include "collective/algorithms.inc"
#undef ALGORITHM
#undef SHARED_ALGORITHM

}  // namespace orrery::collective
