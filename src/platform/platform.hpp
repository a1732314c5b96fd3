// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "platform/connection.hpp"
#include "settings/cluster.hpp"

/// The simulated hardware: hosts, links, and the route between any two hosts.
///
/// Python reads and validates the TOML file, whose tables are the structs of `settings`; nothing here parses text.
/// Each host of a cluster has an uplink, a downlink and a limiter shared by both directions. Hosts are joined by one
/// switch; or by cabinets, which have the same three links towards the backbone of the cluster; or by a fat-tree, a
/// torus, a dragonfly or a graph (`fabric/`). A grid is several clusters joined by wide-area links; what stands in
/// the way of connections between them is in `connection.hpp`. Routes are computed from that structure, and only those
/// of graphs are tabulated, so memory is linear in the number of hosts.
namespace orrery::platform {

using HostId = std::uint32_t;
using LinkId = std::uint32_t;
/// A host or a switch; hosts have the first numbers.
using VertexId = std::uint32_t;

/// Position of a link in the cluster. A limiter is shared by both directions and has no latency.
enum class LinkKind : std::uint8_t {
  NodeUp,          ///< from a node to its switch
  NodeDown,        ///< from the switch to a node
  NodeLimiter,     ///< all flows from and to a node
  Memory,          ///< between ranks of one node, or of one socket of it
  Sockets,         ///< between the sockets of a node
  CabinetUp,       ///< from a cabinet's switch to the cluster's backbone
  CabinetDown,     ///< from the backbone to the switch of a cabinet
  CabinetLimiter,  ///< all flows from and to a cabinet
  Backbone,        ///< a cluster's core switch
  Fabric,          ///< between switches of a fat-tree, torus or dragonfly; any link of a graph
  Wan,             ///< between two clusters, one direction
  WanLimiter,      ///< between two clusters, both directions together
  FrontalIn,       ///< from the gateway of a cluster to its frontal
  FrontalOut,      ///< from the frontal to the gateway
  Relay,           ///< all that a frontal relays
};

/// A link. Flows that cross it share `bandwidth`. If the link is not `shared`, the bandwidth bounds each flow alone.
struct Link {
  std::string name;
  Bandwidth bandwidth;
  Duration latency;
  bool shared = true;  ///< false: every flow may use the whole bandwidth ("fatpipe")
  LinkKind kind = LinkKind::NodeUp;
  /// Its two ends; none for limiters, and for links of graphs, which may stand for several cables.
  std::optional<VertexId> from = {}, to = {};
};

struct Host {
  std::string name;
  std::uint32_t cores = 1;
  double speed = 1;  ///< relative to the host that runs the simulation: 2 computes twice as fast
  std::uint32_t sockets = 1;
};

/// That a route goes over a relay, which receives on one connection and sends on another.
struct Relayed {
  struct Leg {
    Duration latency;
    Bandwidth bandwidth;
  };
  Leg in, out;
  std::int64_t buffer_bytes = 0;  ///< that the relay stores of a message before it sends them on; 0: whole messages
};

/// Ordered links from one host to another, with their total latency and smallest bandwidth.
struct Route {
  std::vector<LinkId> links;
  Duration latency;     ///< sum over the links
  Bandwidth bandwidth;  ///< smallest of the links; bounds a flow that is alone
  std::optional<Relayed> relayed = {};
};

/// The simulated hardware. Immutable once built; shared by any number of simulations.
class Platform {
 public:
  /// @throws InputError for what the tables do not allow, a cluster without nodes, cores that sockets cannot share
  ///   equally, a site named for some clusters only, two clusters that no wide-area link joins (directly or through
  ///   others), or that nothing connects, a repeated name.
  Platform(std::string name, std::vector<settings::Cluster> clusters, const std::vector<settings::Wan>& wan,
           std::optional<settings::Broker> broker = {});

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::vector<Host>& hosts() const;
  /// With what their tables leave out (`resolved`).
  [[nodiscard]] const std::vector<settings::Cluster>& clusters() const;
  [[nodiscard]] const std::optional<settings::Broker>& broker() const;

  [[nodiscard]] std::uint32_t link_count() const;
  /// The link is built by each call, so that a million nodes do not store four million names.
  [[nodiscard]] Link link(LinkId id) const;
  [[nodiscard]] std::vector<Link> links() const;  ///< all, by id

  /// Number of a socket of a host, which `route` accepts instead of a host; that of the first socket is the host's.
  /// With `socket_bandwidth`, each socket has its own memory link, and a message from one socket to another crosses
  /// both memory links and the link between sockets.
  [[nodiscard]] HostId place(HostId host, std::uint32_t socket) const;
  [[nodiscard]] HostId host_of(HostId place) const;
  [[nodiscard]] std::uint32_t socket_of(HostId place) const;
  [[nodiscard]] HostId place_count() const;

  /// Links from `from` to `to`, in order; for a host to itself its memory link. Cost: length of the route.
  ///
  ///     node up, node limiter, [cabinet up, cabinet limiter,] [backbone,] [wan, ...] and down the same way
  ///
  /// Two virtual machines of one host cross its memory link instead of what lies between cabinets.
  /// Two nodes of one cabinet cross the backbone only if the cabinet has no uplink, because then they are attached to
  /// the backbone directly. Between clusters the route takes the fewest wide-area links, among those the smallest
  /// latency, and crosses the backbone of every cluster on its way. A relay stands at the gateway of its cluster: the
  /// route crosses [frontal in, relay, frontal out] there.
  void route(HostId from, HostId to, Route& out) const;
  [[nodiscard]] std::uint32_t longest_route() const;  ///< in links, over all pairs of hosts

  /// How a connection is made whose first message goes from `from` to `to`; none: both are in one cluster, or there is
  /// no broker. Its times are latencies of routes, as questions and answers are small; the frontal of a cluster, if it
  /// has one, passes on those of its nodes.
  [[nodiscard]] std::optional<Connection> connection(HostId from, HostId to) const;

  /// Index of the cluster that a host is in.
  [[nodiscard]] std::uint32_t cluster_of(HostId host) const;
  /// Index, within the platform, of the cabinet that a host is in. The nodes of a leaf switch of a fat-tree, and those
  /// of a group of a dragonfly, count as a cabinet.
  [[nodiscard]] std::uint32_t cabinet_of(HostId host) const;
  [[nodiscard]] std::uint32_t cabinet_count() const;

  [[nodiscard]] std::uint32_t switch_count() const;
  /// Name of a host or a switch; built by each call.
  [[nodiscard]] std::string vertex_name(VertexId vertex) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace orrery::platform
