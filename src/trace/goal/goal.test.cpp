// SPDX-License-Identifier: BSD-3-Clause
#include <random>
#include <sstream>

#include "base/error.hpp"
#include "catch.hpp"
#include "trace/goal/schedule.hpp"
#include "trace/trace.test.hpp"

namespace orrery::trace::goal {

using testing::TemporaryFile;

namespace {

const std::string example =
    "// two ranks\nnum_ranks 2\n\nrank 0 {\nl1: calc 100 cpu 1\nl2: send 8b to 1 tag 5 cpu 0 nic 2\nl2 requires l1\n"
    "calc 7 /* no\nlabel */\n}\nrank 1 {\nl1: recv 8b from -1 tag -1\nl2: calc 3\nl2 irequires l1\n}\n";

}  // namespace

TEST_CASE("a schedule as text says what each rank does and what that requires") {
  const TemporaryFile file(example);
  const Schedule schedule = Schedule::open(file.path);
  CHECK(schedule.ranks() == 2);
  CHECK(schedule.cpus() == 2);
  CHECK(schedule.nics() == 3);
  CHECK(schedule.nodes(0) == 3);
  CHECK(schedule.roots(0) == 2);
  const Node send = schedule.node(0, 1);
  CHECK(send.kind == Kind::Send);
  CHECK(send.size == 8);
  CHECK(send.peer == 1);
  CHECK(send.tag == 5);
  CHECK(send.nic == 2);
  CHECK(send.required == 1);
  const Node calc = schedule.node(0, 0);
  CHECK(calc.size == 100);
  CHECK(calc.after_end == 1);
  CHECK(schedule.dependent(0, calc.first_after_end) == 1);
  const Node receive = schedule.node(1, 0);
  CHECK(receive.peer == any);
  CHECK(receive.tag == any);
  CHECK(receive.after_begin == 1);
}

TEST_CASE("text and binary form of a schedule say the same") {
  const TemporaryFile file(example);
  const Schedule schedule = Schedule::open(file.path);
  std::ostringstream once;
  write_text(schedule, once);
  const TemporaryFile binary(
      std::string(reinterpret_cast<const char*>(schedule.bytes().data()), schedule.bytes().size()));
  CHECK(Schedule::is_binary(binary.read()));
  std::ostringstream twice;
  write_text(Schedule::open(binary.path), twice);
  CHECK(once.str() == twice.str());
  const TemporaryFile again(once.str());
  const Schedule translated = Schedule::open(again.path);
  CHECK(std::equal(translated.bytes().begin(), translated.bytes().end(), schedule.bytes().begin(),
                   schedule.bytes().end()));
}

TEST_CASE("a mistake in a schedule is named with its line") {
  const auto mistake = [](const std::string& text) {
    try {
      static_cast<void>(translate(text, "x.goal"));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(mistake("num_ranks 1\nrank 0 {\nsend 8b to 1\n}\n") == "x.goal, line 3: 1, expected at most 0");
  CHECK(mistake("num_ranks 1\nrank 0 {\nsend 8 to 0\n}\n") == "x.goal, line 3: \"to 0\", expected b");
  CHECK(mistake("num_ranks 1\nrank 0 {\nl2 requires l1\n}\n") ==
        "x.goal, line 3: label l1 is not defined before it is used");
  CHECK(mistake("num_ranks 1\nrank 0 {\ncalc 8 8\n}\n") == "x.goal, line 3: \"8\", expected the end of the line");
  CHECK(mistake("num_ranks 2\nrank 1 {\n}\n") == "x.goal, line 2: rank 1, expected rank 0: ranks come in their order");
  CHECK(mistake("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n") ==
        "x.goal, line 7: operations of this rank wait for each other in a circle: a requires b, b requires a");
  CHECK(mistake("num_ranks 1\nrank 0 {\na: calc 1\na irequires a\n}\n") ==
        "x.goal, line 5: operations of this rank wait for each other in a circle: a requires a");
  CHECK(mistake("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nc: calc 1\na requires c\nc requires b\n}\n").empty());
  CHECK(mistake("num_ranks 1\nrank 0 {\nsend 9223372036854775807b to 0\n}\n") ==
        "x.goal, line 3: 9223372036854775807, expected at most 9007199254740992");
  CHECK_FALSE(mistake("num_ranks 1000000\n").empty());
  CHECK_FALSE(mistake("num_ranks 1\nrank 0 {\n/* never\n").empty());
  CHECK_FALSE(mistake("").empty());
}

namespace {

/// The binary form of as many ranks as there are places, each of which is the begin and the end of a graph in `graphs`.
std::string binary(const std::vector<std::pair<std::size_t, std::size_t>>& places, const std::string& graphs) {
  std::string made;
  const auto put = [&](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) made += static_cast<char>(value >> (8 * i));
  };
  put(Schedule::magic, 8);
  put(places.size(), 4);
  put(0, 2);
  const std::size_t first = 6 + 16 * places.size();
  for (const auto& [begin, end] : places) {
    put(first + begin, 8);
    put(first + end, 8);
  }
  return made + graphs;
}

std::string mistake_of(const std::string& content) {
  const TemporaryFile file(content);
  try {
    static_cast<void>(Schedule::open(file.path));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// The graph of a rank: a computation that the second one requires, as translated from text.
std::string graph_of_two() {
  const auto bytes = translate("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nb requires a\n}\n", "x.goal");
  return {reinterpret_cast<const char*>(bytes.data()) + 8 + 6 + 16, bytes.size() - 8 - 6 - 16};
}

}  // namespace

TEST_CASE("ranks of a binary schedule that share a graph are refused") {
  const std::string graph = graph_of_two();
  CHECK(mistake_of(binary({{0, graph.size()}, {graph.size(), 2 * graph.size()}}, graph + graph)).empty());
  CHECK_THAT(mistake_of(binary({{0, graph.size()}, {0, graph.size()}}, graph)),
             Catch::Contains("graphs of two ranks have the byte 46 in common"));
  CHECK_THAT(mistake_of(binary({{0, graph.size()}, {4, graph.size() + 8}}, graph + graph)), Catch::Contains("damaged"));
}

TEST_CASE("a binary schedule whose nodes begin twice or never is refused") {
  const std::string whole = graph_of_two();
  const auto with = [&](std::size_t place, char value) {
    std::string graph = whole;
    graph[place] = value;
    return mistake_of(binary({{0, graph.size()}}, graph));
  };
  constexpr std::size_t root = 8, first = 12, second = first + Schedule::node_bytes;
  CHECK_THAT(with(second, 2), Catch::Contains("node 1 requires 2 others, and 1 name it"));
  CHECK_THAT(with(second, 0), Catch::Contains("node 1 requires 0 others, and 1 name it"));
  CHECK_THAT(with(root, 1), Catch::Contains("node 1 is no first node"));
  std::string shared = whole;  // the begin of the first has the only entry, too
  shared[first + 31] = 1;
  shared[first + 35] = 0;
  CHECK_THAT(mistake_of(binary({{0, shared.size()}}, shared)), Catch::Contains("node 0 shares its list of dependents"));
}

TEST_CASE("an operation that requires another one twice begins once") {
  const TemporaryFile file("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nb requires a\nb requires a\n}\n");
  const Schedule schedule = Schedule::open(file.path);
  CHECK(schedule.node(0, 1).required == 2);
  CHECK(schedule.node(0, 0).after_end == 2);
}

TEST_CASE("schedules that nobody wrote are refused or read, and nothing worse") {
  const TemporaryFile source(example);
  const Schedule schedule = Schedule::open(source.path);
  const std::string binary(reinterpret_cast<const char*>(schedule.bytes().data()), schedule.bytes().size());
  const unsigned seed = 20260208;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::string content = round % 2 == 0 ? binary : example;
    for (unsigned i = random() % 4 + 1; i > 0; --i) content[random() % content.size()] = static_cast<char>(random());
    if (random() % 4 == 0) content.resize(random() % content.size());
    const TemporaryFile file(content);
    try {
      std::ostringstream out;
      write_text(Schedule::open(file.path), out);
    } catch (const InputError&) {
    }
  }
}

}  // namespace orrery::trace::goal
