// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/heap/contents.hpp"

#include <bit>
#include <vector>

#include "catch.hpp"
#include "mpi/channel/folded.hpp"
#include "mpi/channel/sites.hpp"

namespace orrery::mpi::heap {

TEST_CASE("numbers that programs compute with look computed, integers and addresses do not") {
  for (const double number : {0.0, 1.0, -3.5, 1e-30, 6e23}) CHECK(looks_computed(std::bit_cast<std::uint64_t>(number)));
  const float two[] = {0.5F, -7.25F};
  CHECK(looks_computed(std::bit_cast<std::uint64_t>(two)));
  const int pair[] = {3, 70'000};
  CHECK_FALSE(looks_computed(std::bit_cast<std::uint64_t>(pair)));
  CHECK_FALSE(looks_computed(1));
  CHECK_FALSE(looks_computed(std::uint64_t(-1)));
  CHECK_FALSE(looks_computed(reinterpret_cast<std::uint64_t>(&pair)));
}

TEST_CASE("what is in blocks is kept for the place that asked for them") {
  channel::Memory memory = channel::Memory::create(1);
  const std::vector<double> numbers(1000, 2.5);
  const std::vector<long> integers(1000, 7);
  const auto caller = reinterpret_cast<const void*>(&looks_computed);
  look_into(memory, numbers.data(), 8000, caller);
  look_into(memory, integers.data(), 8000, caller);
  std::vector<const channel::Site*> sites;
  channel::for_each_site(memory, [&](const channel::Site& site) { sites.push_back(&site); });
  REQUIRE(sites.size() == 1);
  CHECK(sites[0]->kind == channel::SiteKind::HeapContents);
  const auto& found = *memory.as<channel::HeapContents>(sites[0]->what);
  CHECK(found.blocks == 2);
  CHECK(found.words == 512);
  CHECK(found.suspected == 256);
}

}  // namespace orrery::mpi::heap
