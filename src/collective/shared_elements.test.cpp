// SPDX-License-Identifier: BSD-3-Clause
#include "collective/shared_elements.hpp"

#include "catch.hpp"

using namespace orrery;
using namespace orrery::collective;

namespace {

Call bcast_call(std::int64_t element, bool immediate = false) {
  return {.kind = CollectiveKind::Bcast,
          .bytes = {20'000},
          .element = element,
          .extent = 2 * element,
          .immediate = immediate};
}

/// What a rank's call has after all have agreed.
std::int64_t agreed(SharedElements& elements, std::uint64_t number, std::size_t rank, Call call,
                    std::size_t members = 3) {
  elements.agree(number, rank, members, call);
  CHECK(call.extent == 2 * call.element);
  return call.element;
}

}  // namespace

TEST_CASE("the first rank's element counts for all, and a call that all have made is forgotten") {
  SharedElements elements;
  CHECK(agreed(elements, 7, 2, bcast_call(4)) == 4);
  CHECK(agreed(elements, 7, 0, bcast_call(20'000)) == 4);
  CHECK(agreed(elements, 8, 0, bcast_call(100)) == 100);
  CHECK(elements.open() == 2);
  CHECK(agreed(elements, 7, 1, bcast_call(8)) == 4);
  CHECK(elements.open() == 1);
  CHECK(agreed(elements, 7, 1, bcast_call(8)) == 8);  // another call of that number
}

TEST_CASE("a persistent call that some ranks start twice before others start it once stays one call") {
  SharedElements elements;
  for (int round = 0; round < 2; ++round) CHECK(agreed(elements, 7, 0, bcast_call(4, true)) == 4);
  for (int round = 0; round < 2; ++round) CHECK(agreed(elements, 7, 1, bcast_call(20'000, true)) == 4);
  CHECK(agreed(elements, 7, 2, bcast_call(8, true)) == 4);
  CHECK(elements.open() == 1);
  CHECK(agreed(elements, 7, 2, bcast_call(8, true)) == 4);
  CHECK(elements.open() == 0);
}

TEST_CASE("a rank without a part in the call has no view of it") {
  SharedElements elements;
  Call without = bcast_call(1);
  without.root = op::no_part;
  CHECK(agreed(elements, 7, 0, without) == 1);
  CHECK(agreed(elements, 7, 1, bcast_call(4)) == 4);
  CHECK(agreed(elements, 7, 2, bcast_call(8)) == 4);
}

TEST_CASE("reductions, for which MPI asks for the same datatype everywhere, are left alone") {
  SharedElements elements;
  Call call = bcast_call(4);
  call.kind = CollectiveKind::Allreduce;
  CHECK(agreed(elements, 7, 0, call) == 4);
  CHECK(elements.open() == 0);
}
