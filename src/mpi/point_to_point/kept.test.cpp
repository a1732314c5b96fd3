// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/kept.hpp"

#include <malloc.h>

#include <cstring>
#include <utility>

#include "catch.hpp"

using namespace orrery::mpi;

TEST_CASE("a large payload takes nothing of the program's heap") {
  constexpr std::size_t large = 1 << 20;
  const auto heap = [] {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;  // in the heap, and in mappings of its own
  };
  const auto before = heap();
  PayloadMemory payload(large);
  std::memset(payload.data(), 7, large);
  CHECK(heap() - before < large);
  PayloadMemory other(16);
  other = std::move(payload);
  CHECK(other.data()[large - 1] == std::byte{7});
}
