// SPDX-License-Identifier: BSD-3-Clause
#include "trace/replay.hpp"

#include "base/error.hpp"
#include "catch.hpp"
#include "trace/trace.test.hpp"

using namespace orrery;
using namespace orrery::trace;
using namespace orrery::trace::testing;

TEST_CASE("a rank that is asked again and again while nothing happens ends the replay") {
  const TemporaryFile out;
  orrery_trace_writer* writer = orrery_trace_create(out.path.c_str(), 1);
  orrery_trace_stream* stream = orrery_trace_open_stream(writer, 0);
  const Owned nothing;
  const orrery_trace_record record = nothing.view();
  orrery_trace_operation(stream, &record);
  orrery_trace_answer answer{};
  answer.thread = 7;  // which has asked for nothing, as in damaged files
  orrery_trace_answered(stream, &answer);
  orrery_trace_close_stream(stream, 1);
  orrery_trace_close(writer);

  const File file(out.path);
  Replay replay(file);
  op::Operation operation;
  REQUIRE(replay.next(WorldRank{0}, operation) == op::Pull::Ready);
  const auto ask_often = [&] {
    for (int i = 0; i < 10'000; ++i) {
      CHECK(replay.next(WorldRank{0}, operation) == op::Pull::NotYet);
      replay.wait_for_any(1e-3);
    }
  };
  CHECK_THROWS_WITH(ask_often(), "threads of the trace's ranks wait for each other: no rank can go on");
}
