// SPDX-License-Identifier: BSD-3-Clause
#include "platform/fabric/fabric.hpp"

#include "platform/fabric/dragonfly.hpp"
#include "platform/fabric/fat_tree.hpp"
#include "platform/fabric/graph.hpp"
#include "platform/fabric/torus.hpp"

namespace orrery::platform {

std::string Fabric::link_name(std::uint32_t link) const {
  const Ends at = ends(link);
  return switch_name(at.from) + "-" + switch_name(at.to);
}

namespace {

struct Make {
  const std::string& where;
  std::uint32_t nodes;

  std::unique_ptr<const Fabric> operator()(std::monostate) const { return nullptr; }
  std::unique_ptr<const Fabric> operator()(const FatTreeSpec& spec) const { return make<FatTree>(spec, "fat-tree"); }
  std::unique_ptr<const Fabric> operator()(const TorusSpec& spec) const { return make<Torus>(spec, "torus"); }
  std::unique_ptr<const Fabric> operator()(const DragonflySpec& spec) const {
    return make<Dragonfly>(spec, "dragonfly");
  }
  std::unique_ptr<const Fabric> operator()(const GraphSpec& spec) const { return make<Graph>(spec, "graph"); }

 private:
  template <class Kind, class Spec>
  [[nodiscard]] std::unique_ptr<const Fabric> make(const Spec& spec, const char* kind) const {
    return std::make_unique<Kind>(spec, where + ", " + kind, nodes);
  }
};

}  // namespace

std::unique_ptr<const Fabric> make_fabric(const FabricSpec& spec, const std::string& where, std::uint32_t nodes) {
  return std::visit(Make{where, nodes}, spec);
}

}  // namespace orrery::platform
