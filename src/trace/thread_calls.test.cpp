// SPDX-License-Identifier: BSD-3-Clause
#include "trace/thread_calls.hpp"

#include <string>

#include "base/error.hpp"
#include "catch.hpp"
#include "trace/decoder.hpp"
#include "trace/trace.test.hpp"

using namespace orrery;
using namespace orrery::trace;
using namespace orrery::trace::testing;

namespace {

struct Times {
  std::int64_t begin_ns = -1, end_ns = -1;
};

Owned operation(op::Kind kind, std::uint32_t thread, Times times, std::uint32_t request = 0) {
  Owned made;
  made.record.kind = static_cast<std::uint8_t>(kind);
  made.record.thread = thread;
  made.record.begin_ns = times.begin_ns;
  made.record.end_ns = times.end_ns;
  made.record.request = request;
  return made;
}

Owned blocking(op::Kind kind, std::uint32_t thread, Times times) {
  Owned made = operation(kind, thread, times);
  made.record.flags = op::Blocking;
  return made;
}

Owned about(op::Kind kind, std::uint32_t thread, Times times, std::vector<std::uint32_t> requests) {
  Owned made = operation(kind, thread, times);
  made.requests = std::move(requests);
  return made;
}

ThreadCalls calls_of(const std::vector<Owned>& captured) {
  ThreadCalls calls;
  for (const Owned& owned : captured) calls.operation(owned.view());
  return calls;
}

std::string text_of(const op::Operation& o) {
  std::string text = o.kind == op::Kind::Isend     ? "send"
                     : o.kind == op::Kind::Irecv   ? "recv"
                     : o.kind == op::Kind::Put     ? "put"
                     : o.kind == op::Kind::TestAll ? "test"
                     : o.kind == op::Kind::Match   ? "match"
                                                   : "wait";
  text += std::to_string(o.request);
  for (const op::RequestId id : o.requests) text += concat(":", id);
  return text;
}

/// Operations with their requests, or with ! and their threads if these wait; = and the thread that is answered.
std::string written(ThreadCalls calls) {
  const TemporaryFile out;
  orrery_trace_writer* writer = orrery_trace_create(out.path.c_str(), 1);
  orrery_trace_stream* stream = orrery_trace_open_stream(writer, 0);
  calls.write(stream);
  orrery_trace_close_stream(stream, 1);
  orrery_trace_close(writer);
  const File file(out.path);
  Decoder decoder(file, 0);
  std::string text;
  for (;;) {
    const Decoder::What what = decoder.next();
    if (what == Decoder::What::End) return text;
    if (!text.empty()) text += ' ';
    if (what == Decoder::What::Answer) {
      text += concat("=", decoder.answer().thread);
    } else {
      text += text_of(decoder.operation());
      if (op::is_apart(decoder.operation())) text += "!";
    }
  }
}

}  // namespace

TEST_CASE("a thread that waits has begun before what others of its rank did meanwhile") {
  // As they ended: the send of thread 2, then the receive of thread 1, which had begun before.
  const std::vector<Owned> captured = {blocking(op::Kind::Isend, 2, {200, 300}),
                                       blocking(op::Kind::Irecv, 1, {100, 400})};
  CHECK(written(calls_of(captured)) == "recv1! send2! =2 =1");
}

TEST_CASE("what a call starts is there from its beginning, under a number that no other request has then") {
  // The wait of thread 1 has given number 1 back before the receive of thread 2 got it, which had begun earlier, and
  // whose message another rank may have answered before the call was over.
  const std::vector<Owned> captured = {
      operation(op::Kind::Irecv, 1, {10, 20}, 1), about(op::Kind::WaitAll, 1, {100, 300}, {1}),
      operation(op::Kind::Irecv, 2, {200, 310}, 1), about(op::Kind::WaitAll, 2, {320, 330}, {1})};
  CHECK(written(calls_of(captured)) == "recv1 wait1:1! recv2 =1 wait2:2! =2");
}

TEST_CASE("a wait begins behind the start of the request that it has got") {
  // Both sends had one handle. The wait of thread 1 began, and was held up; thread 2 waited for the older of them.
  const std::vector<Owned> captured = {
      operation(op::Kind::Isend, 1, {10, 20}, 1), operation(op::Kind::Isend, 2, {200, 210}, 2),
      about(op::Kind::WaitAll, 2, {220, 230}, {1}), about(op::Kind::WaitAll, 1, {100, 300}, {2})};
  CHECK(written(calls_of(captured)) == "send1 send2 wait1:2! wait2:1! =2 =1");
}

TEST_CASE("a test is where it ended: what it found may have come only then") {
  const std::vector<Owned> captured = {operation(op::Kind::Irecv, 1, {10, 20}, 1),
                                       blocking(op::Kind::Isend, 2, {110, 120}),
                                       about(op::Kind::TestAll, 1, {100, 200}, {1})};
  CHECK(written(calls_of(captured)) == "recv1 send2! =2 test0:1");
}

TEST_CASE("what a call learns comes behind the answer of its wait") {
  std::vector<Owned> captured = {operation(op::Kind::Irecv, 1, {10, 20}, 1), about(op::Kind::WaitAll, 1, {30, 90}, {1}),
                                 operation(op::Kind::Match, 1, {}, 1), blocking(op::Kind::Isend, 2, {95, 99})};
  CHECK(written(calls_of(captured)) == "recv1 wait1:1! =1 match1 send2! =2");
}

TEST_CASE("accesses to one target are one request until a wait has taken it") {
  const std::vector<Owned> captured = {
      operation(op::Kind::Put, 1, {10, 20}, 5),   operation(op::Kind::Put, 2, {15, 30}, 5),
      about(op::Kind::WaitAll, 1, {40, 50}, {5}), operation(op::Kind::Put, 2, {45, 60}, 5),
      about(op::Kind::WaitAll, 2, {70, 80}, {5}),
  };
  CHECK(written(calls_of(captured)) == "put1 put1 wait1:1! put2 =1 wait2:2! =2");
}

TEST_CASE("what threads compute at the same time counts once") {
  std::vector<Owned> captured = {blocking(op::Kind::Isend, 1, {100'000, 100'000}),
                                 blocking(op::Kind::Isend, 2, {150'000, 150'000})};
  captured[0].record.compute_s = captured[1].record.compute_s = 100e-6;
  const TemporaryFile out;
  orrery_trace_writer* writer = orrery_trace_create(out.path.c_str(), 1);
  orrery_trace_stream* stream = orrery_trace_open_stream(writer, 0);
  calls_of(captured).write(stream);
  orrery_trace_close_stream(stream, 1);
  orrery_trace_close(writer);
  const File file(out.path);
  Decoder decoder(file, 0);
  double computed_s = 0;
  for (Decoder::What what = decoder.next(); what != Decoder::What::End; what = decoder.next())
    if (what == Decoder::What::Operation) computed_s += decoder.operation().compute_s;
  CHECK(computed_s == Approx(150e-6));  // by the wall clock
}
