// SPDX-License-Identifier: BSD-3-Clause
#include "replay/goal_writer.hpp"

#include <numeric>
#include <sstream>

#include "base/error.hpp"
#include "catch.hpp"
#include "op/sleep.hpp"
#include "trace/goal/schedule.hpp"

using namespace orrery;
using namespace orrery::replay;
using op::Kind;

namespace {

/// Streams from memory, on MPI_COMM_WORLD.
class Streams final : public Source {
 public:
  explicit Streams(std::vector<std::vector<op::Operation>> streams)
      : streams_(std::move(streams)), next_(streams_.size()), world_(streams_.size()) {
    std::iota(world_.begin(), world_.end(), 0);
  }
  std::uint32_t ranks() const override { return static_cast<std::uint32_t>(streams_.size()); }
  op::Pull next(WorldRank rank, op::Operation& operation) override {
    const auto number = static_cast<std::size_t>(index(rank));
    if (next_[number] == streams_[number].size()) return op::Pull::End;
    operation = streams_[number][next_[number]++];
    return op::Pull::Ready;
  }
  std::span<const std::int32_t> members(op::CommId) override { return world_; }

 private:
  std::vector<std::vector<op::Operation>> streams_;
  std::vector<std::size_t> next_;
  std::vector<std::int32_t> world_;
};

op::Operation message(Kind kind, std::int32_t peer, op::RequestId request = 0) {
  op::Operation operation{.kind = kind, .peer = peer, .tag = 7, .request = request, .bytes = {8}};
  operation.flags = request == 0 ? op::Blocking : 0;
  return operation;
}

std::string text_of(std::vector<std::vector<op::Operation>> streams, bool lossy = false) {
  Streams source(std::move(streams));
  const auto selector = collective::make_selector("default", "barrier=linear,bcast=linear");
  kernel::AlgorithmUses uses;
  std::ostringstream out;
  trace::goal::write_text(
      trace::goal::Schedule::of(write_goal(source, computation::Charge::Raw, *selector, uses, lossy).schedule, "test"),
      out);
  return out.str();
}

}  // namespace

TEST_CASE("operations that block follow each other, computation before them") {
  op::Operation send = message(Kind::Isend, 1);
  send.compute_s = 1e-6;
  CHECK(text_of({{send, message(Kind::Irecv, 1)}, {}}) ==
        "num_ranks 2\n\nrank 0 {\nl1: calc 1000\nl2: send 8b to 1 tag 7\nl3: recv 8b from 1 tag 7\n"
        "l2 requires l1\nl3 requires l2\n}\n\nrank 1 {\n}\n");
}

TEST_CASE("what does not block keeps its order, and is required by what comes after the wait for it") {
  const op::RequestId both[] = {1, 2};
  op::Operation wait{.kind = Kind::WaitAll, .requests = both};
  CHECK(text_of({{message(Kind::Irecv, 1, 1), message(Kind::Isend, 1, 2), wait, message(Kind::Isend, 1)}, {}}) ==
        "num_ranks 2\n\nrank 0 {\nl1: recv 8b from 1 tag 7\nl2: send 8b to 1 tag 7\nl3: calc 0\n"
        "l4: send 8b to 1 tag 7\nl3 requires l1\nl2 irequires l1\nl3 requires l2\nl4 requires l3\n}\n\nrank 1 {\n}\n");
}

TEST_CASE("a collective is the messages of its algorithm, with a tag of its own") {
  op::Operation bcast{.kind = Kind::Collective, .collective = op::CollectiveKind::Bcast, .flags = op::Blocking};
  bcast.bytes = {64};
  const std::string text = text_of({{bcast, message(Kind::Isend, 1)}, {bcast, message(Kind::Irecv, 0)}});
  CHECK(text.find("send 64b to 1 tag 1073741824") != std::string::npos);
  CHECK(text.find("recv 64b from 0 tag 1073741824") != std::string::npos);
}

TEST_CASE("a collective that does not block lets its rank go on") {
  op::Operation bcast{.kind = Kind::Collective, .collective = op::CollectiveKind::Bcast, .request = 3};
  bcast.bytes = {64};
  const op::RequestId request[] = {3};
  op::Operation wait{.kind = Kind::WaitAll, .requests = request};
  op::Operation after{.kind = Kind::Nothing, .compute_s = 2e-9};
  const std::string text = text_of({{bcast}, {bcast, after, wait, message(Kind::Isend, 0)}});
  const std::string second = text.substr(text.find("rank 1"));
  // The computation requires nothing; the send both it and the received message.
  CHECK(second ==
        "rank 1 {\nl1: recv 64b from 0 tag 1073741824\nl2: calc 2\nl3: calc 0\nl4: send 8b to 0 tag 7\n"
        "l3 requires l1\nl3 requires l2\nl4 requires l3\n}\n");
}

TEST_CASE("simulated time that passes is computation, also that in which the kernel was not heard of") {
  CHECK(text_of({{op::sleep(5000), op::late_sleep(3e-6)}, {}}) ==
        "num_ranks 2\n\nrank 0 {\nl1: calc 5000\nl2: calc 3000\nl2 requires l1\n}\n\nrank 1 {\n}\n");
}

TEST_CASE("what a schedule has no word for is refused by name, or left out") {
  op::Operation put{.kind = Kind::Put, .peer = 1};
  CHECK_THROWS_WITH(text_of({{put}, {}}),
                    "rank 0: one-sided communication cannot be said in a GOAL schedule; --lossy leaves it out");
  CHECK(text_of({{put}, {}}, true) == "num_ranks 2\n\nrank 0 {\n}\n\nrank 1 {\n}\n");
}
