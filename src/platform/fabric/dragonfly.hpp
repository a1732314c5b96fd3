// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "platform/fabric/fabric.hpp"

namespace orrery::platform {

/// Groups of routers. Within a group, all routers of one chassis are joined to each other, and so are those at the same
/// position of all chassis. Any two groups are joined by some cables, dealt to the routers of a group in turn.
/// Source: Kim, Dally, Scott, Abts 2008, doi:10.1109/ISCA.2008.19 (one chassis); Faanes et al. 2012, "Cray Cascade".
///
/// With g groups of r routers, cable c from group i to group (i + d) mod g ends at router
/// (c (g − 1) + d − 1) mod r of group i. This rule is the same for all groups, so no group differs from another.
class Dragonfly final : public Fabric {
 public:
  /// @param where begins error messages   @param nodes how many there are, if fewer than places
  Dragonfly(const settings::Dragonfly& spec, const std::string& where, std::optional<std::uint32_t> nodes = {});

  [[nodiscard]] std::uint32_t node_count() const override { return nodes_; }
  [[nodiscard]] std::uint32_t switch_count() const override { return spec_.groups * routers_; }
  [[nodiscard]] std::uint32_t link_count() const override { return links_; }
  [[nodiscard]] std::uint32_t group_count() const override { return spec_.groups; }
  [[nodiscard]] std::string switch_name(std::uint32_t number) const override;
  [[nodiscard]] std::string link_name(std::uint32_t link) const override;
  [[nodiscard]] LinkCost link_cost(std::uint32_t link) const override;
  [[nodiscard]] Ends ends(std::uint32_t link) const override;
  [[nodiscard]] std::uint32_t switch_of(Node node) const override { return node / spec_.nodes_per_router; }
  [[nodiscard]] std::uint32_t group_of(Node node) const override { return switch_of(node) / routers_; }
  void route(Node from, Node to, Links& out) const override;
  void leave(Node from, Links& out) const override { minimal(switch_of(from), 0, from, out); }
  void enter(Node to, Links& out) const override { minimal(0, switch_of(to), to, out); }
  [[nodiscard]] std::uint32_t longest_route() const override;

 private:
  [[nodiscard]] std::uint32_t router(std::uint32_t group, std::uint32_t further, std::uint32_t cable) const;
  [[nodiscard]] std::uint32_t steps(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] std::uint32_t third_group(Node from, Node to) const;
  void within_group(std::uint32_t from, std::uint32_t to, Links& out) const;
  std::uint32_t cross(std::uint32_t from, std::uint32_t group, const std::uint32_t* target, std::uint32_t turn,
                      Links& out) const;
  void minimal(std::uint32_t from, std::uint32_t to, std::uint32_t turn, Links& out) const;

  settings::Dragonfly spec_;
  std::uint32_t nodes_ = 0;
  std::uint32_t routers_;                                       ///< of a group
  std::uint32_t chassis_links_, column_links_, links_ = 0;      ///< of one group; of all
  std::uint32_t first_column_link_ = 0, first_group_link_ = 0;  ///< those within chassis begin at 0
};

}  // namespace orrery::platform
