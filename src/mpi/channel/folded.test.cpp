// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/folded.hpp"

#include <cstring>

#include "catch.hpp"
#include "mpi/channel/sites.hpp"

using namespace orrery::mpi::channel;

TEST_CASE("folded memory is as large as asked for, and one block again and again") {
  Memory memory = Memory::create(1);
  const Offset block = make_folded_block(memory);
  constexpr std::size_t bytes = 3 * folded_block + 5000;
  auto* first = static_cast<char*>(map_folded(memory.descriptor(), block, bytes));
  REQUIRE(first != nullptr);
  std::memset(first, 1, bytes);
  first[17] = 42;
  CHECK(first[folded_block + 17] == 42);
  CHECK(first[3 * folded_block + 17] == 42);
  CHECK(*reinterpret_cast<char*>(memory.at(block + 17)) == 42);
  auto* other = static_cast<char*>(map_folded(memory.descriptor(), block, 100));
  CHECK(other[17] == 42);
  unmap_folded(other, 100);
  unmap_folded(first, bytes);
}

TEST_CASE("more than there can be is refused") {
  Memory memory = Memory::create(1);
  CHECK(map_folded(memory.descriptor(), make_folded_block(memory), ~std::size_t{0}) == nullptr);
}

TEST_CASE("the most that was asked for at once is kept") {
  FoldedUse use;
  use.ask(10);
  use.ask(20);
  use.give_back(25);
  use.ask(5);
  CHECK(use.asked == 10);
  CHECK(use.most_asked == 30);
}

TEST_CASE("a site is one for each file, line and kind") {
  Memory memory = Memory::create(1);
  const auto make = [] { return Offset{7}; };
  const Site& first = site(memory, "a.c", 1, SiteKind::Folded, make);
  CHECK(&site(memory, "a.c", 1, SiteKind::Folded, make) == &first);
  CHECK(&site(memory, "a.c", 2, SiteKind::Folded, make) != &first);
  CHECK(&site(memory, "b.c", 1, SiteKind::Folded, make) != &first);
  CHECK(&site(memory, "a.c", 1, SiteKind::SampledByAll, make) != &first);
  int seen = 0;
  for_each_site(memory, [&seen](const Site&) { ++seen; });
  CHECK(seen == 4);
}
