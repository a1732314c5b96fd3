// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/warm_copy.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "mpi/clock/host_counters.hpp"

using orrery::mpi::WarmCopy;

namespace {

#ifdef __SANITIZE_ADDRESS__
/// The sanitizer has terabytes that the process may write, so that nothing is measured: the rest holds all the same.
constexpr bool measurable = false;
#else
constexpr bool measurable = true;
#endif

/// Measures what `compute` takes, as a rank does.
template <class Compute>
std::int64_t measured(WarmCopy& copy, Compute compute) {
  const std::int64_t warm_ns = copy.measure(1'000'000);
  compute();
  if (WarmCopy::in_copy()) WarmCopy::end_of_run();
  return warm_ns;
}

/// A computation that writes a counter and some pages, and depends on what was in them.
struct Steps {
  std::vector<std::uint32_t> numbers = std::vector<std::uint32_t>(200'000, 1);
  int steps = 0;
  volatile std::uint32_t sum = 0;

  void operator()() {
    ++steps;
    std::uint32_t last = 7;
    for (std::uint32_t& number : numbers) last = number = 1'664'525 * (number ^ last) + 1'013'904'223;
    sum = last;
  }
};

int open_descriptors() {
  int open = 0;
  for (int descriptor = 0; descriptor < 256; ++descriptor) {
    const int copied = dup(descriptor);
    if (copied < 0) continue;
    ++open;
    close(copied);
  }
  return open;
}

}  // namespace

TEST_CASE("a computation that is measured in a copy happens once in the process") {
  WarmCopy copy;
  Steps steps, expected;
  const int before = open_descriptors();
  const std::int64_t warm_ns = measured(copy, [&] { steps(); });
  expected();
  CHECK((warm_ns > 0) == measurable);
  CHECK_FALSE(WarmCopy::in_copy());
  CHECK(steps.steps == 1);
  CHECK(steps.sum == expected.sum);
  CHECK(steps.numbers == expected.numbers);
  CHECK(open_descriptors() == before);
  CHECK(waitpid(-1, nullptr, WNOHANG | __WALL) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("the process gets its pages back before it goes on") {
  WarmCopy copy;
  std::vector<std::uint32_t> numbers(500'000, 1);
  const std::int64_t warm_ns = copy.measure(1'000'000);
  const std::uint64_t before = WarmCopy::in_copy() ? 0 : orrery::mpi::page_faults();
  for (std::uint32_t& number : numbers) ++number;
  if (WarmCopy::in_copy()) WarmCopy::end_of_run();
  const std::uint64_t faults = orrery::mpi::page_faults() - before;
  CHECK((warm_ns > 0) == measurable);
  if (measurable) CHECK(faults < numbers.size() * sizeof numbers[0] / 4'096 / 10);
}

TEST_CASE("each run in a copy begins with the same memory") {
  // What sorts is quick when it finds its work done: a run that began with the memory of the last one would be.
  WarmCopy copy;
  std::vector<std::uint32_t> numbers(100'000);
  std::uint32_t last = 1;
  for (std::uint32_t& number : numbers) number = last = 1'664'525 * last + 1'013'904'223;
  std::vector<std::uint32_t> sorted = numbers;
  std::ranges::sort(sorted);
  const std::int64_t unsorted_ns = measured(copy, [&] { std::ranges::sort(numbers); });
  const std::int64_t sorted_ns = measured(copy, [&] { std::ranges::sort(sorted); });
  REQUIRE((sorted_ns > 0) == measurable);
  if (measurable) CHECK(unsorted_ns > 2 * sorted_ns);
}

TEST_CASE("memory that is made and given back in the computation does not hinder its repetition") {
  WarmCopy copy;
  int bytes = 0;
  const std::int64_t warm_ns = measured(copy, [&] {
    for (int i = 1; i < 20; ++i) bytes += std::vector<char>(static_cast<std::size_t>(i) * 50'000, 'x').back();
  });
  CHECK((warm_ns > 0) == measurable);
  CHECK(bytes == 19 * 'x');
}

TEST_CASE("a copy that calls the system for more than memory and time ends, and the process does what it did") {
  WarmCopy copy;
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const std::int64_t warm_ns = measured(copy, [&] { CHECK(write(ends[1], "x", 1) == 1); });
  CHECK(warm_ns == 0);
  std::array<char, 8> got{};
  CHECK(read(ends[0], got.data(), got.size()) == 1);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("a copy cannot change what the process shares with others") {
  WarmCopy copy;
  void* const memory = mmap(nullptr, 4'096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto* const counter = static_cast<volatile int*>(memory);
  const std::int64_t warm_ns = measured(copy, [&] { *counter = *counter + 1; });
  CHECK(warm_ns == 0);
  CHECK(*counter == 1);
  munmap(memory, 4'096);
}

TEST_CASE("a copy that never ends is ended") {
  WarmCopy copy;
  volatile bool is_copy = false;
  is_copy = copy.measure(1'000) == WarmCopy::is_copy;
  while (is_copy) {
  }
  CHECK_FALSE(WarmCopy::in_copy());
}
