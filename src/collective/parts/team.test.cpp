// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/team.hpp"

#include <utility>

#include "catch.hpp"
#include "collective/parts/messages.hpp"
#include "collective/test_execution.hpp"

namespace orrery::collective {
namespace {

using op::Script;
using test::Memory;
using test::Order;

constexpr Bytes one_byte{1};

Script passes_on(int from, int to, int at) {
  co_yield recv(from, {output + Bytes{at}, one_byte});
  co_yield send(to, {output + Bytes{at}, one_byte});
}
Script gives_and_takes(int peer, Region given, int at) {
  co_yield send(peer, {given, one_byte});
  co_yield recv(peer, {output + Bytes{at}, one_byte});
}
Script overlapping(Script first, Script second, Script meanwhile) {
  co_yield overlap(std::move(first), std::move(second), std::move(meanwhile));
}

TEST_CASE("calls at once go on as their messages come, and do not take those of each other") {
  // Rank 0 talks to rank 1 in two of its calls; which of its requests is told to be complete first depends on the
  // order.
  for (const Order order : {Order::Ascending, Order::Descending}) {
    std::vector<test::RankMemory> memory(3, {.input = Memory::of({7}), .output = Memory::blank(3), .scratch = {}});
    std::vector<Script> scripts;
    scripts.push_back(overlapping(passes_on(1, 1, 0), gives_and_takes(1, input, 1), passes_on(2, 2, 2)));
    scripts.push_back(overlapping(gives_and_takes(0, input, 0), passes_on(0, 0, 1), {}));
    scripts.push_back(gives_and_takes(0, input, 0));
    execute(std::move(scripts), memory, {}, order);
    CHECK(memory[0].output == Memory::of({7, 7, 7}));
    CHECK(memory[1].output.written == std::vector<std::uint8_t>{1, 1, 0});
    CHECK(memory[2].output.written == std::vector<std::uint8_t>{1, 0, 0});
  }
}

TEST_CASE("any number of calls at once do not take messages of each other") {
  for (const Order order : {Order::Ascending, Order::Descending}) {
    std::vector<test::RankMemory> memory(2, {.input = Memory::of({7}), .output = Memory::blank(5), .scratch = {}});
    std::vector<Script> scripts;
    for (const int peer : {1, 0}) {
      std::vector<Script> calls;
      for (int at = 0; at < 5; ++at)
        calls.push_back(peer == at % 2 ? passes_on(peer, peer, at) : gives_and_takes(peer, input, at));
      scripts.push_back(at_once(std::move(calls)));
    }
    execute(std::move(scripts), memory, {}, order);
    CHECK(memory[0].output == Memory::of({7, 7, 7, 7, 7}));
    CHECK(memory[1].output == memory[0].output);
  }
}

TEST_CASE("all calls at once are started before one of them waits") {
  Script script = overlapping(gives_and_takes(1, input, 0), gives_and_takes(1, input, 1), gives_and_takes(2, input, 2));
  std::vector<std::pair<op::Kind, int>> first;
  for (int i = 0; i < 4; ++i) {
    const op::Operation* operation = script.next();
    REQUIRE(operation != nullptr);
    CHECK_FALSE(operation->has(op::Blocking));
    first.emplace_back(operation->kind, operation->tag);
  }
  CHECK(first == std::vector<std::pair<op::Kind, int>>{
                     {op::Kind::Isend, 0}, {op::Kind::Isend, 1}, {op::Kind::Isend, 0}, {op::Kind::WaitAny, 0}});
}

}  // namespace
}  // namespace orrery::collective
