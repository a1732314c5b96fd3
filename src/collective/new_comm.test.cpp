// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "collective/collective.hpp"

namespace orrery::collective {
namespace {

/// Bytes of all that a rank sends.
std::vector<std::int64_t> sent_bytes(std::string_view library, int size, std::int64_t told, bool immediate = false) {
  const std::unique_ptr<Selector> selector = make_selector(library);
  const Call call{.kind = CollectiveKind::NewComm, .size = size, .bytes = {told}, .immediate = immediate};
  const Choice choice = selector->choose(call);
  std::vector<std::int64_t> bytes;
  op::Script script = choice.algorithm->stream(choice.applied_to(call));
  while (const op::Operation* operation = script.next()) {
    REQUIRE(operation->here.buffer == op::Buffer::None);  // it is the library's own data
    if (operation->kind == op::Kind::Isend) bytes.push_back(operation->bytes.count);
  }
  return bytes;
}

using SentBytes = std::vector<std::int64_t>;

TEST_CASE("MPICH agrees on a communicator in one allreduce of a mask, after all colours and keys are gathered") {
  CHECK(sent_bytes("mpich-4.0", 2, 0) == SentBytes{128, 132});  // its reduce-scatter and allgather of 65 words
  CHECK(sent_bytes("mpich-4.0", 4, 0) == SentBytes{128, 64, 68, 132});
  CHECK(sent_bytes("mpich-4.0", 4, 8) == SentBytes{8, 16, 128, 64, 68, 132});
  CHECK(sent_bytes("mpich-4.0", 4, 0, true) == SentBytes{128, 64, 68, 132});
}

TEST_CASE("Open MPI agrees on a communicator in three non-blocking allreduces of a number") {
  CHECK(sent_bytes("openmpi-4.1", 2, 0) == SentBytes{4, 4, 4});
  CHECK(sent_bytes("openmpi-4.1", 4, 0) ==
        SentBytes{4, 4, 4, 4, 4, 4});  // the root of binomial trees with two children
  CHECK(sent_bytes("openmpi-5.0", 2, 8) == SentBytes{8, 4, 4, 4});
  CHECK(sent_bytes("openmpi-4.1", 2, 0, true) == SentBytes{4, 4, 4});
}

TEST_CASE("without a library, a communicator costs one number") {
  CHECK(sent_bytes("default", 2, 0) == SentBytes{4});
  CHECK(sent_bytes("default", 4, 8) == SentBytes{8, 16, 4, 4});
}

TEST_CASE("who chooses for the rounds of a library, where nobody is said to, is that library") {
  const auto first_sent = [](std::string_view name) {
    const Call call{.kind = CollectiveKind::NewComm, .size = 2};
    op::Script script = find(call.kind, name)->stream(call);
    while (const op::Operation* operation = script.next())
      if (operation->kind == op::Kind::Isend) return operation->bytes.count;
    return std::int64_t{-1};
  };
  CHECK(first_sent("mask") == 128);  // half of it
  CHECK(first_sent("three_rounds") == 4);
}

TEST_CASE("a user's choice for allreduce is also for the one that a new communicator is agreed upon with") {
  const auto selector = make_selector("mpich-4.0", "allreduce=reduce_bcast");
  const Call call{.kind = CollectiveKind::NewComm, .self = 1, .size = 2};
  const Choice choice = selector->choose(call);
  std::vector<op::Kind> kinds;
  op::Script script = choice.algorithm->stream(choice.applied_to(call));
  while (const op::Operation* operation = script.next()) kinds.push_back(operation->kind);
  CHECK(kinds == std::vector{op::Kind::Isend, op::Kind::Irecv});  // to the root, and back; not both at once
}

}  // namespace
}  // namespace orrery::collective
