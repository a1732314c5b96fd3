// SPDX-License-Identifier: BSD-3-Clause
#include "trace/slice.hpp"

#include "base/error.hpp"
#include "catch.hpp"
#include "trace/trace.test.hpp"

using namespace orrery;
using namespace orrery::trace;
using namespace orrery::trace::testing;
using op::Kind;

namespace {

/// Streams with a time for each operation, as a call of its own.
class Scene {
 public:
  explicit Scene(std::uint32_t ranks) : writer_(orrery_trace_create(file_.path.c_str(), ranks)) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) streams_.push_back(orrery_trace_open_stream(writer_, rank));
  }

  void add(std::size_t rank, std::int64_t ns, orrery_trace_record record) {
    record.flags |= op::FirstOfCall;
    record.begin_ns = ns;
    record.end_ns = ns + 1;
    orrery_trace_operation(streams_[rank], &record);
  }
  void answered(std::size_t rank, orrery_trace_answer answer) { orrery_trace_answered(streams_[rank], &answer); }

  /// Writes what is there, and cuts.
  Sliced cut(const Window& window) {
    for (orrery_trace_stream* stream : streams_) orrery_trace_close_stream(stream, 1);
    orrery_trace_close(writer_);
    return slice(File(file_.path), out.path, window);
  }

  TemporaryFile out;

 private:
  TemporaryFile file_;
  orrery_trace_writer* writer_;
  std::vector<orrery_trace_stream*> streams_;
};

orrery_trace_record message(Kind kind, std::int32_t peer, std::uint32_t request = 0, std::int32_t tag = 0) {
  orrery_trace_record r{};
  r.kind = static_cast<std::uint8_t>(kind);
  r.peer = peer;
  r.tag = tag;
  r.bytes = 8;
  r.request = request;
  r.flags = request == 0 ? op::Blocking : 0;
  return r;
}

orrery_trace_record plain(Kind kind, std::int32_t tag = 0) {
  orrery_trace_record r{};
  r.kind = static_cast<std::uint8_t>(kind);
  r.tag = tag;
  return r;
}

orrery_trace_record wait_for(const std::vector<std::uint32_t>& requests) {
  orrery_trace_record r = plain(Kind::WaitAll);
  r.requests = requests.data();
  r.requests_length = static_cast<std::uint32_t>(requests.size());
  return r;
}

std::vector<Kind> kinds(const std::string& path, std::uint32_t rank) {
  const File file(path);
  Decoder decoder(file, rank);
  std::vector<Kind> found;
  for (Decoder::What what = decoder.next(); what != Decoder::What::End; what = decoder.next()) {
    if (what == Decoder::What::Operation) found.push_back(decoder.operation().kind);
  }
  return found;
}

using Kinds = std::vector<Kind>;

}  // namespace

TEST_CASE("messages that cross the edge of the time are left out on both sides") {
  Scene scene(2);
  scene.add(0, 10, message(Kind::Isend, 1));
  scene.add(0, 20, message(Kind::Isend, 1));
  scene.add(1, 15, message(Kind::Irecv, 0));
  scene.add(1, 25, message(Kind::Irecv, 0));
  // From 12 on: the first was sent before, the second lies inside.
  const Sliced sliced = scene.cut({.from_ns = 12});
  CHECK(sliced.messages_left_out == 1);
  CHECK(kinds(scene.out.path, 0) == Kinds{Kind::Isend, Kind::Finalize});
  CHECK(kinds(scene.out.path, 1) == Kinds{Kind::Irecv, Kind::Finalize});
  CHECK(sliced.obstacles.empty());
}

TEST_CASE("a receive of any source keeps the message that it took") {
  Scene scene(3);
  scene.add(1, 5, message(Kind::Isend, 0));   // before
  scene.add(2, 15, message(Kind::Isend, 0));  // inside
  orrery_trace_record receive = message(Kind::Irecv, op::any_source);
  receive.flags |= op::WantsMatch;
  scene.add(0, 16, receive);
  scene.answered(0, {.source = 1});
  scene.add(0, 17, receive);
  scene.answered(0, {.source = 2});
  const Sliced sliced = scene.cut({.from_ns = 12});
  CHECK(sliced.messages_left_out == 1);
  CHECK(kinds(scene.out.path, 0) == Kinds{Kind::Irecv, Kind::Finalize});
  CHECK(kinds(scene.out.path, 2) == Kinds{Kind::Isend, Kind::Finalize});
}

TEST_CASE("waits keep the requests that began inside") {
  Scene scene(2);
  scene.add(0, 5, message(Kind::Isend, 1, 1));
  scene.add(1, 5, message(Kind::Irecv, 0));
  scene.add(0, 15, message(Kind::Isend, 1, 2));
  scene.add(1, 16, message(Kind::Irecv, 0));
  const std::vector<std::uint32_t> both{1, 2}, first{1};
  scene.add(0, 17, wait_for(both));
  scene.add(0, 18, wait_for(first));
  scene.cut({.from_ns = 12});
  CHECK(kinds(scene.out.path, 0) == Kinds{Kind::Isend, Kind::WaitAll, Kind::Finalize});
  const File file(scene.out.path);
  Decoder decoder(file, 0);
  decoder.next();
  decoder.next();
  REQUIRE(decoder.operation().requests.size() == 1);
  CHECK(decoder.operation().requests[0] == 2);
}

TEST_CASE("collective calls are kept that all members made inside, and computation always") {
  Scene scene(2);
  for (std::int32_t call = 0; call < 2; ++call) {
    orrery_trace_record barrier = plain(Kind::Collective, call);
    barrier.compute_s = 0.5;
    scene.add(0, 10 + 10 * call, barrier);
    scene.add(1, 14 + 10 * call, barrier);
  }
  const Sliced sliced = scene.cut({.from_ns = 12});
  CHECK(sliced.collectives_left_out == 1);
  CHECK(kinds(scene.out.path, 0) == Kinds{Kind::Collective, Kind::Finalize});
  CHECK(kinds(scene.out.path, 1) == Kinds{Kind::Collective, Kind::Finalize});
  const File file(scene.out.path);
  Decoder decoder(file, 1);
  decoder.next();
  CHECK(decoder.operation().compute_s == 1);  // of both
}

TEST_CASE("ranks that are not wanted do nothing") {
  Scene scene(3);
  scene.add(0, 10, message(Kind::Isend, 1));
  scene.add(0, 11, message(Kind::Isend, 2));
  scene.add(1, 12, message(Kind::Irecv, 0));
  scene.add(2, 13, message(Kind::Irecv, 0));
  const Sliced sliced = scene.cut({.ranks = {0, 1}});
  CHECK(sliced.messages_left_out == 1);
  CHECK(kinds(scene.out.path, 0) == Kinds{Kind::Isend, Kind::Finalize});
  CHECK(kinds(scene.out.path, 2).empty());
  CHECK(File(scene.out.path).damage().empty());
}

TEST_CASE("locks that are held at the end are given back, and none that was not taken") {
  Scene scene(2);
  scene.add(0, 10, message(Kind::Lock, 1));
  scene.add(0, 20, message(Kind::Unlock, 1));
  scene.add(0, 30, message(Kind::Lock, 1));
  scene.add(0, 40, message(Kind::Unlock, 1));
  scene.add(1, 10, plain(Kind::Clock));
  scene.cut({.from_ns = 15, .to_ns = 35});
  CHECK(kinds(scene.out.path, 0) == Kinds{Kind::Lock, Kind::Unlock, Kind::Finalize});
}

TEST_CASE("what cannot be replayed says why") {
  Scene scene(2);
  scene.add(0, 10, plain(Kind::Service));
  CHECK(scene.cut({.ranks = {0}}).obstacles == std::vector<std::string>{"ranks are started in it"});
  CHECK(File(scene.out.path).property("replayable") == "no: ranks are started in it");
}

TEST_CASE("a trace without times is not cut in time") {
  const TemporaryFile in, out;
  orrery_trace_writer* writer = orrery_trace_create(in.path.c_str(), 1);
  orrery_trace_stream* stream = orrery_trace_open_stream(writer, 0);
  orrery_trace_record record = plain(Kind::Clock);
  record.begin_ns = record.end_ns = -1;
  orrery_trace_operation(stream, &record);
  orrery_trace_close_stream(stream, 1);
  orrery_trace_close(writer);
  CHECK_THROWS_AS(slice(File(in.path), out.path, {.from_ns = 5}), InputError);
}

TEST_CASE("a slice has no more streams than the file, however many ranks that speaks of") {
  const TemporaryFile few, out;
  constexpr std::uint32_t ranks = 30000;
  orrery_trace_writer* const writer = orrery_trace_create(few.path.c_str(), ranks);
  for (const std::uint32_t rank : {0u, ranks - 1}) {
    orrery_trace_stream* const stream = orrery_trace_open_stream(writer, rank);
    const orrery_trace_record finalize = plain(Kind::Finalize);
    orrery_trace_operation(stream, &finalize);
    orrery_trace_close_stream(stream, 1);
  }
  orrery_trace_close(writer);
  slice(File(few.path), out.path, {});
  const File cut(out.path);
  CHECK(cut.streams() == ranks);
  CHECK(cut.cut_off().size() == ranks - 2);
  CHECK(cut.size() < 1000);
}

TEST_CASE("a list that a damaged file gives a phase is not read when the slice begins it anew") {
  Scene scene(1);
  const std::vector<std::uint32_t> few{3}, many(100, 7);
  orrery_trace_record phase = wait_for(few);
  phase.kind = static_cast<std::uint8_t>(Kind::PhaseBegin);
  scene.add(0, 1, phase);
  scene.add(0, 2, wait_for(many));  // the decoder keeps this list where the other one was, or elsewhere
  scene.add(0, 15, plain(Kind::Nothing));
  scene.cut({.from_ns = 12});
  const File file(scene.out.path);
  Decoder decoder(file, 0);
  REQUIRE(decoder.next() == Decoder::What::Operation);
  CHECK(decoder.operation().kind == Kind::PhaseBegin);
  CHECK(decoder.operation().requests.empty());
}
