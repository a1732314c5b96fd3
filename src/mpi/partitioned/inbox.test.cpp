// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/partitioned/inbox.hpp"

#include "catch.hpp"

using namespace orrery::mpi;

namespace {

/// A message of that pair, without a payload.
struct Partition {
  Partition(const PairKey& key, std::uint32_t number) {
    address(key, head);
    head.sequence = number;
    head.form = channel::Form::Inline;
  }
  channel::Message head{};
};

}  // namespace

TEST_CASE("a message says which pair it belongs to, of 2^28 with one tag") {
  for (const std::uint32_t pair : {0u, 1u, 2048u, 65'535u, 65'536u, 200'000u, (1u << 28) - 1}) {
    const PairKey key{.source = 3, .comm = channel::max_comms - 1, .tag = 7, .pair = pair};
    CHECK(key_of(Partition(key, 0).head) == key);
  }
}

TEST_CASE("partitions of a pair are taken in the order in which they came") {
  PartitionInbox inbox;
  const PairKey first{.source = 0, .comm = 1, .tag = 2, .pair = 0};
  const PairKey later{.source = 0, .comm = 1, .tag = 2, .pair = 2048};
  for (std::uint32_t number = 0; number < 100; ++number) {
    inbox.arrived(Partition(later, 1000 + number).head);
    inbox.arrived(Partition(first, number).head);
  }
  for (std::uint32_t number = 0; number < 100; ++number) {
    REQUIRE(inbox.oldest(first) != nullptr);
    CHECK(inbox.take(first)->head.sequence == number);
  }
  CHECK(inbox.oldest(first) == nullptr);
  CHECK(inbox.take(later)->head.sequence == 1000);
}
