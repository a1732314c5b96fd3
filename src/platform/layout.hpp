// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/fabric/fabric.hpp"
#include "platform/platform.hpp"
#include "platform/reach.hpp"
#include "platform/wan_paths.hpp"

namespace orrery::platform {

inline constexpr LinkId none = std::numeric_limits<LinkId>::max();

/// The ids of the links of a node are consecutive: its memory links (one for each socket, and one between sockets),
/// then for each rail these links; a node without a limiter has no id for one.
enum RailLink : LinkId { up_link, down_link, limiter_link };

/// First ids of the nodes and links of a cluster.
struct Cluster {
  HostId first_host = 0;
  std::uint32_t nodes = 0;
  std::uint32_t rails = 1;    ///< 0: the nodes have no links of their own; the links of the fabric end at them
  LinkId links_per_rail = 2;  ///< 3 with a limiter
  std::uint32_t sockets = 1;
  LinkId memory_links = 1;     ///< of a node: 1, or one for each socket and then the link between sockets
  std::uint32_t per_host = 1;  ///< so many nodes share the memory links of the first of them
  HostId first_place = 0;      ///< of the second socket of its first node
  LinkId first_link = 0;       ///< of its nodes' links
  LinkId first_fabric_link = 0;
  VertexId first_switch = 0;  ///< of its fabric; or the one that joins nodes and cabinets, then those of cabinets
  Bandwidth rail_bandwidth{};
  LinkId backbone = none;
  LinkId frontal_in = none, relay = none, frontal_out = none;
  std::unique_ptr<const Fabric> fabric;  ///< none: a switch, or cabinets
  std::uint32_t planes = 1;              ///< number of fabrics of this kind; several: one for each rail
  double cables = 1;  ///< number of cables that a link of a fabric stands for, if messages take all planes together

  [[nodiscard]] bool limits_nodes() const { return rails > 0 && links_per_rail > limiter_link; }
  [[nodiscard]] LinkId links_per_node() const { return memory_links + rails * links_per_rail; }
  [[nodiscard]] LinkId memory(HostId host, std::uint32_t socket = 0) const {
    const std::uint32_t node = host - first_host;
    return first_link + (node - node % per_host) * links_per_node() + (memory_links > 1 ? socket : 0);
  }
  [[nodiscard]] LinkId fabric_link(std::uint32_t plane, std::uint32_t link) const {
    return first_fabric_link + plane * fabric->link_count() + link;
  }
  [[nodiscard]] Fabric::LinkCost fabric_cost(std::uint32_t link) const {
    Fabric::LinkCost cost = fabric->link_cost(link);
    cost.bandwidth = cost.bandwidth * cables;
    return cost;
  }
  [[nodiscard]] VertexId first_switch_of(std::uint32_t plane) const {
    return first_switch + (planes > 1 ? plane * fabric->switch_count() : 0);
  }
  [[nodiscard]] LinkId between_sockets(HostId host) const { return memory(host) + memory_links - 1; }
  [[nodiscard]] LinkId rail(HostId host, std::uint32_t rail, RailLink which) const {
    return first_link + (host - first_host) * links_per_node() + memory_links + rail * links_per_rail + which;
  }
};

struct Cabinet {
  std::uint32_t cluster = 0;
  LinkId up = none, down = none, limiter = none;
  VertexId joined_by = 0;  ///< the switch at which its nodes' links end, unless there is a fabric
};

struct Wan {
  LinkId forward = none, backward = none, limiter = none;
};

/// The hardware with every host, switch and link numbered.
///
/// Links of cabinets, backbones and wide-area links come first and are stored ("trunks"); those of fabrics follow, then
/// those of the nodes, cluster by cluster, and are computed.
struct Layout {
  std::vector<settings::Cluster> specs;
  std::optional<settings::Broker> broker;
  std::uint32_t broker_cluster = 0;
  WanPaths wan_paths;
  Reach reach;
  std::vector<Host> hosts;
  std::vector<std::uint32_t> cabinet_of_host;
  std::vector<Cluster> clusters;
  std::vector<Cabinet> cabinets;
  std::vector<Wan> wans;
  std::vector<Link> trunks;
  LinkId link_count = 0;
  std::uint32_t switch_count = 0;
  HostId place_count = 0;  ///< number of hosts and of further sockets

  /// @throws InputError as `Platform` does
  Layout(std::vector<settings::Cluster> cluster_specs, const std::vector<settings::Wan>& wan,
         std::optional<settings::Broker> its_broker);

  [[nodiscard]] Link describe(LinkId id) const;
  /// Cluster of a place that is not the first socket of its node.
  [[nodiscard]] const Cluster& cluster_of_place(HostId place) const {
    std::size_t cluster = clusters.size() - 1;
    while (place < clusters[cluster].first_place || clusters[cluster].sockets == 1) --cluster;
    return clusters[cluster];
  }
  [[nodiscard]] std::string name_of_switch(std::uint32_t number) const;  ///< from 0

 private:
  LinkId add_trunk(Link link);
  void add_cluster(const settings::Cluster& spec);
  void add_frontal(const settings::Cluster& spec);
  void add_fabric(const settings::Cluster& spec);
  void add_cabinet(const settings::Cluster& cluster, const settings::Cabinet& cabinet);
  void add_hosts(const settings::Cluster& cluster, std::uint32_t nodes);
  void add_wan(const settings::Wan& spec);
  void number_links();
  void number_places();
  void number_switches();
  [[nodiscard]] Link describe_fabric_link(std::size_t cluster, LinkId id) const;
  [[nodiscard]] Link describe_node_link(std::size_t cluster, LinkId id) const;
};

}  // namespace orrery::platform
