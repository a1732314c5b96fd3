// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/combine.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "catch.hpp"

using namespace orrery::mpi;

namespace {

constexpr std::uint32_t abi_int = 0x250;         // MPI_INT32_T
constexpr std::uint32_t abi_double_int = 0x229;  // MPI_DOUBLE_INT

}  // namespace

TEST_CASE("packed numbers are combined elementwise, replaced, or left alone") {
  Datatype& type = *predefined_datatype(abi_int);
  REQUIRE(size_of(type) == 4);
  alignas(16) std::array<std::int32_t, 3> operand{1, 2, 3};
  alignas(16) std::array<std::int32_t, 3> target{10, 20, 30};
  const auto combine = [&](Operation operation) {
    combine_packed(operation, type, reinterpret_cast<const std::byte*>(operand.data()),
                   reinterpret_cast<std::byte*>(target.data()), sizeof target);
  };
  combine(Operation::Sum);
  CHECK(target == std::array<std::int32_t, 3>{11, 22, 33});
  combine(Operation::NoOperation);
  CHECK(target == std::array<std::int32_t, 3>{11, 22, 33});
  combine(Operation::Replace);
  CHECK(target == operand);
}

TEST_CASE("packed pairs have no padding, and are combined all the same") {
  Datatype* const found = predefined_datatype(abi_double_int);
  REQUIRE(found != nullptr);
  REQUIRE(size_of(*found) == 12);
  REQUIRE(extent_of(*found) == 16);
  const auto pair = [](double value, std::int32_t place, std::byte* to) {
    std::memcpy(to, &value, sizeof value);
    std::memcpy(to + sizeof value, &place, sizeof place);
  };
  alignas(16) std::array<std::byte, 24> operand{}, target{}, expected{};
  pair(1.5, 7, operand.data());
  pair(9.0, 1, operand.data() + 12);
  pair(2.5, 3, target.data());
  pair(4.0, 2, target.data() + 12);
  pair(2.5, 3, expected.data());
  pair(9.0, 1, expected.data() + 12);
  combine_packed(Operation::MaxLocation, *found, operand.data(), target.data(), sizeof target);
  CHECK(target == expected);
}
