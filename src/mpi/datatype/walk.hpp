// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mpi/datatype/layout.hpp"

/// Visits the runs of a layout in the order of packing: `visit(displacement, bytes, basic)`. `bytes` is a number or,
/// where the runs of a loop have a usual length, a constant, so that what the visitor does is compiled for it.
namespace orrery::mpi {

/// Address of a byte of a buffer; the buffer may be MPI_BOTTOM, displacements then are addresses.
inline std::byte* byte_at(const void* buffer, std::int64_t displacement) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                      static_cast<std::uintptr_t>(displacement));
}

template <class Function>
void with_constant_length(std::int64_t bytes, Function&& function) {
  switch (bytes) {
    case 4: return function(std::integral_constant<std::int64_t, 4>{});
    case 8: return function(std::integral_constant<std::int64_t, 8>{});
    case 12: return function(std::integral_constant<std::int64_t, 12>{});
    case 16: return function(std::integral_constant<std::int64_t, 16>{});
    case 24: return function(std::integral_constant<std::int64_t, 24>{});
    case 32: return function(std::integral_constant<std::int64_t, 32>{});
    case 48: return function(std::integral_constant<std::int64_t, 48>{});
    default: return function(bytes);
  }
}

template <class Visit>
void visit_equal_runs(const Node& node, std::int64_t origin, std::int64_t first, std::int64_t last, Visit& visit) {
  with_constant_length(node.run_size, [&](auto bytes) {
    const bool single = node.length() == 1;
    const Place* places = node.places.data();
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t at = origin + i * node.stride;
      if (single) {
        visit(at + places[0].displacement, bytes, node.parts[0].basic);
        continue;
      }
      for (std::size_t j = 0; j < node.length(); ++j) visit(at + places[j].displacement, bytes, node.part(j).basic);
    }
  });
}

template <class Visit>
void visit_repetitions(const Node& node, std::int64_t origin, std::int64_t first, std::int64_t last, Visit& visit) {
  if (node.run_size != 0) return visit_equal_runs(node, origin, first, last, visit);
  for (std::int64_t i = first; i < last; ++i) {
    for (std::size_t j = 0; j < node.length(); ++j) {
      const std::int64_t at = origin + i * node.stride + node.places[j].displacement;
      const Part& part = node.part(j);
      if (part.basic != nullptr) {
        visit(at, node.size_at(j), part.basic);
      } else {
        visit_repetitions(*part.child, at, 0, part.child->count, visit);
      }
    }
  }
}

template <class Visit>
void visit_range(const Node& node, std::int64_t origin, std::int64_t begin, std::int64_t end, Visit& visit);

/// The part [begin, end) of the data of one repetition.
template <class Visit>
void visit_within(const Node& node, std::int64_t origin, std::int64_t begin, std::int64_t end, Visit& visit) {
  const auto after = std::upper_bound(node.places.begin(), node.places.end(), begin,
                                      [](std::int64_t position, const Place& place) { return position < place.start; });
  for (auto j = static_cast<std::size_t>(after - node.places.begin()) - 1; j < node.length(); ++j) {
    const Place& place = node.places[j];
    if (place.start >= end) return;
    const std::int64_t from = std::max<std::int64_t>(begin - place.start, 0);
    const std::int64_t to = std::min(end - place.start, node.size_at(j));
    const Part& part = node.part(j);
    if (part.basic != nullptr) {
      visit(origin + place.displacement + from, to - from, part.basic);
    } else {
      visit_range(*part.child, origin + place.displacement, from, to, visit);
    }
  }
}

/// The part [begin, end) of the packed data of `node`; 0 <= begin <= end <= size. Finding `begin` costs a division and
/// a binary search per level. Runs are cut where the range is: also within an element.
template <class Visit>
void visit_range(const Node& node, std::int64_t origin, std::int64_t begin, std::int64_t end, Visit& visit) {
  if (begin == end) return;
  const std::int64_t step = node.size_of_repetition();
  std::int64_t first = begin / step;
  const std::int64_t last = end / step;
  const auto at = [&](std::int64_t i) { return origin + i * node.stride; };
  if (begin > first * step) {
    visit_within(node, at(first), begin - first * step, std::min(end - first * step, step), visit);
    ++first;
  }
  if (first < last) visit_repetitions(node, origin, first, last, visit);
  if (first <= last && end > last * step) visit_within(node, at(last), 0, end - last * step, visit);
}

}  // namespace orrery::mpi
