// SPDX-License-Identifier: BSD-3-Clause
#include "transport/retransmission.hpp"

#include "catch.hpp"
#include "network/example.test.hpp"

using namespace orrery;
using namespace orrery::transport;
using namespace orrery::network::example;

namespace {

/// Asynchronous messages without overheads: 2 s of latency, then 100 B/s.
std::unique_ptr<Transport> with(const settings::Transport& transport, network::Protocol protocol = {},
                                std::uint64_t seed = 0) {
  const settings::Regime plain{.protocol = protocol};
  auto hybrid = std::make_unique<network::Hybrid>(
      star(4, 1, 2), settings::Network{.between_nodes = {plain}, .inside_node = {plain}}, seed);
  return make_transport(std::move(hybrid), transport, {}, seed);
}

}  // namespace

TEST_CASE("a message to a port that is not crowded does not stall") {
  const auto model = with({.timeouts = settings::Timeouts{.probability = 1, .flows = 2, .wait_s = 50}});
  // Two at once share the downlink: 2 s + 200 B / 50 B/s.
  const Run run(*model, {{0, 0, 3, 200}, {0, 1, 3, 200}});
  CHECK(run.end_s.at(0) == Approx(6));
  CHECK(run.end_s.at(1) == Approx(6));
  CHECK(model->stalled().messages == 0);
}

TEST_CASE("the message that finds as many as a port carries waits for a time-out, once") {
  const auto model = with({.timeouts = settings::Timeouts{.probability = 1, .flows = 2, .wait_s = 50}});
  // The third one begins 50 s later, alone: 2 + 50 + 200 / 100.
  const Run run(*model, {{0, 0, 3, 200}, {0, 1, 3, 200}, {0, 2, 3, 200}});
  CHECK(run.end_s.at(1) == Approx(6));
  CHECK(run.end_s.at(2) == Approx(54));
  CHECK(model->stalled().messages == 1);
  CHECK(model->stalled().time.s == 50);
}

TEST_CASE("a node's own port and its memory drop nothing") {
  const auto model = with({.timeouts = settings::Timeouts{.probability = 1, .flows = 1, .wait_s = 50}});
  const Run run(*model, {{0, 0, 1, 200}, {0, 0, 2, 200}, {0, 3, 3, 2000}, {0, 3, 3, 2000}});
  CHECK(model->stalled().messages == 0);
}

TEST_CASE("time-outs are as frequent as their probability, and the same for the same seed") {
  std::vector<Message> messages;
  for (int i = 0; i < 2000; ++i) messages.push_back({0, static_cast<platform::HostId>(i % 3), 3, 1});
  const settings::Transport transport{.timeouts = settings::Timeouts{.probability = 0.1, .flows = 1, .wait_s = 50}};
  const auto stalled = [&](std::uint64_t seed) {
    const auto model = with(transport, {}, seed);
    const Run run(*model, messages);
    return model->stalled().messages;
  };
  const auto first = stalled(1);
  CHECK(static_cast<double>(first) == Approx(200).margin(40));  // three standard deviations: 3 sqrt(2000 × 0.1 × 0.9)
  CHECK(stalled(1) == first);
}

TEST_CASE("the first message between two ranks takes longer, in whichever direction") {
  const auto model = with({.connection_setup_s = 7});
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
  const auto model = with({}, network::Protocol::Optimistic);
  std::vector<TransferId> ended;
  const Transfer again{.id = 0,
                       .from = 0,
                       .to = 1,
                       .bytes = {100},
                       .protocol = network::Protocol::Optimistic,
                       .send_posted = {},
                       .receive_posted = {},
                       .fetched = true};
  model->start(again, {0});
  double end = 0;
  while (ended.empty()) model->advance({end = model->next_event()->s}, ended);
  CHECK(end == Approx(5));  // 2 s, 2 s, 1 s
}
