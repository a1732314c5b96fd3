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

TEST_CASE("Local calls have part of the program's time; MPI_Init and MPI_Finalize lie before and behind it") {
  const TemporaryFile out;
  orrery_trace_writer* writer = orrery_trace_create(out.path.c_str(), 1);
  orrery_trace_stream* stream = orrery_trace_open_stream(writer, 0);
  const orrery_trace_record barrier = call(op::Kind::Collective, 1, 0, 9000, 10'000);
  orrery_trace_operation(stream, &barrier);
  orrery_trace_close_stream(stream, 1);
  const orrery_trace_local_calls local[] = {{0, 2, 1'000'000'000'000, 3000}, {0, 1, 0, 500}, {7, 2, 5, 100}};
  orrery_trace_local(writer, 0, local, 2);
  orrery_trace_local(writer, 0, local + 2, 1);  // adds to what is there
  orrery_trace_close(writer);

  const File file(out.path);
  CHECK(file.damage().empty());
  CHECK(file.local_calls(0).size() == 3);
  CHECK(file.local_calls(1).empty());
  const Usage usage = Usage::of(file);
  REQUIRE(usage.calls.size() == 5);  // also the program in phase 7, without any time
  CHECK(usage.calls[0].time_s == Approx(6e-6));
  CHECK(usage.calls[1].calls == 1);
  CHECK(usage.calls[1].time_s == Approx(1.5e-6));
  CHECK(usage.calls[2].calls == 1'000'000'000'000);
  CHECK(usage.calls[2].time_s == Approx(3e-6));
  CHECK(usage.calls[4].phase == 7);
  CHECK(usage.calls[4].calls == 5);
  CHECK(usage.calls[4].time_s == 0);  // nothing was known to lie in that phase
  CHECK(usage.ranks[0].calls == 1'000'000'000'006);
  CHECK(usage.ranks[0].total_s == Approx(10e-6));
  CHECK(usage.ranks[0].mpi_s == Approx(4e-6));
  CHECK(usage.local == std::vector<std::uint32_t>{2});
}

TEST_CASE("Calls are told apart by where they come from") {
  const TemporaryFile out;
  orrery_trace_writer* writer = orrery_trace_create(out.path.c_str(), 2);
  const char* const names[] = {"a.c:1 main", "a.c:2 main"};
  orrery_trace_names(writer, ORRERY_TRACE_SITES, 1, names, 2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    orrery_trace_stream* stream = orrery_trace_open_stream(writer, rank);
    orrery_trace_record send = call(op::Kind::Isend, 1, 8, 1000, 1500 + 500 * rank);
    send.peer = 0;
    send.site = 2;
    orrery_trace_operation(stream, &send);
    orrery_trace_close_stream(stream, 1);
  }
  orrery_trace_close(writer);
  const Usage usage = Usage::of(File(out.path));
  REQUIRE(usage.sites.size() == 1);
  const Usage::Site& site = usage.sites[0];
  CHECK((site.site == 2 && site.routine == 1 && site.ranks == 2 && site.calls == 2));
  CHECK((site.messages == 2 && site.bytes == 16));
  CHECK(site.time_s == Approx(1.5e-6));
  CHECK(site.shortest_s == Approx(0.5e-6));
  CHECK(site.longest_s == Approx(1e-6));
}
