// SPDX-License-Identifier: BSD-3-Clause
#include "transport/counted.hpp"

#include "catch.hpp"

using namespace orrery;
using namespace orrery::transport;

namespace {

/// Answers each question with a number of its own.
class Answering final : public Transport {
 public:
  Cost cost(platform::HostId, platform::HostId, Bytes) override {
    Cost cost;
    cost.latency = {1};
    return cost;
  }
  std::optional<SimTime> start(const Transfer&, SimTime) override { return SimTime{2}; }
  std::optional<SimTime> next_event() override { return SimTime{3}; }
  void advance(SimTime, std::vector<TransferId>& ended) override { ended.push_back(4); }
  bool record(sharing::LinkLoad&) override { return true; }
  Duration rts_delay(platform::HostId, platform::HostId, SimTime) override { return {5}; }
  Duration connect(const Posted&, SimTime) override { return {6}; }
  void take_released(std::vector<TransferId>& released) override { released.push_back(7); }
  [[nodiscard]] double frames(Bytes) const override { return 8; }
  [[nodiscard]] Stalled stalled() const override { return {.messages = 9, .time = {}}; }
  [[nodiscard]] Connected connected() const override {
    Connected found;
    found.relayed_messages = 10;
    return found;
  }
};

Transfer transfer(std::int32_t from, std::int32_t to, std::int64_t bytes, bool fetched = false) {
  Transfer made;
  made.from_rank = from;
  made.to_rank = to;
  made.bytes = {bytes};
  made.fetched = fetched;
  return made;
}

}  // namespace

TEST_CASE("counted: what each rank sends to each other one is added up, what is fetched again is not") {
  Counted counted(std::make_unique<Answering>());
  for (const Transfer& sent : {transfer(2, 0, 5), transfer(0, 1, 7), transfer(2, 0, 6), transfer(2, 0, 6, true)})
    counted.start(sent, {0});
  const std::vector<Edge> edges = counted.edges();
  REQUIRE(edges.size() == 2);
  CHECK((edges[0].from == 0 && edges[0].to == 1 && edges[0].messages == 1 && edges[0].bytes.count == 7));
  CHECK((edges[1].from == 2 && edges[1].to == 0 && edges[1].messages == 2 && edges[1].bytes.count == 11));
}

TEST_CASE("counted: every question is handed on") {
  Counted counted(std::make_unique<Answering>());
  sharing::LinkLoad load(1);
  std::vector<TransferId> ended, released;
  counted.advance({0}, ended);
  counted.take_released(released);
  CHECK(counted.cost(0, 1, {1}).latency.s == 1);
  CHECK(counted.start(transfer(0, 1, 1), {0})->s == 2);
  CHECK(counted.next_event()->s == 3);
  CHECK(ended == std::vector<TransferId>{4});
  CHECK(counted.record(load));
  CHECK(counted.rts_delay(0, 1, {0}).s == 5);
  CHECK(counted.connect({}, {0}).s == 6);
  CHECK(released == std::vector<TransferId>{7});
  CHECK(counted.frames({1}) == 8);
  CHECK(counted.stalled().messages == 9);
  CHECK(counted.connected().relayed_messages == 10);
}
