// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/datatype/layout.hpp"

#include <algorithm>

namespace orrery::mpi {
namespace {

/// Up to so many places are copied into the list or loop around them; longer lists are shared instead.
constexpr std::size_t short_list = 8;

/// Fills in what follows from count, places and parts.
Layout measured(Node node) {
  std::int64_t elements = 0;
  bool equal_runs = true;
  for (std::size_t i = 0; i < node.length(); ++i) {
    elements += node.elements_at(i);
    equal_runs = equal_runs && node.part(i).basic != nullptr && node.size_at(i) == node.size_at(0);
  }
  node.size = node.count * node.size_of_repetition();
  node.elements = node.count * elements;
  node.run_size = equal_runs ? node.size_at(0) : 0;
  return std::make_shared<const Node>(std::move(node));
}

Layout run_of_bytes(std::int64_t displacement, std::int64_t bytes, const Basic* basic) {
  return measured({.places = {{displacement, 0}, {0, bytes}}, .parts = {{basic, nullptr}}});
}

Layout loop_around(const Layout& layout, std::int64_t count, std::int64_t stride) {
  return measured(
      {.count = count, .stride = stride, .places = {{0, 0}, {0, layout->size}}, .parts = {{nullptr, layout}}});
}

/// A long list of equal parts at constant distances, as a loop; null if it is not one.
Layout as_loop(const Node& list) {
  if (list.length() <= short_list || list.parts.size() != 1) return nullptr;
  const std::int64_t stride = list.places[1].displacement - list.places[0].displacement;
  for (std::size_t i = 0; i < list.length(); ++i) {
    if (list.size_at(i) != list.size_at(0)) return nullptr;
    if (i > 0 && list.places[i].displacement - list.places[i - 1].displacement != stride) return nullptr;
  }
  return measured({.count = static_cast<std::int64_t>(list.length()),
                   .stride = stride,
                   .places = {{list.places[0].displacement, 0}, {0, list.size_at(0)}},
                   .parts = list.parts});
}

/// A list whose only place is a node: that node, moved there; null if it is not one, or moving it would copy much.
Layout as_child(const Node& list) {
  if (list.length() != 1 || list.parts[0].child == nullptr) return nullptr;
  const Layout& child = list.parts[0].child;
  const std::int64_t displacement = list.places[0].displacement;
  if (displacement == 0) return child;
  if (child->length() > short_list) return nullptr;
  Node moved = *child;
  for (std::size_t i = 0; i < moved.length(); ++i) moved.places[i].displacement += displacement;
  return measured(std::move(moved));
}

}  // namespace

Layout element(const Basic& basic) { return run_of_bytes(0, basic.size, &basic); }

Layout repeat(const Layout& layout, std::int64_t count, std::int64_t stride) {
  if (!layout || count <= 0) return nullptr;
  if (count == 1) return layout;
  if (layout->is_run() && layout->size == stride) {
    return run_of_bytes(layout->places[0].displacement, layout->size * count, layout->parts[0].basic);
  }
  if (layout->count == 1 && layout->length() <= short_list) {
    Node looped = *layout;
    looped.count = count;
    looped.stride = stride;
    return measured(std::move(looped));
  }
  if (layout->count > 1 && layout->count * layout->stride == stride && layout->length() <= short_list) {
    Node longer = *layout;
    longer.count *= count;
    return measured(std::move(longer));
  }
  return loop_around(layout, count, stride);
}

Layout without_types(const Layout& layout) {
  if (!layout) return nullptr;
  LayoutBuilder builder;
  for (std::size_t i = 0; i < layout->length(); ++i) {
    const Part& part = layout->part(i);
    const Layout bytes =
        part.basic != nullptr ? run_of_bytes(0, layout->size_at(i), &raw_byte()) : without_types(part.child);
    builder.add(layout->places[i].displacement, bytes, 1, 0);
  }
  return repeat(builder.finish(), layout->count, layout->stride);
}

void LayoutBuilder::add(std::int64_t displacement, const Layout& layout, std::int64_t count, std::int64_t stride) {
  if (!layout || count <= 0) return;
  if (layout->is_run() && layout->size == stride) {
    add_run(displacement + layout->places[0].displacement, count * layout->size, layout->parts[0].basic);
  } else {
    add(displacement, repeat(layout, count, stride));
  }
}

void LayoutBuilder::add(std::int64_t displacement, const Layout& layout) {
  if (layout->count > 1 || layout->length() > short_list) {
    add_part(displacement, layout->size, {nullptr, layout});
    return;
  }
  for (std::size_t i = 0; i < layout->length(); ++i) {
    const Part& part = layout->part(i);
    const std::int64_t at = displacement + layout->places[i].displacement;
    if (part.basic != nullptr) {
      add_run(at, layout->size_at(i), part.basic);
    } else {
      add_part(at, layout->size_at(i), part);
    }
  }
}

void LayoutBuilder::add_run(std::int64_t displacement, std::int64_t bytes, const Basic* basic) {
  const bool continues = !places_.empty() && parts_.back().basic == basic &&
                         places_.back().displacement + (size_ - places_.back().start) == displacement;
  if (continues) {
    size_ += bytes;
  } else {
    add_part(displacement, bytes, {basic, nullptr});
  }
}

void LayoutBuilder::add_part(std::int64_t displacement, std::int64_t bytes, Part part) {
  const bool shared = parts_.size() == 1;
  if (!shared || part != parts_.front()) {
    if (shared) parts_.resize(places_.size(), Part(parts_.front()));
    parts_.push_back(std::move(part));
  }
  places_.push_back({displacement, size_});
  size_ += bytes;
}

Layout LayoutBuilder::finish() {
  if (places_.empty()) return nullptr;
  places_.push_back({0, size_});
  places_.shrink_to_fit();
  Node list{.places = std::move(places_), .parts = std::move(parts_)};
  if (Layout loop = as_loop(list)) return loop;
  if (Layout child = as_child(list)) return child;
  return measured(std::move(list));
}

}  // namespace orrery::mpi
