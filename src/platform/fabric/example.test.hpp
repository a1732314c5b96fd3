// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "platform/fabric/fabric.hpp"

/// What the tests of the topologies share.
namespace orrery::platform::example {

using Links = Fabric::Links;
using Node = Fabric::Node;

inline Links route(const Fabric& fabric, Node from, Node to) {
  Links links;
  fabric.route(from, to, links);
  return links;
}

/// The links lead from the one switch to the other, none is crossed twice, and there are not too many.
inline bool leads(const Fabric& fabric, const Links& links, std::uint32_t from, std::uint32_t to) {
  for (const std::uint32_t link : links) {
    if (fabric.ends(link).from != from) return false;
    from = fabric.ends(link).to;
  }
  const std::set<std::uint32_t> distinct(links.begin(), links.end());
  return from == to && distinct.size() == links.size() && links.size() <= fabric.longest_route();
}

inline void for_each_pair(const Fabric& fabric, const std::function<void(Node, Node)>& visit) {
  for (Node from = 0; from < fabric.node_count(); ++from)
    for (Node to = 0; to < fabric.node_count(); ++to)
      if (from != to) visit(from, to);
}

/// All routes lead where they should.
inline bool all_lead(const Fabric& fabric) {
  bool good = true;
  for_each_pair(fabric, [&](Node from, Node to) {
    good &= leads(fabric, route(fabric, from, to), fabric.switch_of(from), fabric.switch_of(to));
  });
  return good;
}

inline std::size_t longest(const Fabric& fabric) {
  std::size_t longest = 0;
  for_each_pair(fabric, [&](Node from, Node to) { longest = std::max(longest, route(fabric, from, to).size()); });
  return longest;
}

/// How many routes between different nodes cross each link.
inline std::vector<std::uint32_t> load_of_all_pairs(const Fabric& fabric) {
  std::vector<std::uint32_t> load(fabric.link_count());
  for_each_pair(fabric, [&](Node from, Node to) {
    for (const std::uint32_t link : route(fabric, from, to)) ++load[link];
  });
  return load;
}

/// Every link has two ends of its own and a name of its own.
inline bool all_distinct(const Fabric& fabric) {
  std::set<std::string> names;
  for (std::uint32_t link = 0; link < fabric.link_count(); ++link) {
    const Fabric::Ends ends = fabric.ends(link);
    if (ends.from == ends.to || std::max(ends.from, ends.to) >= fabric.switch_count()) return false;
    names.insert(fabric.link_name(link));
  }
  return names.size() == fabric.link_count();
}

}  // namespace orrery::platform::example
