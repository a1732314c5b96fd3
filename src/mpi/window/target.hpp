// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/datatype/datatype.hpp"
#include "mpi/window/reach.hpp"
#include "mpi/window/window_object.hpp"

/// The target's side of an access, checked.
namespace orrery::mpi {

/// Elements in the memory of a target.
struct TargetPlace {
  int rank = 0;
  Reach reach;
  std::uint64_t address = 0;  ///< of the buffer
  std::int64_t count = 0;
  Datatype* type = nullptr;

  [[nodiscard]] std::int64_t bytes() const { return count * size_of(*type); }
  /// Where the bytes lie, in the order of packing.
  [[nodiscard]] std::vector<Run> runs() const;
};

/// Checks the arguments and opens the access epoch that they need.
/// @return false: the target is MPI_PROC_NULL, nothing is to be done
/// @throws Error for a wrong rank, epoch, displacement, count or datatype, and for what lies outside of the window
[[nodiscard]] bool find_place(Window& window, int rank, std::int64_t displacement, std::int64_t count, Datatype& type,
                              TargetPlace& place);

/// The state of the accesses to a rank.
[[nodiscard]] Target& target_of(Window& window, int rank);

/// Tells the kernel of an access. @param own request of it alone, or 0 @param effect what takes effect in its order, or
/// 0: nothing that has one
void announce(Window& window, int rank, op::Kind kind, std::int64_t bytes, op::RequestId own, std::int64_t effect = 0);

}  // namespace orrery::mpi
