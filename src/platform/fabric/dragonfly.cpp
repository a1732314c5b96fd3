// SPDX-License-Identifier: BSD-3-Clause
#include "platform/fabric/dragonfly.hpp"

#include <algorithm>

#include "platform/fabric/draw.hpp"
#include "platform/fabric/require.hpp"

namespace orrery::platform {
namespace {

void check_cables(const settings::Dragonfly& spec, const std::string& where) {
  const auto require = [&](std::uint32_t ends, const std::optional<settings::Cable>& cable, const char* which) {
    if (ends > 1 && !cable) throw InputError(concat(where, ": ", which, " is missing"));
  };
  require(spec.routers_per_chassis, spec.within_chassis, "within_chassis");
  require(spec.chassis_per_group, spec.between_chassis, "between_chassis");
  require(spec.groups, spec.between_groups, "between_groups");
}

/// Number of the ordered pair (x, y), x ≠ y, of n things; `pair_of` is the inverse.
std::uint32_t pair_number(std::uint32_t n, std::uint32_t x, std::uint32_t y) {
  return x * (n - 1) + (y < x ? y : y - 1);
}

struct Pair {
  std::uint32_t x, y;
};
Pair pair_of(std::uint32_t n, std::uint32_t number) {
  const std::uint32_t x = number / (n - 1), y = number % (n - 1);
  return {x, y < x ? y : y + 1};
}

}  // namespace

Dragonfly::Dragonfly(const settings::Dragonfly& spec, const std::string& where, std::optional<std::uint32_t> nodes)
    : spec_(spec) {
  check_cables(spec_, where);
  const std::uint32_t rows = spec_.chassis_per_group, columns = spec_.routers_per_chassis;
  routers_ = product(where, rows, columns);
  const std::uint32_t all = product(where, routers_, spec_.groups);
  nodes_ = fitting(where, product(where, all, spec_.nodes_per_router), nodes);
  chassis_links_ = product(where, routers_, columns - 1);
  column_links_ = product(where, routers_, rows - 1);
  first_column_link_ = product(where, spec_.groups, chassis_links_);
  first_group_link_ = first_column_link_ + product(where, spec_.groups, column_links_);
  links_ =
      first_group_link_ + product(where, product(where, spec_.groups, spec_.groups - 1), spec_.cables_between_groups);
}

/// Router of a group at which a cable to group (group + further) mod groups ends.
std::uint32_t Dragonfly::router(std::uint32_t group, std::uint32_t further, std::uint32_t cable) const {
  return group * routers_ + (cable * (spec_.groups - 1) + further - 1) % routers_;
}

/// Number of links between two routers of one group.
std::uint32_t Dragonfly::steps(std::uint32_t from, std::uint32_t to) const {
  const std::uint32_t columns = spec_.routers_per_chassis;
  return (from % columns != to % columns ? 1 : 0) + (from / columns != to / columns ? 1 : 0);
}

/// Appends the links within a group: along the chassis first, then to the other chassis.
void Dragonfly::within_group(std::uint32_t from, std::uint32_t to, Links& out) const {
  const std::uint32_t rows = spec_.chassis_per_group, columns = spec_.routers_per_chassis;
  const std::uint32_t group = from / routers_;
  const std::uint32_t row = from % routers_ / columns, column = from % columns;
  const std::uint32_t to_row = to % routers_ / columns, to_column = to % columns;
  if (column != to_column)
    out.push_back(group * chassis_links_ + row * columns * (columns - 1) + pair_number(columns, column, to_column));
  if (row != to_row)
    out.push_back(first_column_link_ + group * column_links_ + to_column * rows * (rows - 1) +
                  pair_number(rows, row, to_row));
}

/// Appends the links to another group, by the cable with the shortest way to `target` in that group (nullptr: to any
/// router). Of equal cables, `turn` chooses. Returns the router reached.
std::uint32_t Dragonfly::cross(std::uint32_t from, std::uint32_t group, const std::uint32_t* target, std::uint32_t turn,
                               Links& out) const {
  const std::uint32_t here = from / routers_, cables = spec_.cables_between_groups;
  const std::uint32_t further = (group + spec_.groups - here) % spec_.groups;
  std::uint32_t best = 0, best_steps = ~0u;
  for (std::uint32_t i = 0; i < cables; ++i) {
    const std::uint32_t cable = (turn % cables + i) % cables;
    std::uint32_t length = steps(from, router(here, further, cable));
    if (target != nullptr) length += steps(router(group, spec_.groups - further, cable), *target);
    if (length < best_steps) best = cable, best_steps = length;
  }
  within_group(from, router(here, further, best), out);
  out.push_back(first_group_link_ + (here * (spec_.groups - 1) + further - 1) * cables + best);
  return router(group, spec_.groups - further, best);
}

void Dragonfly::minimal(std::uint32_t from, std::uint32_t to, std::uint32_t turn, Links& out) const {
  const std::uint32_t group = to / routers_;
  if (from / routers_ != group) from = cross(from, group, &to, turn, out);
  within_group(from, to, out);
}

/// A random group that holds neither node; there must be one.
std::uint32_t Dragonfly::third_group(Node from, Node to) const {
  const auto [first, second] = std::minmax({group_of(from), group_of(to)});
  auto group = static_cast<std::uint32_t>(draw(spec_.seed, from, to) % (spec_.groups - 2));
  if (group >= first) ++group;
  if (group >= second) ++group;
  return group;
}

void Dragonfly::route(Node from, Node to, Links& out) const {
  std::uint32_t at = switch_of(from);
  const auto turn = static_cast<std::uint32_t>(draw(spec_.seed, from, to, 1));
  const bool detour =
      spec_.routing == settings::DragonflyRouting::Valiant && group_of(from) != group_of(to) && spec_.groups > 2;
  if (detour) at = cross(at, third_group(from, to), nullptr, turn, out);
  minimal(at, switch_of(to), turn, out);
}

std::uint32_t Dragonfly::longest_route() const {
  const std::uint32_t local = (spec_.routers_per_chassis > 1 ? 1 : 0) + (spec_.chassis_per_group > 1 ? 1 : 0);
  if (spec_.groups == 1) return local;
  const bool detour = spec_.routing == settings::DragonflyRouting::Valiant && spec_.groups > 2;
  return detour ? 3 * local + 2 : 2 * local + 1;
}

std::string Dragonfly::switch_name(std::uint32_t number) const {
  const std::uint32_t columns = spec_.routers_per_chassis;
  const std::string row = spec_.chassis_per_group > 1 ? concat(".chassis", number % routers_ / columns) : "";
  return concat("group", number / routers_, row, ".router", number % columns);
}

std::string Dragonfly::link_name(std::uint32_t link) const {
  const std::uint32_t cable = link < first_group_link_ ? 0 : (link - first_group_link_) % spec_.cables_between_groups;
  return Fabric::link_name(link) + (cable > 0 ? concat("#", cable + 1) : "");
}

Fabric::LinkCost Dragonfly::link_cost(std::uint32_t link) const {
  const settings::Cable& cable = link < first_column_link_  ? *spec_.within_chassis
                                 : link < first_group_link_ ? *spec_.between_chassis
                                                            : *spec_.between_groups;
  return {{cable.bandwidth_bytes_per_s}, {cable.latency_s}};
}

Fabric::Ends Dragonfly::ends(std::uint32_t link) const {
  const std::uint32_t rows = spec_.chassis_per_group, columns = spec_.routers_per_chassis;
  if (link < first_column_link_) {
    const std::uint32_t chassis = link / (columns * (columns - 1));
    const Pair pair = pair_of(columns, link % (columns * (columns - 1)));
    return {chassis * columns + pair.x, chassis * columns + pair.y};
  }
  if (link < first_group_link_) {
    const std::uint32_t number = link - first_column_link_, column = number / (rows * (rows - 1)) % columns;
    const Pair pair = pair_of(rows, number % (rows * (rows - 1)));
    const std::uint32_t first = number / column_links_ * routers_ + column;
    return {first + pair.x * columns, first + pair.y * columns};
  }
  const std::uint32_t number = link - first_group_link_, cable = number % spec_.cables_between_groups;
  const std::uint32_t pair = number / spec_.cables_between_groups;
  const std::uint32_t group = pair / (spec_.groups - 1), further = pair % (spec_.groups - 1) + 1;
  return {router(group, further, cable), router((group + further) % spec_.groups, spec_.groups - further, cable)};
}

}  // namespace orrery::platform
