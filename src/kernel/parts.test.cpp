// SPDX-License-Identifier: BSD-3-Clause
#include <sys/resource.h>

#include <array>

#include "catch.hpp"
#include "kernel/kernel.hpp"
#include "kernel/test_support.hpp"

using namespace orrery;
using namespace orrery::kernel;
using namespace orrery::kernel::testing;
using op::Kind;

// Latency 1 s, nothing per byte; up to 1,000 bytes Asynchronous, up to 2,000 Detached.
namespace {

op::Operation join(std::int64_t parts) {
  auto operation = simple(Kind::Join);
  operation.request = 1;
  operation.bytes = {parts};
  return operation;
}

op::Operation part(op::Operation operation) {
  operation.flags |= op::Part;
  operation.request = 1;
  return operation;
}

op::Operation partition(int dest, int number, std::int64_t bytes, double compute_s = 0, std::uint16_t pair = 0) {
  auto operation = part(send(dest, bytes, 0, 1));
  operation.kind = Kind::Psend;
  operation.element = number;
  operation.compute_s = compute_s;
  operation.algorithm = pair;
  return operation;
}

op::Operation partitioned_receive(int source, std::int64_t bytes, op::RequestId request = 1, std::uint16_t pair = 0) {
  auto operation = recv(source, bytes, 0, request);
  operation.kind = Kind::Precv;
  operation.algorithm = pair;
  return operation;
}

op::Operation piece_arrived(int piece, std::int64_t bytes) {
  auto operation = simple(Kind::Arrived);
  operation.request = 1;
  operation.element = piece;
  operation.bytes = {bytes};
  return operation;
}

/// The most memory that this process ever had, KiB.
long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

op::Operation wait_all() { return on_requests(Kind::WaitAll, first_request); }

}  // namespace

TEST_CASE("a joined send and receive is complete when the later of its parts is") {
  // The large send is Synchronous: its receive is posted at 5, its transfer takes 1. The receive is there at 1.
  Bench bench({{join(2), part(recv(1, 8, 0, 1)), part(send(1, 3000, 0, 1)), wait_all()},
               {send(0, 8), compute(5), recv(0, 3000)}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.end(0) == 6);
}

TEST_CASE("the overhead of a received part is paid by who waits for the whole") {
  Bench bench({{join(1), part(recv(1, 8, 0, 1)), wait_all()}, {send(0, 8)}});
  bench.network.recv_overhead = 0.5;
  bench.run();
  CHECK(bench.end(0) == 1.5);
}

TEST_CASE("a joined receive of any source tells what it took") {
  auto match = simple(Kind::Match);
  match.request = 1;
  Bench bench({{join(2), part(recv(op::any_source, 8, op::any_tag, 1)), part(send(1, 8, 0, 1)), wait_all(), match},
               {recv(0, 8), send(0, 8, 7)}});
  REQUIRE_FALSE(bench.run());
  const op::Reply& reply = bench.streams.answers[0].at(0).reply;
  CHECK(reply.source == 1);
  CHECK(reply.tag == 7);
  CHECK(reply.bytes.count == 8);
}

TEST_CASE("a partition leaves when it is ready, not when all are") {
  // Ready at 1 and 4; each takes 1. The receiver sees the first at 3, not the second, and has both at 5.
  Bench bench({{join(2), partition(1, 0, 100, 1), partition(1, 1, 100, 3), wait_all()},
               {partitioned_receive(0, 200), compute(3), piece_arrived(0, 100), piece_arrived(1, 100), wait_all()}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.streams.answers[1].at(0).reply.flag);
  CHECK_FALSE(bench.streams.answers[1].at(1).reply.flag);
  CHECK(bench.end(0) == 4);
  CHECK(bench.end(1) == 5);
}

TEST_CASE("a piece is there of a receive that another thread has waited for since it was asked") {
  Bench bench(
      {{join(1), partition(1, 0, 100), wait_all()}, {partitioned_receive(0, 100), wait_all(), piece_arrived(0, 100)}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.streams.answers[1].back().reply.flag);
}

TEST_CASE("a piece of a receive is there once all partitions that overlap it are") {
  // Partitions of 100, pieces of 150: piece 0 needs partitions 0 and 1, piece 1 needs 1 and 2.
  Bench bench({{join(3), partition(1, 1, 100), partition(1, 2, 100), partition(1, 0, 100, 8), wait_all()},
               {partitioned_receive(0, 300), compute(3), piece_arrived(0, 150), piece_arrived(1, 150), wait_all()}});
  REQUIRE_FALSE(bench.run());
  CHECK_FALSE(bench.streams.answers[1].at(0).reply.flag);
  CHECK(bench.streams.answers[1].at(1).reply.flag);
  CHECK(bench.end(1) == 9);
}

TEST_CASE("the number of a partition, which a damaged trace may have any, asks for no memory") {
  // Number 2^32 - 1: a bit for each up to it would be 512 MiB.
  Bench bench({{join(2), partition(1, -1, 100), wait_all()},
               {partitioned_receive(0, 200), compute(3), piece_arrived(0, 100), send(0, 8)}});
  const long before = peak_kib();
  bench.run();
  CHECK_FALSE(bench.streams.answers[1].at(0).reply.flag);
  CHECK(peak_kib() - before < 64 * 1024);
}

TEST_CASE("partitions that are sent before the receive starts wait for it") {
  Bench bench({{join(2), partition(1, 0, 3000), partition(1, 1, 3000), wait_all()},
               {compute(4), partitioned_receive(0, 6000), wait_all()}});
  REQUIRE_FALSE(bench.run());
  // Synchronous: both transfers start at 4 and take 1.
  CHECK(bench.end(0) == 5);
  CHECK(bench.end(1) == 5);
}

TEST_CASE("partitions of two pairs with the same tag do not mix, nor do they meet ordinary receives") {
  constexpr std::array<op::RequestId, 1> second{2};
  op::Operation other = join(1), late = partition(1, 0, 100, 5, 0);
  other.request = late.request = 2;
  Bench bench(
      {{join(1), partition(1, 0, 100, 0, 1), other, late, wait_all(), on_requests(Kind::WaitAll, second), send(1, 100)},
       {partitioned_receive(0, 100, 1, 0), partitioned_receive(0, 100, 2, 1), recv(0, 100, 0, 3),
        on_requests(Kind::WaitAll, second), wait_all()}});
  REQUIRE(bench.run() == std::nullopt);
  CHECK(bench.end(1) == 6);
}

TEST_CASE("a partitioned receive may have room for more than is sent") {
  // 200 of 500 bytes, on their way from 0 and from 3; the next start has the next partitions.
  Bench bench(
      {{join(2), partition(1, 0, 100), partition(1, 1, 100, 3), wait_all(), join(1), partition(1, 0, 100, 3),
        wait_all()},
       {partitioned_receive(0, 500), wait_all(), simple(Kind::Clock), partitioned_receive(0, 500), wait_all()}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.streams.answers[1].at(0).reply.now.s == 4);
  CHECK(bench.end(1) == 7);
}

TEST_CASE("a request for requests under way is complete when they are") {
  // A buffered send of 1,500 bytes leaves when its receive is posted at 4 and its transfer, 1, has ended.
  constexpr std::array<op::RequestId, 2> both{2, 3};
  auto large = send(1, 1500, 0, 2);
  large.mode = op::Mode::Buffered;
  auto small = send(1, 8, 0, 3);
  small.mode = op::Mode::Buffered;
  auto all = on_requests(Kind::Join, both);
  all.request = 1;
  Bench bench({{large, small, all, wait_all()}, {compute(4), recv(0, 1500), recv(0, 8)}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.end(0) == 5);
}

TEST_CASE("who waits for partitions that never come is in the deadlock report") {
  Bench bench({{}, {partitioned_receive(0, 100), wait_all()}});
  const auto deadlock = bench.run();
  REQUIRE(deadlock);
  REQUIRE(deadlock->waiting.size() == 1);
  CHECK(deadlock->waiting[0].peer == 0);
  CHECK(deadlock->waiting[0].bytes.count == 100);
}

TEST_CASE("a partitioned receive of no bytes waits for its message, and takes no second one") {
  Bench bench({{join(1), partition(1, 0, 0, 3), wait_all(), join(1), partition(1, 0, 0, 4), wait_all()},
               {partitioned_receive(0, 0), piece_arrived(0, 0), wait_all(), simple(Kind::Clock),
                partitioned_receive(0, 0), wait_all(), simple(Kind::Clock)}});
  REQUIRE_FALSE(bench.run());
  const auto& answers = bench.streams.answers[1];
  CHECK_FALSE(answers[0].reply.flag);
  CHECK(answers[1].reply.now.s == 4);  // computed for 3 s, under way for 1 s
  CHECK(answers[2].reply.now.s == 8);
}
