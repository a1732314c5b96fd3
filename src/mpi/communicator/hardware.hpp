// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "mpi/types.hpp"

namespace orrery::mpi {

/// The levels of the simulated cluster, from the largest parts to the smallest, as this rank's host has its place in
/// them: site (where the platform names them), cluster, cabinet (where there are several), node and socket (likewise).
///
/// Their names are values of the hint mpi_hw_resource_type, with or without "orrery://" before them.
class Hardware {
 public:
  /// The level of this name; none if the platform does not have it.
  [[nodiscard]] static std::optional<int> level(std::string_view resource_type);
  /// The largest parts, of one level, such that not all members of `comm` are in the same one; none if all are on one
  /// host.
  [[nodiscard]] static std::optional<int> level_that_divides(const Comm& comm);
  /// Number of the part that this rank's host is in.
  [[nodiscard]] static int part(int level);
  /// As a value of the hint.
  [[nodiscard]] static std::string resource_type(int level);
};

/// Says of each level that this rank runs on one part of it (MPI-4.1, section 11.2.5).
void get_hw_resource_info(Info*& info);

}  // namespace orrery::mpi
