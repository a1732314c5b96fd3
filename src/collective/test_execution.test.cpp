// SPDX-License-Identifier: BSD-3-Clause
#include "collective/test_execution.hpp"

#include "catch.hpp"
#include "collective/parts/messages.hpp"

/// The executor must fail what is wrong, or the tests that rest on it prove nothing.
namespace orrery::collective::test {
namespace {

using op::Kind;
using op::Operation;
using op::RequestId;
using op::Script;

constexpr Slice four_in{input, {4}};
constexpr Slice four_out{output, {4}};

void keep_higher(const std::uint8_t*, std::uint8_t*) {}

/// Two ranks with an input of 4 bytes and a blank output of 4 bytes.
std::vector<RankMemory> run(Script first, Script second, Order order = Order::Ascending) {
  std::vector<RankMemory> memory(2, {.input = Memory::of({1, 2, 3, 4}), .output = Memory::blank(4), .scratch = {}});
  memory[1].input = Memory::of({5, 6, 7, 8});
  std::vector<Script> scripts;
  scripts.push_back(std::move(first));
  scripts.push_back(std::move(second));
  execute(std::move(scripts), memory, {.element = 2, .combine = keep_higher}, order);
  return memory;
}

/// Whether the run ends with a fault that has `text` in its message.
bool faults_with(std::string_view text, Script first, Script second) {
  try {
    run(std::move(first), std::move(second));
  } catch (const Fault& fault) {
    return std::string_view(fault.what()).find(text) != std::string_view::npos;
  }
  return false;
}

Script nothing() { co_return; }
Script swap_with(int peer) { co_yield exchange(peer, four_in, peer, four_out); }
Script send_then_recv(int peer) {
  co_yield send(peer, four_in);
  co_yield recv(peer, four_out);
}
Script one_send(int peer, Slice data) { co_yield send(peer, data); }
Script one_recv(int peer, Slice data) { co_yield recv(peer, data); }
Script never_waits(int peer) {
  co_yield Operation{.kind = Kind::Isend, .peer = peer, .request = 1, .bytes = {4}, .here = input};
}
Script signal_then_await(int to, int from) {
  co_yield signal(to);
  co_yield await_signal(from);
}
Script pass_signal_on(int from, int to) {
  co_yield await_signal(from);
  co_yield signal(to);
}
Script copies(Region into, Slice from) { co_yield copy(into, from); }
Script combines(Region into, Slice from) {
  co_yield copy(output, four_in);
  co_yield combine(into, from);
}
Script touches_what_arrives(int peer) {
  Started started;
  co_yield started.irecv(peer, four_out);
  co_yield copy(output, {input, {1}});
  co_yield started.wait_all();
}

TEST_CASE("an exchange swaps the inputs, whoever runs first") {
  for (const Order order : {Order::Ascending, Order::Descending}) {
    const auto memory = run(swap_with(1), swap_with(0), order);
    REQUIRE(memory[0].output == Memory::of({5, 6, 7, 8}));
    REQUIRE(memory[1].output == Memory::of({1, 2, 3, 4}));
  }
}

TEST_CASE("a rank has heard of those whose messages reached it, directly or not") {
  std::vector<RankMemory> memory(3);
  std::vector<Script> scripts;
  scripts.push_back(signal_then_await(1, 2));
  scripts.push_back(pass_signal_on(0, 2));
  scripts.push_back(pass_signal_on(1, 0));
  const auto heard = execute(std::move(scripts), memory, {}, Order::Ascending);
  REQUIRE(heard == std::vector<std::uint64_t>{0b111, 0b011, 0b111});
}

TEST_CASE("two blocking sends that cross are a deadlock") {
  REQUIRE(faults_with("deadlock", send_then_recv(1), send_then_recv(0)));
}

TEST_CASE("a message without a receive, or the reverse, is a deadlock") {
  REQUIRE(faults_with("deadlock", one_send(1, four_in), nothing()));
  REQUIRE(faults_with("deadlock", one_recv(1, four_out), nothing()));
}

TEST_CASE("a request that is never waited for is a fault even when its message is received") {
  REQUIRE(faults_with("never waits", never_waits(1), one_recv(0, four_out)));
}

TEST_CASE("a message and its receive must have the same size") {
  REQUIRE(faults_with("4 bytes", one_send(1, four_in), one_recv(0, {output, {3}})));
}

TEST_CASE("blank bytes must not be read: sent, copied or combined") {
  REQUIRE(faults_with("never written", one_send(1, four_out), one_recv(0, four_out)));
  REQUIRE(faults_with("never written", copies(output, {scratch, {1}}), nothing()));
  REQUIRE(faults_with("never written", combines(output, {scratch, {4}}), nothing()));
}

TEST_CASE("the input must not be written, nor anything outside of a buffer") {
  REQUIRE(faults_with("writes to the input", copies(input, {input + 1, {1}}), nothing()));
  REQUIRE(faults_with("touches bytes 2 to 5", copies(output + 2, {input, {3}}), nothing()));
  REQUIRE(faults_with("touches bytes -1", copies(output - 1, {input, {3}}), nothing()));
}

TEST_CASE("memory of a pending receive must not be touched") {
  REQUIRE(faults_with("pending request", touches_what_arrives(1), one_send(0, four_in)));
}

TEST_CASE("a reduction must not cut an element") {
  REQUIRE(faults_with("cuts an element", combines(output, {input, {3}}), nothing()));
}

}  // namespace
}  // namespace orrery::collective::test
