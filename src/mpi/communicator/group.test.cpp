// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/group.hpp"

#include "catch.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery::mpi;
using orrery::mpi::testing::error_of;
using orrery::mpi::testing::Ranks;

namespace {

/// A group that lives as long as the test.
struct HeldGroup {
  explicit HeldGroup(Ranks world) : group(make_group(std::move(world))) {}
  HeldGroup(const HeldGroup&) = delete;
  ~HeldGroup() { release(*group); }
  Group* group;
};

template <class Make>
Ranks members(Make make) {
  Group* group = nullptr;
  make(group);
  const Ranks world = group->world;
  group_free(group);
  CHECK(group == nullptr);
  return world;
}

}  // namespace

// MPI-4.1, section 7.3.2: the union has the first group's members, then those of the second that are not in the first;
// intersection and difference are ordered as in the first group.
TEST_CASE("Set operations keep the order of the first group") {
  HeldGroup a({7, 1, 4, 3});
  HeldGroup b({3, 9, 7});
  CHECK(members([&](Group*& g) { group_union(*a.group, *b.group, g); }) == Ranks{7, 1, 4, 3, 9});
  CHECK(members([&](Group*& g) { group_intersection(*a.group, *b.group, g); }) == Ranks{7, 3});
  CHECK(members([&](Group*& g) { group_intersection(*b.group, *a.group, g); }) == Ranks{3, 7});
  CHECK(members([&](Group*& g) { group_difference(*a.group, *b.group, g); }) == Ranks{1, 4});
}

TEST_CASE("An empty result is MPI_GROUP_EMPTY, and stays when it is freed") {
  HeldGroup a({2, 5});
  Group* none = nullptr;
  group_difference(*a.group, *a.group, none);
  CHECK(none == group_empty());
  group_free(none);
  CHECK(group_empty()->size() == 0);
  CHECK(members([&](Group*& g) { group_incl(*a.group, 0, nullptr, g); }).empty());
}

TEST_CASE("Inclusion reorders, exclusion keeps the order") {
  HeldGroup a({10, 11, 12, 13, 14});
  const int chosen[] = {3, 0, 4};
  CHECK(members([&](Group*& g) { group_incl(*a.group, 3, chosen, g); }) == Ranks{13, 10, 14});
  CHECK(members([&](Group*& g) { group_excl(*a.group, 3, chosen, g); }) == Ranks{11, 12});
}

TEST_CASE("Ranges run up, run down, and stop at the last rank that the stride meets") {
  HeldGroup a({10, 11, 12, 13, 14, 15, 16});
  const int ranges[][3] = {{1, 4, 2}, {6, 5, -1}, {0, 0, 3}};  // ranks 1 3 | 6 5 | 0
  CHECK(members([&](Group*& g) { group_range_incl(*a.group, 3, ranges, g); }) == Ranks{11, 13, 16, 15, 10});
  CHECK(members([&](Group*& g) { group_range_excl(*a.group, 3, ranges, g); }) == Ranks{12, 14});
}

TEST_CASE("Groups are identical, similar or unequal by members and order") {
  HeldGroup a({4, 2, 9});
  HeldGroup same({4, 2, 9});
  HeldGroup reordered({9, 4, 2});
  HeldGroup other({9, 4, 3});
  int result = 0;
  group_compare(*a.group, *same.group, result);
  CHECK(result == ident);
  group_compare(*a.group, *reordered.group, result);
  CHECK(result == similar);
  group_compare(*a.group, *other.group, result);
  CHECK(result == unequal);
}

TEST_CASE("Ranks are translated by process; strangers become undefined, MPI_PROC_NULL stays") {
  HeldGroup a({4, 2, 9});
  HeldGroup b({9, 4, 3});
  const int ranks[] = {2, 1, proc_null, 0};
  int translated[4] = {};
  group_translate_ranks(*a.group, 4, ranks, *b.group, translated);
  CHECK(std::vector<int>(translated, translated + 4) == std::vector<int>{0, undefined, proc_null, 1});
}

TEST_CASE("Lists that name no rank, a rank twice or no stride are errors") {
  HeldGroup a({4, 2, 9});
  Group* result = nullptr;
  const int beyond[] = {3};
  const int twice[] = {1, 1};
  const int no_stride[][3] = {{0, 2, 0}};
  CHECK(error_of([&] { group_incl(*a.group, 1, beyond, result); }) == err_rank);
  CHECK(error_of([&] { group_excl(*a.group, 2, twice, result); }) == err_rank);
  CHECK(error_of([&] { group_range_incl(*a.group, 1, no_stride, result); }) == err_arg);
  CHECK(error_of([&] { group_incl(*a.group, -1, nullptr, result); }) == err_arg);
}
