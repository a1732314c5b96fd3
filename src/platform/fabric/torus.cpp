// SPDX-License-Identifier: BSD-3-Clause
#include "platform/fabric/torus.hpp"

#include <array>

#include "platform/fabric/draw.hpp"
#include "platform/fabric/require.hpp"

namespace orrery::platform {
namespace {

constexpr std::size_t most_dimensions = 16;

}  // namespace

Torus::Torus(const settings::Torus& spec, const std::string& where, std::optional<std::uint32_t> nodes) : spec_(spec) {
  const std::size_t count = spec_.sizes.size(), given = spec_.wraps.size();
  if (given != 1 && given != count)
    throw InputError(concat(where, ": has ", given, " values of wraps for ", count, " dimensions"));
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t size = spec_.sizes[i];
    const bool wraps = spec_.wraps[given == 1 ? 0 : i];
    dimensions_.push_back({.size = size, .stride = routers_, .edges = wraps && size > 2 ? size : size - 1});
    routers_ = product(where, routers_, size);
  }
  nodes_ = fitting(where, product(where, routers_, spec_.nodes_per_router), nodes);
  for (Dimension& dimension : dimensions_) {
    dimension.first_link = links_;
    links_ = counted(where, links_ + 2 * std::uint64_t{dimension.edges} * (routers_ / dimension.size));
  }
}

void Torus::route(Node from, Node to, Links& out) const {
  const std::uint64_t order = spec_.routing == settings::TorusRouting::RandomOrder ? draw(spec_.seed, from, to) : 0;
  walk(switch_of(from), switch_of(to), order, out);
}

/// Appends the links of a route, dimension by dimension; each digit of `order` chooses the next of those that remain.
void Torus::walk(std::uint32_t from, std::uint32_t to, std::uint64_t order, Links& out) const {
  std::array<std::uint8_t, most_dimensions> remaining{};
  const std::size_t count = dimensions_.size();
  for (std::size_t i = 0; i < count; ++i) remaining[i] = static_cast<std::uint8_t>(i);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t next = i + order % (count - i);
    order /= count - i;
    const std::uint8_t chosen = remaining[next];
    for (std::size_t j = next; j > i; --j) remaining[j] = remaining[j - 1];
    from = walk_along(dimensions_[chosen], from, to, out);
  }
}

/// Number of steps up to the target; 0 if the shorter way is down.
std::uint32_t Torus::steps_up(const Dimension& dimension, std::uint32_t from, std::uint32_t to) {
  if (!dimension.wraps()) return to > from ? to - from : 0;
  const std::uint32_t up = (to + dimension.size - from) % dimension.size;
  const std::uint32_t down = dimension.size - up;
  return up < down || (up == down && from % 2 == 0) ? up : 0;
}

/// Appends the links along one dimension. Returns the router reached.
std::uint32_t Torus::walk_along(const Dimension& dimension, std::uint32_t at, std::uint32_t to, Links& out) const {
  const std::uint32_t line = dimension.first_link + 2 * dimension.line(at) * dimension.edges;
  std::uint32_t here = dimension.coordinate(at);
  const std::uint32_t target = dimension.coordinate(to);
  const bool up = steps_up(dimension, here, target) > 0;
  at -= here * dimension.stride;
  while (here != target) {
    const std::uint32_t edge = up ? here : (here + dimension.size - 1) % dimension.size;
    out.push_back(line + 2 * edge + (up ? 0 : 1));
    here = up ? (here + 1) % dimension.size : edge;
  }
  return at + target * dimension.stride;
}

std::uint32_t Torus::longest_route() const {
  std::uint32_t longest = 0;
  for (const Dimension& dimension : dimensions_) longest += dimension.longest();
  return longest;
}

std::string Torus::switch_name(std::uint32_t number) const {
  std::string name;
  for (const Dimension& dimension : dimensions_) name += concat(name.empty() ? "(" : ",", dimension.coordinate(number));
  return name + ")";
}

Fabric::Ends Torus::ends(std::uint32_t link) const {
  std::size_t i = dimensions_.size() - 1;
  while (link < dimensions_[i].first_link) --i;
  const Dimension& dimension = dimensions_[i];
  const std::uint32_t offset = link - dimension.first_link;
  const std::uint32_t line = offset / 2 / dimension.edges, edge = offset / 2 % dimension.edges;
  const std::uint32_t start = line / dimension.stride * dimension.stride * dimension.size + line % dimension.stride;
  const Ends up{start + edge * dimension.stride, start + (edge + 1) % dimension.size * dimension.stride};
  return offset % 2 == 0 ? up : Ends{up.to, up.from};
}

}  // namespace orrery::platform
