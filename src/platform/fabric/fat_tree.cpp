// SPDX-License-Identifier: BSD-3-Clause
#include "platform/fabric/fat_tree.hpp"

#include <algorithm>
#include <utility>

#include "platform/fabric/draw.hpp"
#include "platform/fabric/require.hpp"

namespace orrery::platform {

FatTree::FatTree(settings::FatTree spec, const std::string& where, std::optional<std::uint32_t> nodes)
    : spec_(std::move(spec)) {
  std::uint32_t places = spec_.nodes_per_leaf;
  for (const settings::FatTreeLevel& level : spec_.levels) places = product(where, places, level.down);
  nodes_ = fitting(where, places, nodes);

  Level level{.subtree = spec_.nodes_per_leaf, .switches = places / spec_.nodes_per_leaf};
  for (std::size_t i = 0;; ++i) {
    levels_.push_back(level);
    switches_ = level.first_switch + level.switches;
    if (i == spec_.levels.size()) break;
    const settings::FatTreeLevel& above = spec_.levels[i];
    const std::uint32_t ports = product(where, above.up, above.parallel);
    const std::uint32_t subtree = level.subtree * above.down;
    const std::uint32_t tops = product(where, level.tops, above.up);
    level = {.subtree = subtree,
             .tops = tops,
             .switches = product(where, places / subtree, tops),
             .first_switch = switches_,
             .ports = ports,
             .first_link = links_};
    links_ = counted(where, std::uint64_t{links_} + product(where, 2 * std::uint64_t{levels_.back().switches}, ports));
  }
}

std::size_t FatTree::meeting_level(Node from, Node to) const {
  std::size_t level = 0;
  while (from / levels_[level].subtree != to / levels_[level].subtree) ++level;
  return level;
}

/// Port by which a switch of the level below sends up to `level`. D-mod-k: lower levels have chosen by the number of
/// the target modulo `tops`, so this level chooses by the quotient, which spreads the targets of one port below over
/// all ports here.
std::uint32_t FatTree::port(std::size_t level, Node from, Node to) const {
  const std::uint32_t ports = levels_[level].ports;
  const std::uint32_t tops = levels_[level - 1].tops;
  switch (spec_.routing) {
    case settings::FatTreeRouting::DModK: return to / tops % ports;
    case settings::FatTreeRouting::SModK: return from / tops % ports;
    case settings::FatTreeRouting::Random: break;
  }
  return static_cast<std::uint32_t>(draw(spec_.seed, from, to, static_cast<std::uint32_t>(level)) % ports);
}

/// Port towards the first root, at which wide-area links begin. Nodes take parallel cables in turn.
std::uint32_t FatTree::gateway_port(std::size_t level, Node node) const {
  const settings::FatTreeLevel& above = spec_.levels[level - 1];
  return node % above.parallel * above.up;
}

std::uint32_t FatTree::link(const Cable& cable) const {
  const Level& level = levels_[cable.level];
  return level.first_link + 2 * (cable.below * level.ports + cable.port) + (cable.upwards ? 0 : 1);
}

FatTree::Cable FatTree::cable(std::uint32_t link) const {
  std::size_t level = top();
  while (link < levels_[level].first_link) --level;
  const std::uint32_t offset = link - levels_[level].first_link;
  return {level, offset / 2 / levels_[level].ports, offset / 2 % levels_[level].ports, offset % 2 == 0};
}

/// Appends the links from a node up to `level`, by the ports that `port(level)` gives. Returns b of the switch reached.
template <class Port>
std::uint32_t FatTree::climb(Node from, std::size_t level, Port port, Links* out) const {
  std::uint32_t top = 0;
  for (std::size_t l = 1; l <= level; ++l) {
    const Level& below = levels_[l - 1];
    const std::uint32_t p = port(l);
    if (out != nullptr) out->push_back(link({l, from / below.subtree * below.tops + top, p, true}));
    top += p % spec_.levels[l - 1].up * below.tops;
  }
  return top;
}

template <class Port>
void FatTree::descend(Node to, std::size_t level, std::uint32_t top, Port port, Links& out) const {
  for (std::size_t l = level; l > 0; --l) {
    const Level& below = levels_[l - 1];
    top %= below.tops;
    out.push_back(link({l, to / below.subtree * below.tops + top, port(l), false}));
  }
}

void FatTree::route(Node from, Node to, Links& out) const {
  const std::size_t level = meeting_level(from, to);
  const auto ports = [&](std::size_t l) { return port(l, from, to); };
  descend(to, level, climb(from, level, ports, &out), ports, out);
}

void FatTree::leave(Node from, Links& out) const {
  climb(
      from, top(), [&](std::size_t l) { return gateway_port(l, from); }, &out);
}

void FatTree::enter(Node to, Links& out) const {
  const auto ports = [&](std::size_t l) { return gateway_port(l, to); };
  descend(to, top(), climb(to, top(), ports, nullptr), ports, out);
}

std::string FatTree::switch_name(std::uint32_t number) const {
  std::size_t level = top();
  while (number < levels_[level].first_switch) --level;
  return concat("level", level, ".", number - levels_[level].first_switch);
}

std::string FatTree::link_name(std::uint32_t link) const {
  const Cable c = cable(link);
  const std::uint32_t parallel = c.port / spec_.levels[c.level - 1].up;
  return Fabric::link_name(link) + (parallel > 0 ? concat("#", parallel + 1) : "");
}

Fabric::LinkCost FatTree::link_cost(std::uint32_t link) const {
  const settings::FatTreeLevel& level = spec_.levels[cable(link).level - 1];
  return {{level.bandwidth_bytes_per_s}, {level.latency_s}};
}

Fabric::Ends FatTree::ends(std::uint32_t link) const {
  const Cable c = cable(link);
  const Level& below = levels_[c.level - 1];
  const Level& above = levels_[c.level];
  const std::uint32_t subtree = c.below / below.tops / spec_.levels[c.level - 1].down;
  const std::uint32_t top = c.below % below.tops + c.port % spec_.levels[c.level - 1].up * below.tops;
  const Ends up{below.first_switch + c.below, above.first_switch + subtree * above.tops + top};
  return c.upwards ? up : Ends{up.to, up.from};
}

}  // namespace orrery::platform
