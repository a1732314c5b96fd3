// SPDX-License-Identifier: BSD-3-Clause
#include "collective/libnbc_rules.hpp"

#include "catch.hpp"
#include "collective/openmpi_rules.hpp"

// The limits are those of `libnbc` in Open MPI 4.1.4 and 5.0.11; what they lead to is compared with recorded messages
// in tests/python/test_collective_messages.py.
namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

std::string_view libnbc_chosen(CollectiveKind kind, int size, std::int64_t bytes, std::int64_t element = 8,
                               bool commutative = true) {
  return libnbc_choice({.kind = kind, .size = size, .bytes = {bytes}, .element = element, .commutative = commutative})
      .algorithm->libnbc;
}

TEST_CASE("a non-blocking broadcast is linear up to four ranks, whatever its size") {
  CHECK(libnbc_chosen(Bcast, 4, 1 << 22) == "linear");
  CHECK(libnbc_chosen(Bcast, 5, 8) == "binomial");
}

TEST_CASE("a non-blocking reduction is Rabenseifner's where there are elements enough") {
  CHECK(libnbc_chosen(Reduce, 8, 64) == "rabenseifner");
  CHECK(libnbc_chosen(Reduce, 8, 56) == "binomial");  // 7 elements for 8 ranks
  CHECK(libnbc_chosen(Reduce, 8, 64, 8, false) == "binomial");
  CHECK(libnbc_chosen(Reduce, 2, 65528) == "binomial");
  CHECK(libnbc_chosen(Reduce, 2, 65536) == "chain");
  CHECK(libnbc_chosen(Reduce, 4, 65536, 32768) == "chain");  // 2 elements for 4 ranks
  CHECK(libnbc_chosen(Reduce, 5, 65536, 32768) == "binomial");
}

TEST_CASE("a non-blocking allreduce changes at 64 KiB from four ranks on") {
  CHECK(libnbc_chosen(Allreduce, 3, 1 << 20) == "binomial");
  CHECK(libnbc_chosen(Allreduce, 4, 65528) == "binomial");
  CHECK(libnbc_chosen(Allreduce, 4, 65536) == "rabenseifner");
  CHECK(libnbc_chosen(Allreduce, 4, 65536, 32768) == "ring");
  CHECK(libnbc_chosen(Allreduce, 4, 65536, 8, false) == "binomial");
}

TEST_CASE("every kind has a non-blocking algorithm, which Open MPI's selectors choose") {
  for (int i = 0; i < op::collective_kinds; ++i) {
    const std::vector<std::int64_t> counts(8, 0);
    const Call call{.kind = static_cast<CollectiveKind>(i), .size = 4, .immediate = true, .counts = counts};
    REQUIRE(libnbc_choice(call).algorithm != nullptr);
    CHECK(openmpi_choice(call).algorithm == libnbc_choice(call).algorithm);
    CHECK(openmpi5_choice(call).algorithm == libnbc_choice(call).algorithm);
  }
}

TEST_CASE("what cannot serve a call gives way to what libnbc runs instead") {
  const auto served = [](CollectiveKind kind, std::string_view name, int size, std::int64_t bytes) {
    const Call call{.kind = kind, .size = size, .bytes = {bytes}, .element = 8, .immediate = true};
    return libnbc_fallback(*find_libnbc(kind, name), call)->libnbc;
  };
  CHECK(served(Allreduce, "rabenseifner", 8, 56) == "ring");
  CHECK(served(Reduce, "rabenseifner", 2, 800) == "chain");
  CHECK(served(Allgather, "recursive_doubling", 6, 8) == "linear");
  CHECK(served(Allgather, "recursive_doubling", 8, 8) == "recursive_doubling");
}

}  // namespace
}  // namespace orrery::collective
