// SPDX-License-Identifier: BSD-3-Clause
#include "trace/usage.hpp"

#include "catch.hpp"
#include "op/op.hpp"
#include "trace/trace.test.hpp"

using namespace orrery;
using namespace orrery::trace;
using namespace orrery::trace::testing;

namespace {

orrery_trace_record call(op::Kind kind, std::uint16_t routine, std::int64_t bytes, std::int64_t begin_ns,
                         std::int64_t end_ns) {
  orrery_trace_record r{};
  r.kind = static_cast<std::uint8_t>(kind);
  r.flags = op::FirstOfCall;
  r.routine = routine;
  r.bytes = bytes;
  r.begin_ns = begin_ns;
  r.end_ns = end_ns;
  return r;
}

}  // namespace

TEST_CASE("Time between calls is the program's, time in calls their routine's") {
  const TemporaryFile out;
  orrery_trace_writer* writer = orrery_trace_create(out.path.c_str(), 2);
  orrery_trace_stream* stream = orrery_trace_open_stream(writer, 0);
  orrery_trace_record send = call(op::Kind::Isend, 1, 1024, 1000, 1500);
  send.peer = 1;
  orrery_trace_operation(stream, &send);
  send.begin_ns = 4500;
  send.end_ns = 5000;
  send.bytes = 1025;
  orrery_trace_operation(stream, &send);
  orrery_trace_close_stream(stream, 1);
  orrery_trace_close(writer);

  const Usage usage = Usage::of(File(out.path));
  REQUIRE(usage.calls.size() == 2);
  CHECK(usage.calls[0].routine == 0);
  CHECK(usage.calls[0].time_s == Approx(4e-6));  // 1,000 ns before the first, 3,000 before the second
  CHECK(usage.calls[1].time_s == Approx(1e-6));
  CHECK(usage.calls[1].calls == 2);
  REQUIRE(usage.edges.size() == 1);
  CHECK(usage.edges[0].to == 1);
  CHECK(usage.edges[0].bytes == 2049);
  REQUIRE(usage.sizes.size() == 2);  // 1,024 is the end of its range
  CHECK(usage.sizes[0].power == 10);
  CHECK(usage.sizes[1].power == 11);
  CHECK(usage.ranks[0].total_s == Approx(5e-6));
  CHECK(usage.ranks[1].cut_off);
}
