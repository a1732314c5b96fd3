// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collective/collective.hpp"

namespace orrery::collective {

/// One element for all ranks of a call, although their datatypes may differ.
///
/// Where MPI asks for equal type signatures only (bcast, gather, scatter, allgather, alltoall: MPI-4.1, chapter 6), one
/// rank may say 5,000 integers, and another one element of a type that holds them. Algorithms cut vectors at elements,
/// and some choices depend on how many there are: ranks that went by their own would send messages that nobody awaits.
/// So the view of the rank that is asked about first counts for all. Where the types are the same, as in nearly all
/// programs, that is everybody's own view, and the cuts are those of the real library.
class SharedElements {
 public:
  /// Sets the element and the extent of a rank's call to those of its first rank.
  /// @param number of the call, on whatever communicator   @param position of the rank among its `members`
  void agree(std::uint64_t number, std::size_t position, std::size_t members, Call& call);
  /// Calls that some, but not all of their ranks have made.
  [[nodiscard]] std::size_t open() const { return known_.size(); }

 private:
  struct Known {
    std::int64_t element = 0;  ///< 0: only ranks without a part have come
    std::int64_t extent = 0;
    std::size_t came = 0;
    /// By rank, for non-blocking calls: a persistent one is started again under the same number, perhaps before others
    /// have started it once.
    std::vector<std::uint32_t> starts;
    std::uint32_t most_starts = 1;
  };
  using Calls = std::unordered_map<std::uint64_t, Known>;

  Known& known(std::uint64_t number);
  void forget(std::uint64_t number);

  Calls known_;
  std::vector<Calls::node_type> unused_;  ///< so that nothing is allocated in steady state
};

}  // namespace orrery::collective
