// SPDX-License-Identifier: BSD-3-Clause
#include "replay/check.hpp"

#include <array>

#include "base/error.hpp"
#include "catch.hpp"

using namespace orrery;

namespace {

struct NoGroups final : kernel::Groups {
  std::span<const std::int32_t> members(op::CommId) override { return {}; }
  void release(op::CommId) override {}
};

struct FourRanks final : kernel::Groups {
  std::span<const std::int32_t> members(op::CommId) override { return all; }
  void release(op::CommId) override {}
  static constexpr std::array<std::int32_t, 4> all{0, 1, 2, 3};
};

void check_collective(std::int64_t bytes, std::span<const std::int64_t> counts = {}) {
  FourRanks groups;
  op::Operation operation;
  operation.kind = op::Kind::Collective;
  operation.collective = op::CollectiveKind::Alltoallv;
  operation.bytes = {bytes};
  operation.counts = counts;
  replay::check(0, operation, groups, 4);
}

void check_arrived(std::int64_t piece, std::int64_t bytes) {
  NoGroups groups;
  op::Operation operation;
  operation.kind = op::Kind::Arrived;
  operation.element = piece;
  operation.bytes = {bytes};
  replay::check(0, operation, groups, 2);
}

}  // namespace

TEST_CASE("a piece of a partitioned receive that lies where no message reaches is refused") {
  CHECK_NOTHROW(check_arrived(0, 0));
  CHECK_NOTHROW(check_arrived(1 << 20, 1 << 20));
  CHECK_THROWS_AS(check_arrived(-1, 8), InputError);
  CHECK_THROWS_AS(check_arrived(std::int64_t{1} << 60, 8), InputError);  // would go over 64 bits
  CHECK_THROWS_AS(check_arrived(0, -8), InputError);
}

TEST_CASE("a collective of more than 64 bits can count is refused") {
  constexpr std::int64_t exabyte = std::int64_t{1} << 60;
  CHECK_NOTHROW(check_collective(exabyte / 4));
  CHECK_THROWS_AS(check_collective(exabyte / 4 + 1), InputError);
  CHECK_NOTHROW(check_collective(8, std::array{exabyte / 4, std::int64_t{0}}));
  CHECK_THROWS_AS(check_collective(8, std::array{std::int64_t{0}, exabyte / 2}), InputError);
  CHECK_THROWS_AS(check_collective(8, std::array{std::int64_t{-1}}), InputError);
}
