// SPDX-License-Identifier: BSD-3-Clause
#include "platform/fabric/fabric.hpp"

#include "base/error.hpp"
#include "platform/fabric/dragonfly.hpp"
#include "platform/fabric/fat_tree.hpp"
#include "platform/fabric/graph.hpp"
#include "platform/fabric/torus.hpp"

namespace orrery::platform {

std::string Fabric::link_name(std::uint32_t link) const {
  const Ends at = ends(link);
  return switch_name(at.from) + "-" + switch_name(at.to);
}

std::unique_ptr<const Fabric> make_fabric(const settings::Cluster& cluster) {
  const auto where = [&](const char* kind) { return concat("cluster \"", cluster.name, "\", ", kind); };
  if (cluster.fat_tree) return std::make_unique<FatTree>(*cluster.fat_tree, where("fat-tree"), cluster.nodes);
  if (cluster.torus) return std::make_unique<Torus>(*cluster.torus, where("torus"), cluster.nodes);
  if (cluster.dragonfly) return std::make_unique<Dragonfly>(*cluster.dragonfly, where("dragonfly"), cluster.nodes);
  if (cluster.graph) return std::make_unique<Graph>(*cluster.graph, where("graph"), cluster.nodes);
  return nullptr;
}

}  // namespace orrery::platform
