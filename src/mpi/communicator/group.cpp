// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/group.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

namespace {

void check_group_rank(const Group& group, int rank) {
  if (rank < 0 || rank >= group.size()) {
    throw Error{err_rank, concat("rank ", rank, " is not in a group of ", group.size())};
  }
}

void check_rank_count(int n) {
  if (n < 0) throw Error{err_arg, concat("the number of ranks is ", n)};
}

/// Which members are named by `ranks`. @throws Error when one is not in the group, or named twice
std::vector<bool> named(const Group& group, const std::vector<int>& ranks) {
  std::vector<bool> is_named(static_cast<std::size_t>(group.size()));
  for (const int rank : ranks) {
    check_group_rank(group, rank);
    if (is_named[static_cast<std::size_t>(rank)]) throw Error{err_rank, concat("rank ", rank, " is listed twice")};
    is_named[static_cast<std::size_t>(rank)] = true;
  }
  return is_named;
}

/// A group made out of another one: of the same session.
Group* derived(std::vector<std::int32_t> world, const Group& from) {
  Group* group = make_group(std::move(world));
  if (group != group_empty()) group->session_buffer = from.session_buffer;
  return group;
}

Group* included(const Group& group, const std::vector<int>& ranks) {
  named(group, ranks);
  std::vector<std::int32_t> world;
  world.reserve(ranks.size());
  for (const int rank : ranks) world.push_back(group.world[static_cast<std::size_t>(rank)]);
  return derived(std::move(world), group);
}

Group* excluded(const Group& group, const std::vector<int>& ranks) {
  const auto is_named = named(group, ranks);
  std::vector<std::int32_t> world;
  for (std::size_t i = 0; i < group.world.size(); ++i) {
    if (!is_named[i]) world.push_back(group.world[i]);
  }
  return derived(std::move(world), group);
}

/// The ranks of first, first + stride, ... up to and including last, for each triplet.
std::vector<int> expanded(const Group& group, int n, const int (*ranges)[3]) {
  check_rank_count(n);
  std::vector<int> ranks;
  for (int i = 0; i < n; ++i) {
    const auto [first, last, stride] = ranges[i];
    if (stride == 0) throw Error{err_arg, concat("the stride of range ", i, " is 0")};
    check_group_rank(group, first);
    check_group_rank(group, last);
    for (int rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) ranks.push_back(rank);
  }
  return ranks;
}

/// Members of `a`, in its order, that are (`wanted`) or are not in `b`.
std::vector<std::int32_t> filtered(const Group& a, const Group& b, bool wanted) {
  std::vector<std::int32_t> world;
  for (const auto member : a.world) {
    if ((b.rank_of(member) != undefined) == wanted) world.push_back(member);
  }
  return world;
}

}  // namespace

int Group::rank_of(std::int32_t world_rank) const {
  const auto i = static_cast<std::size_t>(world_rank);
  if (i < world.size() && world[i] == world_rank) return world_rank;
  if (sorted_.empty() && !world.empty()) {
    sorted_.resize(world.size());
    std::iota(sorted_.begin(), sorted_.end(), 0);
    std::ranges::sort(sorted_, {}, [this](std::int32_t position) { return world[static_cast<std::size_t>(position)]; });
  }
  const auto world_of = [this](std::int32_t position) { return world[static_cast<std::size_t>(position)]; };
  const auto found = std::ranges::lower_bound(sorted_, world_rank, {}, world_of);
  return found != sorted_.end() && world_of(*found) == world_rank ? *found : undefined;
}

Group* group_empty() {
  static Group empty;
  return &empty;
}

Group* make_group(std::vector<std::int32_t> world) {
  if (world.empty()) return group_empty();
  auto* group = new Group;
  group->world = std::move(world);
  return group;
}

void retain(Group& group) { ++group.references; }

void release(Group& group) {
  if (&group != group_empty() && --group.references == 0) delete &group;
}

int relation(const Group& a, const Group& b) {
  if (a.world == b.world) return ident;
  if (a.size() != b.size()) return unequal;
  const auto in_b = [&b](std::int32_t member) { return b.rank_of(member) != undefined; };
  return std::ranges::all_of(a.world, in_b) ? similar : unequal;
}

void group_size(Group& group, int& size) { size = group.size(); }

void group_rank(Group& group, int& rank) { rank = group.rank_of(this_rank().world_rank()); }

void group_translate_ranks(Group& from, int n, const int* ranks, Group& to, int* translated) {
  if (n > 0 && (ranks == nullptr || translated == nullptr)) throw Error{err_arg, "an array of ranks is a null pointer"};
  check_rank_count(n);
  if (n > 0 && (ranks == nullptr || translated == nullptr)) throw Error{err_arg, "an array of ranks is a null pointer"};
  for (int i = 0; i < n; ++i) {
    if (ranks[i] == proc_null) {
      translated[i] = proc_null;
      continue;
    }
    check_group_rank(from, ranks[i]);
    translated[i] = to.rank_of(from.world[static_cast<std::size_t>(ranks[i])]);
  }
}

void group_compare(Group& a, Group& b, int& result) { result = relation(a, b); }

void group_union(Group& a, Group& b, Group*& result) {
  auto world = a.world;
  const auto rest = filtered(b, a, false);
  world.insert(world.end(), rest.begin(), rest.end());
  result = derived(std::move(world), a);
}

void group_intersection(Group& a, Group& b, Group*& result) { result = derived(filtered(a, b, true), a); }

void group_difference(Group& a, Group& b, Group*& result) { result = derived(filtered(a, b, false), a); }

void group_incl(Group& group, int n, const int* ranks, Group*& result) {
  check_rank_count(n);
  result = included(group, std::vector<int>(ranks, ranks + n));
}

void group_excl(Group& group, int n, const int* ranks, Group*& result) {
  check_rank_count(n);
  result = excluded(group, std::vector<int>(ranks, ranks + n));
}

void group_range_incl(Group& group, int n, const int (*ranges)[3], Group*& result) {
  result = included(group, expanded(group, n, ranges));
}

void group_range_excl(Group& group, int n, const int (*ranges)[3], Group*& result) {
  result = excluded(group, expanded(group, n, ranges));
}

void group_free(Group*& group) {
  release(*group);
  group = nullptr;
}

}  // namespace orrery::mpi
