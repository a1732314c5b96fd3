// SPDX-License-Identifier: BSD-3-Clause
#include "replay/check.hpp"

#include "base/error.hpp"
#include "catch.hpp"

using namespace orrery;

namespace {

struct NoGroups final : kernel::Groups {
  std::span<const std::int32_t> members(op::CommId) override { return {}; }
  void release(op::CommId) override {}
};

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
