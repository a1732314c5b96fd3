// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "base/error.hpp"
#include "catch.hpp"
#include "kernel/kernel.hpp"
#include "kernel/test_support.hpp"

using namespace orrery;
using namespace orrery::kernel;
using namespace orrery::kernel::testing;
using op::Kind;

namespace {

/// An operation on the file 7.
op::Operation on_file(Kind kind, std::int64_t amount = 0) {
  op::Operation operation = simple(kind);
  operation.comm = 7;
  operation.bytes = {amount};
  operation.flags = op::FirstOfCall;
  return operation;
}

constexpr std::array<std::int64_t, 2> first_100{0, 100};
constexpr std::array<std::int64_t, 2> next_100{100, 100};

op::Operation access_to(Kind kind, std::span<const std::int64_t> place, op::RequestId request = 0) {
  op::Operation operation = on_file(kind, 100);
  operation.counts = place;
  operation.request = request;
  operation.flags |= request == 0 ? op::Blocking : 0;
  return operation;
}

/// Two servers of 100 B/s with stripes of 100 bytes; 1 s for an access, 3 s for metadata.
struct FileBench : Bench {
  explicit FileBench(std::vector<std::vector<op::Operation>> operations) : Bench(std::move(operations)) {
    config.storage = {.servers = 2,
                      .stripe_bytes = 100,
                      .read_bandwidth_bytes_per_s = 100,
                      .write_bandwidth_bytes_per_s = 100,
                      .latency_s = 1,
                      .metadata_latency_s = 3};
  }
};

}  // namespace

TEST_CASE("a blocking access holds its rank up, another one does not") {
  static constexpr op::RequestId requests[] = {1};
  FileBench bench({{access_to(Kind::FileWrite, first_100)},
                   {access_to(Kind::FileRead, next_100, 1), compute(0.5), on_requests(Kind::WaitAny, requests)}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.end(0) == 2);  // 1 s, and 100 bytes at 100 B/s
  CHECK(bench.end(1) == 2);  // on the other server
  CHECK(bench.simulation->file_use().accesses == 2);
  CHECK(bench.simulation->file_use().read.count == 100);
  CHECK(bench.simulation->file_use().written.count == 100);
}

TEST_CASE("accesses to one server at one time share it") {
  FileBench bench({{access_to(Kind::FileWrite, first_100)}, {access_to(Kind::FileWrite, first_100)}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.end(0) == 3);  // 50 B/s each
  CHECK(bench.end(1) == 3);
}

TEST_CASE("files begin on servers in turn") {
  op::Operation other = access_to(Kind::FileWrite, first_100);
  other.comm = 8;
  FileBench bench({{access_to(Kind::FileWrite, first_100)}, {other}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.end(1) == 2);  // alone on its server
}

TEST_CASE("metadata cost their latency") {
  FileBench bench({{on_file(Kind::FileMetadata)}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.end(0) == 3);
}

TEST_CASE("a shared pointer is moved in the order of simulated time, then of ranks") {
  FileBench bench({{compute(2), on_file(Kind::FilePosition, 10)},
                   {compute(1), on_file(Kind::FilePosition, 20)},
                   {compute(2), on_file(Kind::FilePosition, 40)}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.streams.answers[1][0].reply.bytes.count == 0);
  CHECK(bench.streams.answers[0][0].reply.bytes.count == 20);
  CHECK(bench.streams.answers[2][0].reply.bytes.count == 30);
  CHECK(bench.end(1) == 2);
}

TEST_CASE("a shared pointer can be set") {
  op::Operation set = on_file(Kind::FilePosition, 5);
  set.flags |= op::Absolute;
  FileBench bench({{on_file(Kind::FilePosition, 10), set, on_file(Kind::FilePosition, 0)}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.streams.answers[0][1].reply.bytes.count == 10);
  CHECK(bench.streams.answers[0][2].reply.bytes.count == 5);
}

TEST_CASE("a file has one holder of its lock at a time, in the order in which they asked") {
  const std::vector<op::Operation> locked{on_file(Kind::FileLock), access_to(Kind::FileWrite, first_100),
                                          on_file(Kind::FileUnlock)};
  FileBench bench({locked, locked, locked});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.end(0) == 3);  // 1 s for the lock, 2 s for the access
  CHECK(bench.end(1) == 6);
  CHECK(bench.end(2) == 9);
}

TEST_CASE("a lock that is never given up is a deadlock") {
  // The lock goes from rank 0 to rank 2, which ends with it.
  FileBench bench({{on_file(Kind::FileLock), compute(9), on_file(Kind::FileUnlock)},
                   {compute(2), on_file(Kind::FileLock)},
                   {compute(1), on_file(Kind::FileLock)}});
  const auto deadlock = bench.run();
  REQUIRE(deadlock);
  CHECK(deadlock->waiting.size() == 1);
  CHECK(deadlock->waiting[0].kind == Kind::FileLock);
  CHECK(deadlock->waiting[0].rank == 1);
  CHECK(deadlock->waiting[0].peer == 2);
}

TEST_CASE("an access that no file has is refused") {
  static constexpr std::array<std::int64_t, 2> before{-1, 100};
  FileBench nowhere({{access_to(Kind::FileWrite, before)}});
  CHECK_THROWS_AS(nowhere.run(), InputError);
  FileBench unlocked({{on_file(Kind::FileUnlock)}});
  CHECK_THROWS_AS(unlocked.run(), InputError);
}
