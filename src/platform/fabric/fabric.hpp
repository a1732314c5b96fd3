// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "settings/cluster.hpp"

namespace orrery::platform {

/// The network that joins the nodes of a cluster, without the links of the nodes. Nodes, links, switches and groups of
/// nodes are numbered from 0; their properties are computed from the number. All cables have two directions of their
/// bandwidth each. A random choice is made once for each pair of nodes, by the seed.
///
/// A route never crosses a link twice, except in a graph whose edges do.
class Fabric {
 public:
  using Node = std::uint32_t;
  using Links = std::vector<std::uint32_t>;

  /// Bandwidth and latency of a link, for a route.
  struct LinkCost {
    Bandwidth bandwidth;
    Duration latency;
    bool shared = true;
  };
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  /// The two switches that a link joins, by number. nowhere: it stands for more than one cable.
  struct Ends {
    std::uint32_t from = nowhere, to = nowhere;
  };

  virtual ~Fabric() = default;

  [[nodiscard]] virtual std::uint32_t node_count() const = 0;
  [[nodiscard]] virtual std::uint32_t switch_count() const = 0;
  [[nodiscard]] virtual std::uint32_t link_count() const = 0;
  [[nodiscard]] virtual std::uint32_t group_count() const = 0;

  [[nodiscard]] virtual std::string switch_name(std::uint32_t number) const = 0;
  [[nodiscard]] virtual std::string link_name(std::uint32_t link) const;
  [[nodiscard]] virtual LinkCost link_cost(std::uint32_t link) const = 0;
  [[nodiscard]] virtual Ends ends(std::uint32_t link) const = 0;
  [[nodiscard]] virtual std::uint32_t switch_of(Node node) const = 0;
  /// Number of the group of a node: nodes that are close to each other, as those of a cabinet.
  [[nodiscard]] virtual std::uint32_t group_of(Node node) const = 0;

  /// Appends the links from one node to another. Cost: length of the route.
  virtual void route(Node from, Node to, Links& out) const = 0;
  /// Append the links from and to the gateway, the switch at which the wide-area links of the cluster begin.
  virtual void leave(Node from, Links& out) const = 0;
  virtual void enter(Node to, Links& out) const = 0;
  [[nodiscard]] virtual std::uint32_t longest_route() const = 0;
};

/// What joins the nodes of a cluster; none: a switch, or cabinets.
/// @throws InputError for numbers that make no sense or do not fit the number of nodes
[[nodiscard]] std::unique_ptr<const Fabric> make_fabric(const settings::Cluster& cluster);

}  // namespace orrery::platform
