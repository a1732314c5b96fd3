// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/types.hpp"

/// Groups of ranks (MPI-4.1, section 7.3): ordered sets of world ranks, never changed once they are made.
namespace orrery::mpi {

class AttachedBuffer;

struct Group {
  std::vector<std::int32_t> world;  ///< world rank of each member
  int references = 1;
  std::shared_ptr<AttachedBuffer> session_buffer;  ///< of the session that it comes from, if it comes from one

  [[nodiscard]] int size() const { return static_cast<int>(world.size()); }
  /// Position of a world rank, or `undefined`. Costs one comparison where ranks are world ranks, else a binary search.
  [[nodiscard]] int rank_of(std::int32_t world_rank) const;

 private:
  mutable std::vector<std::int32_t> sorted_;  ///< positions in the order of their world ranks, made when first needed
};

/// How two groups or communicators relate (values of the standard ABI).
inline constexpr int ident = 201;
inline constexpr int congruent = 202;
inline constexpr int similar = 203;
inline constexpr int unequal = 204;

/// MPI_GROUP_EMPTY; never freed.
[[nodiscard]] Group* group_empty();
/// A group of these world ranks, all different; the caller has the one reference to it. MPI_GROUP_EMPTY if there are
/// none.
[[nodiscard]] Group* make_group(std::vector<std::int32_t> world);
void retain(Group& group);
void release(Group& group);
/// Whether the members are the same in the same order (`ident`), in another order (`similar`), or others (`unequal`).
[[nodiscard]] int relation(const Group& a, const Group& b);

void group_size(Group& group, int& size);
void group_rank(Group& group, int& rank);
void group_translate_ranks(Group& from, int n, const int* ranks, Group& to, int* translated);
void group_compare(Group& a, Group& b, int& result);
void group_union(Group& a, Group& b, Group*& result);
void group_intersection(Group& a, Group& b, Group*& result);
void group_difference(Group& a, Group& b, Group*& result);
void group_incl(Group& group, int n, const int* ranks, Group*& result);
void group_excl(Group& group, int n, const int* ranks, Group*& result);
/// `ranges`: n triplets of first rank, last rank, stride.
void group_range_incl(Group& group, int n, const int (*ranges)[3], Group*& result);
void group_range_excl(Group& group, int n, const int (*ranges)[3], Group*& result);
void group_free(Group*& group);

}  // namespace orrery::mpi
