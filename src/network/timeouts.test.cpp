// SPDX-License-Identifier: BSD-3-Clause
#include "network/timeouts.hpp"

#include "catch.hpp"
#include "network/example.test.hpp"

using namespace orrery;
using namespace orrery::network;
using namespace orrery::network::example;

namespace {

/// Asynchronous messages without overheads: 2 s of latency, then 100 B/s.
HybridParameters with(TimeoutParameters timeouts, double first_message_s = 0, Protocol protocol = {}) {
  const Regime plain{.end = INT64_MAX, .protocol = protocol};
  return {.network = {plain}, .memory = {plain}, .timeouts = timeouts, .first_message_s = first_message_s};
}

}  // namespace

TEST_CASE("a message to a port that is not crowded does not stall") {
  const auto model = make_hybrid(star(4, 1, 2), with({.wait_s = 50, .flows = 2, .probability = 1}));
  // Two at once share the downlink: 2 s + 200 B / 50 B/s.
  const Run run(*model, {{0, 0, 3, 200}, {0, 1, 3, 200}});
  CHECK(run.end_s.at(0) == Approx(6));
  CHECK(run.end_s.at(1) == Approx(6));
  CHECK(model->stalled().messages == 0);
}

TEST_CASE("the message that finds as many as a port carries waits for a time-out, once") {
  const auto model = make_hybrid(star(4, 1, 2), with({.wait_s = 50, .flows = 2, .probability = 1}));
  // The third one begins 50 s later, alone: 2 + 50 + 200 / 100.
  const Run run(*model, {{0, 0, 3, 200}, {0, 1, 3, 200}, {0, 2, 3, 200}});
  CHECK(run.end_s.at(1) == Approx(6));
  CHECK(run.end_s.at(2) == Approx(54));
  CHECK(model->stalled().messages == 1);
  CHECK(model->stalled().time.s == 50);
}

TEST_CASE("a node's own port and its memory drop nothing") {
  const auto model = make_hybrid(star(4, 1, 2), with({.wait_s = 50, .flows = 1, .probability = 1}));
  const Run run(*model, {{0, 0, 1, 200}, {0, 0, 2, 200}, {0, 3, 3, 2000}, {0, 3, 3, 2000}});
  CHECK(model->stalled().messages == 0);
}

TEST_CASE("time-outs are as frequent as their probability, and the same for the same seed") {
  std::vector<Message> messages;
  for (int i = 0; i < 2000; ++i) messages.push_back({0, static_cast<platform::HostId>(i % 3), 3, 1});
  HybridParameters parameters = with({.wait_s = 50, .flows = 1, .probability = 0.1});
  const auto stalled = [&](std::uint64_t seed) {
    parameters.noise.seed = seed;
    const auto model = make_hybrid(star(4, 1, 2), parameters);
    const Run run(*model, messages);
    return model->stalled().messages;
  };
  const auto first = stalled(1);
  CHECK(static_cast<double>(first) == Approx(200).margin(40));  // three standard deviations: 3 sqrt(2000 × 0.1 × 0.9)
  CHECK(stalled(1) == first);
}

TEST_CASE("the first message between two ranks takes longer, in whichever direction") {
  const auto model = make_hybrid(star(3, 1, 2), with({}, 7));
  Transfer transfer{.id = 0,
                    .from = 0,
                    .to = 1,
                    .bytes = {100},
                    .send_posted = {},
                    .receive_posted = {},
                    .from_rank = 0,
                    .to_rank = 1};
  const auto end_s = [&](double now) {
    transfer.send_posted = transfer.receive_posted = {now};
    model->start(transfer, {now});
    std::vector<TransferId> ended;
    double end = now;
    while (ended.empty()) model->advance({end = model->next_event()->s}, ended);
    return end - now;
  };
  CHECK(end_s(0) == Approx(10));  // 2 s + 7 s + 100 B / 100 B/s
  std::swap(transfer.from, transfer.to);
  std::swap(transfer.from_rank, transfer.to_rank);
  CHECK(end_s(100) == Approx(3));
  transfer.to_rank = 5;  // another rank of the same node
  CHECK(end_s(200) == Approx(10));
}

TEST_CASE("what was dropped is asked for, which takes another latency") {
  const auto model = make_hybrid(star(2, 1, 2), with({}, 0, Protocol::Optimistic));
  std::vector<TransferId> ended;
  const Transfer again{.id = 0,
                       .from = 0,
                       .to = 1,
                       .bytes = {100},
                       .protocol = Protocol::Optimistic,
                       .send_posted = {},
                       .receive_posted = {},
                       .fetched = true};
  model->start(again, {0});
  double end = 0;
  while (ended.empty()) model->advance({end = model->next_event()->s}, ended);
  CHECK(end == Approx(5));  // 2 s, 2 s, 1 s
}
