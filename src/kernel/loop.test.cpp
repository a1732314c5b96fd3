// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/loop.hpp"

#include "catch.hpp"
#include "kernel/test_support.hpp"

namespace orrery::kernel {
namespace {

std::vector<double> turns(const std::vector<Body>& bodies, std::uint32_t count, testing::PlainNetwork network = {},
                          std::string_view fixed = {}) {
  Config config;
  for (std::size_t rank = 0; rank < bodies.size(); ++rank)
    config.host_of_rank.push_back(static_cast<platform::HostId>(rank));
  config.compute_factor.assign(bodies.size(), 1);
  std::vector<double> seconds;
  for (const Duration turn :
       times_of_turns(bodies, count, *collective::make_selector("default", fixed), std::move(config), network))
    seconds.push_back(turn.s);
  return seconds;
}

Step step(Act act, std::int32_t peer = 0) { return {.act = act, .peer = peer, .bytes = {8}}; }
Step call(op::CollectiveKind kind) {
  return {.act = Act::Collective, .bytes = {kind == op::CollectiveKind::Barrier ? 0 : 8}, .collective = kind};
}

TEST_CASE("a ping-pong takes two messages a turn, the first as the others") {
  const std::vector<double> found =
      turns({{step(Act::Send, 1), step(Act::Recv, 1)}, {step(Act::Recv), step(Act::Send)}}, 3);
  CHECK(found == std::vector<double>{2, 2, 2});  // a message takes 1 s
}

TEST_CASE("messages that are begun together go beside each other") {
  const Body both = {step(Act::Irecv, 1), step(Act::Isend, 1), step(Act::WaitAll)};
  const Body other = {step(Act::Irecv), step(Act::Isend), step(Act::WaitAll)};
  CHECK(turns({both, other}, 2) == std::vector<double>{1, 1});
}

TEST_CASE("turns overlap where nothing keeps ranks together") {
  // The root of a broadcast only sends, which takes no time here: its turns are over before others have begun.
  const Body bcast = {call(op::CollectiveKind::Bcast)};
  CHECK(turns({bcast, bcast}, 2) == std::vector<double>{0, 0});
  // With a barrier, in which it waits for a message that the other sends once it has the broadcast: 2 s.
  const Body fenced = {call(op::CollectiveKind::Bcast), call(op::CollectiveKind::Barrier)};
  CHECK(turns({fenced, fenced}, 2) == std::vector<double>{2, 2});
}

TEST_CASE("ranks tell calls apart that others are ahead of") {
  // One element of 4 bytes cannot be split and goes along a pipeline, four of 1 byte go by halves. The root only sends.
  Step whole = call(op::CollectiveKind::Bcast), halves = whole;
  whole.bytes = halves.bytes = {4};
  whole.element = 4;
  const Body body = {whole, halves};
  CHECK(turns({body, body, body}, 5, {}, "bcast=split_binary_tree").size() == 5);
}

TEST_CASE("ranks that do nothing are no hindrance") {
  CHECK(turns({{step(Act::Send, 2)}, {}, {step(Act::Recv)}}, 1) == std::vector<double>{0});
}

TEST_CASE("a loop in which nobody sends, or of other ranks than places, is refused") {
  CHECK_THROWS_WITH(turns({{step(Act::Recv, 1)}, {}}, 1), "a loop whose ranks wait for each other for ever");
  testing::PlainNetwork network;
  CHECK_THROWS(times_of_turns({{}, {}}, 1, *collective::make_selector(), Config{}, network));
  CHECK_THROWS(turns({{}}, 70'000));
}

}  // namespace
}  // namespace orrery::kernel
