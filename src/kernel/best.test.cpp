// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/best.hpp"

#include <atomic>

#include "catch.hpp"
#include "kernel/test_support.hpp"

namespace orrery::kernel {
namespace {

using collective::Call;
using enum op::CollectiveKind;

/// On 16 hosts with one rank each.
Best best(double latency, double per_byte, double send_overhead = 0, const std::atomic<bool>* interrupt = nullptr) {
  Config config;
  config.interrupt = interrupt;
  for (platform::HostId host = 0; host < 16; ++host) config.host_of_rank.push_back(host);
  config.compute_factor.assign(16, 1);
  const auto make = [=]() -> std::unique_ptr<transport::Transport> {
    auto network = std::make_unique<testing::PlainNetwork>();
    network->latency = latency;
    network->per_byte = per_byte;
    network->send_overhead = send_overhead;
    network->asynchronous_limit = network->detached_limit = 1 << 30;
    return network;
  };
  return {std::move(config), make, collective::make_selector("default")};
}

std::string_view chosen(const Best& selector, const Call& call) { return selector.choose(call).algorithm->name; }

TEST_CASE("where sends cost nothing the root sends to all") {
  CHECK(chosen(best(1, 0), {.kind = Scatter, .size = 16, .bytes = {8}}) == "linear");
}

TEST_CASE("where each send holds up its sender the root does not send to all") {
  CHECK(chosen(best(0.1, 0, 1), {.kind = Scatter, .size = 16, .bytes = {8}}) == "binomial");
}

TEST_CASE("the choice is that of the shortest simulated time") {
  const Best selector = best(1, 0.01, 0.1);
  const collective::WholeCall whole{.kind = Allreduce, .size = 12, .bytes = {4096}, .element = 8};
  const auto time = [&](const collective::Choice& choice) {
    testing::PlainNetwork network;
    network.per_byte = 0.01;
    network.send_overhead = 0.1;
    network.asynchronous_limit = network.detached_limit = 1 << 30;
    Config config;
    for (platform::HostId host = 0; host < 12; ++host) config.host_of_rank.push_back(host);
    config.compute_factor.assign(12, 1);
    return cost_of_call(whole, choice, config, network).time.s;
  };
  const collective::Choice found = selector.choose({.kind = Allreduce, .size = 12, .bytes = {4096}, .element = 8});
  for (const collective::Choice& other : collective::accepting(whole)) CHECK(time(found) <= time(other));
}

TEST_CASE("sizes of one class share an answer, and asking in another order gives the same") {
  const Best selector = best(1, 0.01, 0.1), other = best(1, 0.01, 0.1);
  const Call small{.kind = Allreduce, .size = 16, .bytes = {520}, .element = 8};
  const Call large{.kind = Allreduce, .size = 16, .bytes = {1024}, .element = 8};
  const auto first = chosen(selector, small);
  CHECK(chosen(other, large) == first);
  CHECK(chosen(other, small) == first);
}

TEST_CASE("a search ends when it is interrupted, and can be made later") {
  std::atomic<bool> interrupt = true;
  const Best selector = best(1, 0, 0, &interrupt);
  const Call call{.kind = Scatter, .size = 16, .bytes = {8}};
  CHECK_THROWS_AS(selector.choose(call), Interrupted);
  interrupt = false;
  CHECK(chosen(selector, call) == "linear");
}

TEST_CASE("kinds whose counts ranks do not share are left to the other selector") {
  const std::vector<std::int64_t> counts(4, 8);
  const Call call{.kind = Gatherv, .size = 4, .bytes = {8}, .counts = counts};
  CHECK(chosen(best(1, 0), call) == chosen(best(9, 9), call));
}

}  // namespace
}  // namespace orrery::kernel
