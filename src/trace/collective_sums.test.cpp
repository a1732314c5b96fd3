// SPDX-License-Identifier: BSD-3-Clause
#include "trace/collective_sums.hpp"

#include "catch.hpp"
#include "trace/trace.test.hpp"

using namespace orrery;
using namespace orrery::trace;
using namespace orrery::trace::testing;

namespace {

orrery_trace_record collective(op::CollectiveKind kind, std::int64_t bytes, std::int64_t begin_ns,
                               std::int64_t end_ns) {
  orrery_trace_record r{};
  r.kind = static_cast<std::uint8_t>(op::Kind::Collective);
  r.flags = op::FirstOfCall | op::Blocking;
  r.collective = static_cast<std::uint8_t>(kind);
  r.bytes = bytes;
  r.begin_ns = begin_ns;
  r.end_ns = end_ns;
  return r;
}

}  // namespace

TEST_CASE("Collective calls that are alike are summed, the longest first; others are told apart") {
  const TemporaryFile out;
  orrery_trace_writer* writer = orrery_trace_create(out.path.c_str(), 2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    orrery_trace_stream* stream = orrery_trace_open_stream(writer, rank);
    orrery_trace_record small = collective(op::CollectiveKind::Allreduce, 8, 1000, 2000);
    orrery_trace_operation(stream, &small);
    small.begin_ns = 2000;
    small.end_ns = 2500;
    orrery_trace_operation(stream, &small);
    orrery_trace_record large = collective(op::CollectiveKind::Allreduce, 1024, 3000, 9000);
    orrery_trace_operation(stream, &large);
    large.flags = op::FirstOfCall;  // a non-blocking one goes on meanwhile: its time is elsewhere
    orrery_trace_operation(stream, &large);
    orrery_trace_close_stream(stream, 1);
  }
  orrery_trace_close(writer);

  const std::vector<CollectiveSum> sums = collective_sums(File(out.path));
  REQUIRE(sums.size() == 2);
  CHECK(sums[0].bytes == 1024);
  CHECK(sums[0].calls == 2);
  CHECK(sums[0].time_s == Approx(12e-6));
  CHECK(sums[1].bytes == 8);
  CHECK(sums[1].calls == 4);
  CHECK(sums[1].ranks == 2);
  CHECK(sums[1].time_s == Approx(3e-6));
}

TEST_CASE("Calls with counts have a size where all counts are alike") {
  const TemporaryFile out;
  orrery_trace_writer* writer = orrery_trace_create(out.path.c_str(), 1);
  orrery_trace_stream* stream = orrery_trace_open_stream(writer, 0);
  const std::int64_t alike[] = {64, 64, 64, 64};
  const std::int64_t apart[] = {64, 64, 8, 64};
  orrery_trace_record r = collective(op::CollectiveKind::Alltoallv, 0, 0, 100);
  r.counts = alike;
  r.counts_length = 4;
  orrery_trace_operation(stream, &r);
  r.begin_ns = 100;
  r.end_ns = 110;
  r.counts = apart;
  orrery_trace_operation(stream, &r);
  orrery_trace_close_stream(stream, 1);
  orrery_trace_close(writer);

  const std::vector<CollectiveSum> sums = collective_sums(File(out.path));
  REQUIRE(sums.size() == 2);
  CHECK(sums[0].bytes == 64);
  CHECK(sums[1].bytes == -1);
}
