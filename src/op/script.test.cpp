// SPDX-License-Identifier: BSD-3-Clause
#include "op/script.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"

namespace orrery::op {
namespace {

Operation tagged(int tag) { return {.kind = Kind::Isend, .tag = tag}; }

std::vector<int> tags(Script script) {
  std::vector<int> read;
  while (const Operation* operation = script.next()) read.push_back(operation->tag);
  return read;
}

Script count(int from, int to) {
  for (int tag = from; tag < to; ++tag) co_yield tagged(tag);
}

Script nothing() { co_return; }

Batch<3> batch_of(int size, int tag) {
  Batch<3> batch;
  for (int i = 0; i < size; ++i) batch.add(tagged(tag + i));
  return batch;
}

TEST_CASE("a script gives its operations in order and then null for ever") {
  Script script = count(3, 5);
  REQUIRE(script.next()->tag == 3);
  REQUIRE(script.next()->tag == 4);
  REQUIRE(script.next() == nullptr);
  REQUIRE(script.next() == nullptr);
}

TEST_CASE("an empty handle and an empty script give nothing") {
  REQUIRE(tags(Script()).empty());
  REQUIRE(tags(nothing()).empty());
  REQUIRE_FALSE(Script());
  REQUIRE(nothing());
}

Script batches() {
  co_yield batch_of(3, 0);
  co_yield batch_of(0, 100);
  co_yield batch_of(1, 3);
  co_yield batch_of(0, 100);
}

TEST_CASE("a batch stands for its operations, an empty one for none") {
  REQUIRE(tags(batches()) == std::vector{0, 1, 2, 3});
}

Script nested(int depth) {
  co_yield tagged(depth);
  if (depth > 0) co_yield nested(depth - 1);
  co_yield tagged(-depth);
}

TEST_CASE("the operations of nested scripts come in the place of the yield") {
  REQUIRE(tags(nested(3)) == std::vector{3, 2, 1, 0, 0, -1, -2, -3});
}

Script many_empty(int n) {
  for (int i = 0; i < n; ++i) co_yield nothing();
  co_yield Script();
  co_yield tagged(n);
}

TEST_CASE("a loop over a million empty scripts does not grow the stack") {
  REQUIRE(tags(many_empty(1'000'000)) == std::vector{1'000'000});
}

Script fails_after(int tag) {
  co_yield tagged(tag);
  throw std::runtime_error("after " + std::to_string(tag));
}

Script passes_on(int tag) {
  co_yield tagged(0);
  co_yield fails_after(tag);
  co_yield tagged(99);
}

Script recovers(int tag) {
  bool failed = false;
  try {
    co_yield passes_on(tag);
  } catch (const std::runtime_error&) {
    failed = true;
  }
  if (failed) co_yield tagged(-1);
  co_yield count(7, 9);
}

TEST_CASE("an exception comes out of next, through all scripts around it, and ends the stream") {
  Script script = passes_on(5);
  REQUIRE(script.next()->tag == 0);
  REQUIRE(script.next()->tag == 5);
  REQUIRE_THROWS_WITH(script.next(), "after 5");
  REQUIRE(script.next() == nullptr);
}

TEST_CASE("a script may catch what a nested one throws and go on") {
  REQUIRE(tags(recovers(5)) == std::vector{0, 5, -1, 7, 8});
}

struct Counted {
  int* alive;
  explicit Counted(int* counter) : alive(counter) { ++*alive; }
  Counted(const Counted& other) : alive(other.alive) { ++*alive; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*alive; }
};

Script holds(Counted guard, int depth) {
  if (depth > 0) co_yield holds(guard, depth - 1);
  co_yield tagged(*guard.alive);
}

TEST_CASE("a script that is dropped half way destroys what it and its nested scripts hold") {
  int alive = 0;
  {
    Script script = holds(Counted(&alive), 2);
    REQUIRE(script.next() != nullptr);
    REQUIRE(alive >= 3);
  }
  REQUIRE(alive == 0);
}

TEST_CASE("moving a script half way moves the rest of the stream") {
  Script first = nested(1);
  REQUIRE(first.next()->tag == 1);
  Script second = std::move(first);
  REQUIRE_FALSE(first);
  REQUIRE(tags(std::move(second)) == std::vector{0, 0, -1});
}

TEST_CASE("the pool hands out a freed frame again for one of the same size class, and only for that") {
  void* first = FramePool::allocate(1000);
  FramePool::release(first, 1000);
  void* other_class = FramePool::allocate(200);
  REQUIRE(other_class != first);
  void* same_class = FramePool::allocate(1010);  // both round up to 1,024 bytes
  REQUIRE(same_class == first);
  FramePool::release(same_class, 1010);
  FramePool::release(other_class, 200);
}

TEST_CASE("frames in use at the same time are different, also beyond the largest pooled size") {
  for (const std::size_t bytes : {64, 65, 4000, 4096, 100'000}) {
    void* a = FramePool::allocate(bytes);
    void* b = FramePool::allocate(bytes);
    REQUIRE(a != b);
    FramePool::release(a, bytes);
    FramePool::release(b, bytes);
  }
}

}  // namespace
}  // namespace orrery::op
