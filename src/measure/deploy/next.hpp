// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace orrery::deploy {

/// The next symbol of this name behind this library; ends the process if there is none.
[[nodiscard]] void* next_symbol(const char* name);

}  // namespace orrery::deploy

/// The routine of the real MPI that we export ourselves under both of its names.
#define ORRERY_NEXT(routine)                                                                                      \
  ([] {                                                                                                           \
    static const auto found = reinterpret_cast<decltype(&PMPI_##routine)>(deploy::next_symbol("PMPI_" #routine)); \
    return found;                                                                                                 \
  }())
