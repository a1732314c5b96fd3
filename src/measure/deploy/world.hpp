// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include "collective/places.hpp"
#include "rules.hpp"

namespace orrery::deploy {

/// Where the ranks of MPI_COMM_WORLD are: sites, clusters and cabinets as the settings say, nodes by their hosts'
/// names, sockets (NUMA nodes) by the processors that a rank is bound to. A level that nothing is known of is one part.
struct World {
  std::vector<collective::Places::Level> levels;
  std::set<std::string> unknown_hosts;  ///< that no pattern of the settings fits, where there are any

  /// All ranks exchange what they know of themselves.
  static World gathered(const Settings& settings);

  /// Places of the ranks of a communicator; nothing if it has ranks of another world.
  [[nodiscard]] std::optional<collective::Places> places_of(MPI_Comm comm) const;
};

}  // namespace orrery::deploy
