// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "base/quantity.hpp"

/// Connections between clusters, which firewalls and address translation stand in the way of.
///
/// A helper on each node, a frontal for each cluster and one broker make them
/// (Coti, Herault, Cappello 2008, section 3). Without a broker every node reaches every other one, and
/// connections cost nothing.
namespace orrery::platform {

/// How a connection is made, the first of these that works
/// (Coti, Herault, Cappello 2008, section 3, and figure 1).
enum class Technique : std::uint8_t {
  Direct,      ///< to a node that accepts it
  Reverse,     ///< the other way round, as the node that sends first accepts it
  Traversing,  ///< both nodes connect at the same time, so that each firewall takes the other's request for an answer
  Relay,       ///< both nodes connect to the frontal of one of their clusters, which passes everything on
};

/// What it takes to make a connection. Alone it takes `asks`, the time of the broker's answer, and `then`.
struct Connection {
  Technique technique = Technique::Direct;
  Duration asks;                            ///< until the question of the node that sends first is at the broker
  Duration then = {};                       ///< from the answer of the broker until that node can send
  std::optional<std::uint32_t> relay = {};  ///< cluster whose frontal passes messages on
};

}  // namespace orrery::platform
