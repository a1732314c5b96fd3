// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "mpi/datatype/datatype.hpp"

/// Type maps as the standard writes them: a list of (displacement, size) entries, each constructor the formula of
/// MPI-4.1, section 5.1. Slow and obvious; what datatypes are compared with.
namespace orrery::mpi::naive {

struct Entry {
  std::int64_t displacement;
  std::int64_t size;
  std::int64_t alignment;
};

struct TypeMap {
  std::vector<Entry> entries;
  std::optional<std::int64_t> lb_marker, ub_marker;
  std::int64_t members_ub = INT64_MIN;  ///< with their padding, which MPICH and Open MPI count

  [[nodiscard]] std::int64_t size() const {
    return std::accumulate(entries.begin(), entries.end(), std::int64_t{0},
                           [](std::int64_t sum, const Entry& e) { return sum + e.size; });
  }
  [[nodiscard]] std::int64_t true_lb() const {
    if (entries.empty()) return 0;
    return std::ranges::min(entries, {}, &Entry::displacement).displacement;
  }
  [[nodiscard]] std::int64_t true_ub() const {
    std::int64_t ub = entries.empty() ? 0 : entries[0].displacement + entries[0].size;
    for (const Entry& e : entries) ub = std::max(ub, e.displacement + e.size);
    return ub;
  }
  [[nodiscard]] std::int64_t lb() const { return lb_marker.value_or(true_lb()); }
  /// With the ε of section 5.1.6.
  [[nodiscard]] std::int64_t ub() const {
    if (ub_marker) return *ub_marker;
    std::int64_t ub = std::max(true_ub(), members_ub);
    std::int64_t alignment = 1;
    for (const Entry& e : entries) alignment = std::max(alignment, e.alignment);
    while ((ub - true_lb()) % alignment != 0) ++ub;
    return ub;
  }
  [[nodiscard]] std::int64_t extent() const { return ub() - lb(); }

  /// Adds the entries of `old`, moved by `displacement`; markers are the least and the greatest of all.
  void append(const TypeMap& old, std::int64_t displacement) {
    if (!old.entries.empty()) members_ub = std::max(members_ub, old.ub() + displacement);
    for (const Entry& e : old.entries) entries.push_back({e.displacement + displacement, e.size, e.alignment});
    if (old.lb_marker) lb_marker = std::min(lb_marker.value_or(INT64_MAX), *old.lb_marker + displacement);
    if (old.ub_marker) ub_marker = std::max(ub_marker.value_or(INT64_MIN), *old.ub_marker + displacement);
  }
  void append_block(const TypeMap& old, std::int64_t displacement, std::int64_t length) {
    const std::int64_t extent = old.extent();
    for (std::int64_t i = 0; i < length; ++i) append(old, displacement + i * extent);
  }
};

inline TypeMap basic(std::int64_t size, std::int64_t alignment) { return {{{0, size, alignment}}, {}, {}}; }

inline TypeMap hvector(const TypeMap& old, std::int64_t count, std::int64_t length, std::int64_t stride) {
  TypeMap made;
  for (std::int64_t i = 0; i < count; ++i) made.append_block(old, i * stride, length);
  return made;
}

inline TypeMap resized(TypeMap old, std::int64_t lb, std::int64_t extent) {
  old.lb_marker = lb;
  old.ub_marker = lb + extent;
  return old;
}

/// Elements of an array for which `mine(indices)` holds, in the order in which they lie in memory.
template <class Mine>
TypeMap array_part(const TypeMap& old, const std::vector<int>& sizes, bool fortran, Mine&& mine) {
  TypeMap made;
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  const std::size_t n = sizes.size();
  const std::int64_t extent = old.extent();
  for (std::int64_t linear = 0; linear < total; ++linear) {
    std::vector<std::int64_t> at(n);
    std::int64_t rest = linear;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t dimension = fortran ? k : n - 1 - k;
      at[dimension] = rest % sizes[dimension];
      rest /= sizes[dimension];
    }
    if (mine(at)) made.append(old, linear * extent);
  }
  made.lb_marker = 0;
  made.ub_marker = total * extent;
  return made;
}

/// Calls `visit(displacement, packed position, size)` for the entries of `count` elements.
template <class Visit>
void for_each_entry(const TypeMap& map, std::int64_t count, Visit&& visit) {
  std::int64_t position = 0;
  const std::int64_t extent = map.extent();
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Entry& e : map.entries) {
      visit(i * extent + e.displacement, position, e.size);
      position += e.size;
    }
  }
}

/// @param origin address that displacements count from
inline std::vector<std::byte> pack(const std::byte* origin, std::int64_t count, const TypeMap& map) {
  std::vector<std::byte> packed(static_cast<std::size_t>(count * map.size()));
  for_each_entry(map, count, [&](std::int64_t displacement, std::int64_t position, std::int64_t size) {
    std::memcpy(packed.data() + position, origin + displacement, static_cast<std::size_t>(size));
  });
  return packed;
}

/// The first `bytes` packed bytes; the last entry may be cut.
inline void unpack(const std::vector<std::byte>& packed, std::int64_t bytes, std::byte* origin, std::int64_t count,
                   const TypeMap& map) {
  for_each_entry(map, count, [&](std::int64_t displacement, std::int64_t position, std::int64_t size) {
    const std::int64_t here = std::clamp<std::int64_t>(bytes - position, 0, size);
    if (here > 0) std::memcpy(origin + displacement, packed.data() + position, static_cast<std::size_t>(here));
  });
}

}  // namespace orrery::mpi::naive
