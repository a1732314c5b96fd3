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

/// Which connections from outside the nodes of a cluster accept. All of them may connect to others.
enum class Connectivity : std::uint8_t {
  Open,      ///< all
  Ports,     ///< those to a range of ports
  Nat,       ///< none: their addresses are translated
  Outbound,  ///< none: a firewall lets only connections out
};

/// How a connection is made, the first of these that works
/// (Coti, Herault, Cappello 2008, section 3, and figure 1).
enum class Technique : std::uint8_t {
  Direct,      ///< to a node that accepts it
  Reverse,     ///< the other way round, as the node that sends first accepts it
  Traversing,  ///< both nodes connect at the same time, so that each firewall takes the other's request for an answer
  Relay,       ///< both nodes connect to the frontal of one of their clusters, which passes everything on
};

/// The front-end machine of a cluster: it stands at the gateway, where wide-area links begin, and relays messages.
struct FrontalSpec {
  Bandwidth relay{};      ///< rate that all messages which it relays reach together, in both directions
  Bandwidth bandwidth{};  ///< of its link, in each direction
  Duration latency{};     ///< of its link, on the way in, and again on the way out
  Duration handling{};    ///< of each message that it relays
  /// It stores so many bytes of a message before it sends them on; 0: whole messages.
  std::int64_t buffer_bytes = 0;
};

/// What knows where ranks are and how they can be reached. Every helper asks it before it makes a connection.
struct BrokerSpec {
  std::uint32_t cluster = 0;      ///< at whose gateway it stands
  Duration latency{};             ///< of its link, in each direction
  Duration answer{};              ///< it answers one question after the other, and takes so long for each
  bool keeps_connections = true;  ///< false: each message makes a connection of its own
};

/// What it takes to make a connection. Alone it takes `asks`, the time of the broker's answer, and `then`.
struct Connection {
  Technique technique = Technique::Direct;
  Duration asks;                            ///< until the question of the node that sends first is at the broker
  Duration then = {};                       ///< from the answer of the broker until that node can send
  std::optional<std::uint32_t> relay = {};  ///< cluster whose frontal passes messages on
};

}  // namespace orrery::platform
