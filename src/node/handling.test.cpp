// SPDX-License-Identifier: BSD-3-Clause
#include "node/handling.hpp"

#include "catch.hpp"

using namespace orrery;
using namespace orrery::node;

namespace {

settings::Node shared() {
  return {.processors = settings::Processors{
              .count = 1, .send_work_s = 4, .recv_work_s = 2, .wake_work_s = 3, .frame_work_s = 0.5}};
}

}  // namespace

TEST_CASE("a rank with a processor of its own takes the overhead") {
  Handling own({}, {5}, {5}, 0);
  CHECK(own.of(Side::Send, {5}).alone.s == 5);
  CHECK(own.of(Side::Receive, {8}).alone.s == 8);
  CHECK_FALSE(own.varies());
  CHECK(own.of_frames(4).s == 0);
}

TEST_CASE("ranks that share processors spend their work where others wait") {
  Handling handling(shared(), {5}, {5}, 0);
  CHECK(handling.of(Side::Send, {5}).work.s == 4);
  CHECK(handling.of(Side::Send, {5}).alone.s == 5);
  CHECK(handling.of(Side::Receive, {5}).work.s == 2);
  CHECK(handling.of(Side::Receive, {5}).alone.s == 2);  // goes from one message to the next
  CHECK(handling.of(Side::Woken, {5}).work.s == 5);
  // What the overhead is above that of an empty message, the call does for the bytes.
  CHECK(handling.of(Side::Send, {8}).work.s == 4 + 3);
  CHECK(handling.of(Side::Receive, {8}).work.s == 2 + 3);
  CHECK(handling.of(Side::Send, {3}).work.s == 4);
  CHECK(handling.of_frames(1).s == 0);
  CHECK(handling.of_frames(4).s == 1.5);  // the first is part of the above
}

TEST_CASE("noise has the mean 0, and work is spread by no more than it is long") {
  settings::Node noisy = shared();
  noisy.handling_noise_s = 8;
  Handling handling(noisy, {0}, {0}, 1);
  CHECK(handling.varies());
  constexpr int draws = 20000;
  double work_s = 0, alone_s = 0;
  for (int i = 0; i < draws; ++i) {
    const auto [work, alone] = handling.of(Side::Send, {100});
    CHECK(work.s >= 0);
    work_s += work.s;
    alone_s += alone.s;
  }
  // Three standard errors of a spread of 8: 3 × 8 / sqrt(20000) = 0.17.
  CHECK(alone_s / draws == Approx(100).margin(0.17));
  CHECK(work_s / draws == Approx(104).margin(0.17));
}

TEST_CASE("a seed gives the same noise again") {
  settings::Node noisy;
  noisy.handling_noise_s = 1;
  Handling first(noisy, {}, {}, 3), again(noisy, {}, {}, 3), other(noisy, {}, {}, 4);
  const double drawn = first.of(Side::Send, {5}).alone.s;
  CHECK(again.of(Side::Send, {5}).alone.s == drawn);
  CHECK(other.of(Side::Send, {5}).alone.s != drawn);
}
