// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/timeline.hpp"

#include <deque>
#include <fstream>

#include "base/error.hpp"
#include "catch.hpp"
#include "timeline/events.hpp"
#include "trace/trace.test.hpp"

using namespace orrery;
using namespace orrery::timeline;
using namespace orrery::trace::testing;
using op::Kind;

namespace {

/// Streams whose operations are calls of their own, with the times that are given.
class Scene {
 public:
  explicit Scene(std::uint32_t ranks) : writer_(orrery_trace_create(file_.path.c_str(), ranks)) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) streams_.push_back(orrery_trace_open_stream(writer_, rank));
  }

  Scene& add(std::size_t rank, std::int64_t begin_ns, std::int64_t end_ns, orrery_trace_record record) {
    record.flags |= op::FirstOfCall;
    record.begin_ns = begin_ns;
    record.end_ns = end_ns;
    orrery_trace_operation(streams_[rank], &record);
    return *this;
  }
  Scene& answered(std::size_t rank, orrery_trace_answer answer) {
    orrery_trace_answered(streams_[rank], &answer);
    return *this;
  }
  /// A part of the call before, with times of its own.
  Scene& part(std::size_t rank, std::int64_t begin_ns, std::int64_t end_ns, orrery_trace_record record) {
    record.begin_ns = begin_ns;
    record.end_ns = end_ns;
    orrery_trace_operation(streams_[rank], &record);
    return *this;
  }
  /// A part of the call before.
  Scene& also(std::size_t rank, orrery_trace_record record) {
    record.end_ns = -1;
    orrery_trace_operation(streams_[rank], &record);
    return *this;
  }
  const std::string& write(int whole = 1) {
    for (orrery_trace_stream* stream : streams_) orrery_trace_close_stream(stream, whole);
    orrery_trace_close(writer_);
    return file_.path;
  }
  Timeline read(const Limits& limits = {}) { return timeline::read(trace::File(write()), limits); }

 private:
  TemporaryFile file_;
  orrery_trace_writer* writer_;
  std::vector<orrery_trace_stream*> streams_;
};

orrery_trace_record of(Kind kind, std::uint16_t routine) {
  orrery_trace_record r{};
  r.kind = static_cast<std::uint8_t>(kind);
  r.routine = routine;
  return r;
}

constexpr std::uint16_t in_send = 1, in_recv = 2, in_wait = 3, in_collective = 4;

orrery_trace_record send(std::int32_t to, std::uint32_t request = 0, std::int32_t tag = 0, std::int64_t bytes = 8) {
  orrery_trace_record r = of(Kind::Isend, in_send);
  r.peer = to;
  r.tag = tag;
  r.bytes = bytes;
  r.request = request;
  r.flags = request == 0 ? op::Blocking : 0;
  return r;
}

orrery_trace_record receive(std::int32_t from, std::uint32_t request = 0, std::int32_t tag = 0) {
  orrery_trace_record r = send(from, request, tag);
  r.kind = static_cast<std::uint8_t>(Kind::Irecv);
  r.routine = in_recv;
  if (from < 0 || tag == op::any_tag) r.flags |= op::WantsMatch;
  return r;
}

orrery_trace_record wait_for(std::initializer_list<std::uint32_t> requests) {
  static std::deque<std::vector<std::uint32_t>> lists;
  lists.emplace_back(requests);
  orrery_trace_record r = of(Kind::WaitAll, in_wait);
  r.requests = lists.back().data();
  r.requests_length = static_cast<std::uint32_t>(lists.back().size());
  return r;
}

orrery_trace_record match(std::uint32_t request) {
  orrery_trace_record r = of(Kind::Match, in_wait);
  r.request = request;
  return r;
}

orrery_trace_record collective(op::CollectiveKind kind, std::int32_t call, std::int32_t root = 0) {
  orrery_trace_record r = of(Kind::Collective, in_collective);
  r.collective = static_cast<std::uint8_t>(kind);
  r.flags = op::Blocking;
  r.tag = call;
  r.peer = root;
  return r;
}

orrery_trace_answer took(std::int32_t source, std::int32_t tag, std::uint32_t sequence = 0) {
  orrery_trace_answer answer{};
  answer.flag = 1;
  answer.source = source;
  answer.tag = tag;
  answer.sequence = sequence;
  return answer;
}

/// All waits of a rank: `causes` sums.
std::vector<std::int64_t> waited(const Timeline& timeline, std::uint32_t rank) {
  std::vector<std::int64_t> sums(causes, 0);
  for (const WaitSum& sum : timeline.wait_sums)
    if (sum.rank == rank) sums[static_cast<std::size_t>(sum.cause)] += sum.total_ns;
  return sums;
}

using Sums = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a receiver that is there before its sender waits for it until the send begins") {
  Scene scene(2);
  scene.add(0, 70, 80, send(1)).add(1, 20, 100, receive(0));
  const Timeline timeline = scene.read();
  CHECK(waited(timeline, 1) == Sums{50, 0, 0});  // from 20 to 70; the rest is the transfer
  CHECK(waited(timeline, 0) == Sums{0, 0, 0});
  CHECK(timeline.caused_ns == Sums{50, 0});
  REQUIRE(timeline.longest.size() == 1);
  CHECK(timeline.longest[0].by == 0);
  CHECK(timeline.longest[0].routine == in_recv);
  REQUIRE(timeline.sent.size() == 1);
  CHECK(timeline.sent[0].begin_ns == 70);
  CHECK(timeline.sent[0].end_ns == 100);
  // The path: rank 0 computes up to 70, then rank 1 receives.
  REQUIRE(timeline.path.segments.size() == 2);
  CHECK(timeline.path.segments[0].rank == 0);
  CHECK(timeline.path.segments[0].state == State::Compute);
  CHECK(timeline.path.segments[0].end_ns == 70);
  CHECK(timeline.path.segments[1].rank == 1);
  CHECK(timeline.path.segments[1].routine == in_recv);
  CHECK(timeline.path.by_rank_ns == Sums{70, 30});
}

TEST_CASE("a sender that is there before its receiver waits for it until the receive is posted") {
  Scene scene(2);
  scene.add(0, 10, 90, send(1)).add(1, 60, 90, receive(0));
  const Timeline timeline = scene.read();
  CHECK(waited(timeline, 0) == Sums{0, 50, 0});
  CHECK(waited(timeline, 1) == Sums{0, 0, 0});
}

TEST_CASE("a send of a size that was seen to be over before its receive waits for nobody") {
  Scene scene(2);
  scene.add(0, 10, 12, send(1, 0, 0, 100)).add(1, 20, 25, receive(0));
  scene.add(0, 30, 60, send(1, 0, 0, 100)).add(1, 40, 70, receive(0));    // as long as that one is busy otherwise
  scene.add(0, 80, 120, send(1, 0, 0, 200)).add(1, 90, 120, receive(0));  // a larger one may wait
  CHECK(waited(scene.read(), 0) == Sums{0, 10, 0});
}

TEST_CASE("a wait is blamed on the last of those that it needed") {
  Scene scene(3);
  scene.add(2, 0, 1, receive(0, 1)).add(2, 1, 2, receive(1, 2)).add(2, 10, 95, wait_for({1, 2}));
  scene.add(0, 50, 55, send(2)).add(1, 80, 85, send(2));
  const Timeline timeline = scene.read();
  CHECK(waited(timeline, 2) == Sums{70, 0, 0});
  CHECK(timeline.caused_ns == Sums{0, 70, 0});
  REQUIRE(timeline.sent.size() == 2);
  CHECK(timeline.sent[0].end_ns == 95);  // the end of the wait, not of the receive
  CHECK(timeline.sent[1].end_ns == 95);
}

TEST_CASE("whom members of a collective wait for depends on what it does") {
  using op::CollectiveKind;
  struct Case {
    CollectiveKind kind;
    Sums by_rank;  // rank 0, the root, comes at 20, rank 1 at 0, rank 2 at 50; all end at 60
  };
  const Case cases[] = {{CollectiveKind::Barrier, {30, 50, 0}}, {CollectiveKind::Allreduce, {30, 50, 0}},
                        {CollectiveKind::Bcast, {0, 20, 0}},    {CollectiveKind::Scatterv, {0, 20, 0}},
                        {CollectiveKind::Reduce, {30, 0, 0}},   {CollectiveKind::Gather, {30, 0, 0}},
                        {CollectiveKind::Scan, {0, 0, 0}}};
  for (const Case& tried : cases) {
    Scene scene(3);
    scene.add(0, 20, 60, collective(tried.kind, 0)).add(1, 0, 60, collective(tried.kind, 0));
    scene.add(2, 50, 60, collective(tried.kind, 0));
    const Timeline timeline = scene.read();
    for (std::uint32_t rank = 0; rank < 3; ++rank) CHECK(waited(timeline, rank) == Sums{0, 0, tried.by_rank[rank]});
    CHECK(timeline.unknown.collectives == 0);
  }
}

TEST_CASE("receives of any source take what they were answered") {
  Scene scene(3);
  scene.add(1, 5, 6, send(0, 0, 7)).add(2, 30, 31, send(0, 0, 8));
  // Two that do not block: the first took the message of rank 2, as is told when it is over.
  scene.add(0, 0, 1, receive(op::any_source, 1, op::any_tag)).add(0, 1, 2, receive(1, 2, 7));
  scene.add(0, 10, 40, wait_for({1, 2})).also(0, match(1)).answered(0, took(2, 8));
  // One that blocks.
  scene.add(1, 50, 51, send(0, 0, 9)).add(0, 45, 60, receive(op::any_source, 0, op::any_tag));
  scene.answered(0, took(1, 9, 1));
  const Timeline timeline = scene.read();
  REQUIRE(timeline.sent.size() == 3);
  CHECK(timeline.sent[0].from == 1);
  CHECK(timeline.sent[1].from == 2);
  CHECK(timeline.sent[1].end_ns == 40);
  CHECK(timeline.sent[2].end_ns == 60);
  CHECK(waited(timeline, 0) == Sums{20 + 5, 0, 0});  // 10 to 30 for rank 2, 45 to 50 for rank 1
  CHECK(timeline.unknown.sends + timeline.unknown.receives == 0);
}

TEST_CASE("a specific receive behind one of any source gets what that one leaves") {
  Scene scene(2);
  scene.add(1, 1, 2, send(0, 0, 3, 100)).add(1, 2, 3, send(0, 0, 3, 200));
  scene.add(0, 5, 6, receive(op::any_source, 1, 3)).add(0, 6, 7, receive(1, 2, 3));
  scene.add(0, 10, 11, wait_for({1})).also(0, match(1)).answered(0, took(1, 3));
  scene.add(0, 20, 21, wait_for({2}));
  const Timeline timeline = scene.read();
  REQUIRE(timeline.sent.size() == 2);
  CHECK(timeline.sent[0].bytes == 100);
  CHECK(timeline.sent[0].end_ns == 11);
  CHECK(timeline.sent[1].end_ns == 21);
}

TEST_CASE("a message that a probe took out goes to the receive that names it") {
  Scene scene(2);
  scene.add(1, 20, 21, send(0, 0, 3)).add(1, 30, 31, send(0, 0, 3));
  orrery_trace_record probe = of(Kind::Probe, in_recv);
  probe.peer = op::any_source;
  probe.tag = op::any_tag;
  probe.flags = op::Take;
  scene.add(0, 0, 25, probe).answered(0, took(1, 3, 4));
  scene.add(0, 40, 45, receive(1, 0, 3));  // the second
  orrery_trace_record taken = receive(1, 0, 3);
  taken.flags |= op::Take;
  taken.element = 4;
  scene.add(0, 50, 55, taken);
  const Timeline timeline = scene.read();
  REQUIRE(timeline.sent.size() == 2);
  CHECK(timeline.sent[0].end_ns == 55);
  CHECK(timeline.sent[1].end_ns == 45);
  CHECK(waited(timeline, 0) == Sums{20, 0, 0});  // in the probe
}

TEST_CASE("partitions of a send are one message, which begins with the last of them") {
  Scene scene(2);
  orrery_trace_record join = of(Kind::Join, in_send);
  join.request = 1;
  join.bytes = 2;
  orrery_trace_record part = send(1, 1, 5, 50);
  part.kind = static_cast<std::uint8_t>(Kind::Psend);
  orrery_trace_record whole = receive(0, 9, 5);
  whole.kind = static_cast<std::uint8_t>(Kind::Precv);
  for (std::int64_t ns : {0, 100}) {
    scene.add(0, ns, ns + 1, join).add(0, ns + 10, ns + 11, part).add(0, ns + 30, ns + 31, part);
    scene.add(0, ns + 40, ns + 41, wait_for({1}));
    scene.add(1, ns + 5, ns + 6, whole).add(1, ns + 20, ns + 60, wait_for({9}));
  }
  const Timeline timeline = scene.read();
  REQUIRE(timeline.sent.size() == 2);
  CHECK(timeline.sent[0].begin_ns == 30);
  CHECK(timeline.sent[0].bytes == 100);
  CHECK(timeline.sent[1].end_ns == 160);
  CHECK(waited(timeline, 1) == Sums{20, 0, 0});  // twice from 20 to 30
}

TEST_CASE("the critical path goes through a chain of three ranks") {
  Scene scene(3);
  scene.add(0, 100, 110, send(1));
  scene.add(1, 10, 120, receive(0)).add(1, 200, 210, send(2));
  scene.add(2, 50, 230, receive(1)).add(2, 300, 310, of(Kind::Finalize, 9));
  const Path path = scene.read().path;
  // Rank 0 computes until 100; rank 1 receives until 120, computes until 200; rank 2 receives until 230, computes until
  // 300, and ends.
  REQUIRE(path.segments.size() == 6);
  const std::vector<std::uint32_t> ranks{0, 1, 1, 2, 2, 2};
  const Sums ends{100, 120, 200, 230, 300, 310};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(path.segments[i].rank == ranks[i]);
    CHECK(path.segments[i].end_ns == ends[i]);
  }
  CHECK(path.by_state_ns[static_cast<std::size_t>(State::Compute)] == 250);
  CHECK(path.by_state_ns[static_cast<std::size_t>(State::Receive)] == 50);
  CHECK(path.by_rank_ns == Sums{100, 100, 110});
  CHECK(path.changes == 2);
}

TEST_CASE("of too many events those around the critical path and the longest waits are kept") {
  Scene scene(4);
  for (std::int64_t i = 0; i < 100; ++i) {
    const std::int64_t ns = 100 * i;
    scene.add(0, ns + 50, ns + 55, send(1)).add(1, ns + 10, ns + 60, receive(0));
    scene.add(2, ns + 10, ns + 11, send(3)).add(3, ns + 10, ns + 12, receive(2));  // nobody waits
  }
  const std::string path = scene.write();
  const trace::File file(path);
  const Timeline all = timeline::read(file);
  CHECK(all.complete);
  CHECK(all.intervals.size() == 400);
  CHECK(all.sent.size() == 200);
  const Timeline some = timeline::read(file, {.events = 80, .waits = 3});
  CHECK_FALSE(some.complete);
  CHECK(some.intervals.size() == 60);
  CHECK(some.sent.size() == 20);
  for (const Interval& interval : some.intervals) CHECK(interval.rank < 2);
  CHECK(some.calls == 400);
  CHECK(some.messages == 200);
  CHECK(some.longest.size() == 3);
  // The path is the same, with its segments joined.
  CHECK(some.path.by_state_ns == all.path.by_state_ns);
  CHECK(some.path.by_rank_ns == all.path.by_rank_ns);
  CHECK(some.path.segments.size() + some.path.joined == all.path.segments.size());
}

TEST_CASE("intervals of a call with several operations are one, with the algorithm of a collective") {
  Scene scene(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    const auto self = static_cast<std::size_t>(rank);
    scene.add(self, 10, 50, receive(1 - rank, 1)).also(self, send(1 - rank, 2)).also(self, wait_for({1, 2}));
    orrery_trace_record barrier = collective(op::CollectiveKind::Barrier, 0);
    barrier.ran = 3;
    scene.add(self, 60, 70, barrier);
  }
  const Timeline timeline = scene.read();
  REQUIRE(timeline.intervals.size() == 4);
  CHECK(timeline.intervals[0].end_ns == 50);
  CHECK(timeline.intervals[1].ran == 3);
  CHECK(timeline.intervals[1].state == State::Collective);
  CHECK(timeline.sent.size() == 2);
}

TEST_CASE("what has no other side is counted") {
  Scene scene(2);
  scene.add(0, 0, 5, send(1))
      .add(1, 0, 5, receive(0, 0, 99))
      .add(0, 10, 20, collective(op::CollectiveKind::Barrier, 0));
  const Unknown unknown = scene.read().unknown;
  CHECK(unknown.sends == 1);
  CHECK(unknown.receives == 1);
  CHECK(unknown.collectives == 1);
}

TEST_CASE("a trace that was cut off gives what is there") {
  Scene scene(2);
  for (std::int64_t i = 0; i < 20'000; ++i) {
    scene.add(0, 100 * i + 50, 100 * i + 55, send(1, 0, static_cast<std::int32_t>(i % 977)));
    scene.add(1, 100 * i + 10, 100 * i + 60, receive(0, 0, static_cast<std::int32_t>(i % 977)));
  }
  const std::string& path = scene.write();
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  for (const std::size_t part : {2, 3, 10}) {
    const TemporaryFile cut(bytes.substr(0, bytes.size() - bytes.size() / part));
    const trace::File file(cut.path);
    if (file.records() == 0) continue;
    const Timeline timeline = timeline::read(file);
    CHECK_FALSE(timeline.cut_off.empty());
    CHECK(timeline.operations < 40'000);
    CHECK(timeline.messages + timeline.unknown.sends + timeline.unknown.receives > 0);
  }
}

TEST_CASE("drawn operations, which make no sense, give a timeline all the same") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const TemporaryFile out;
    orrery_trace_writer* writer = orrery_trace_create(out.path.c_str(), 3);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      orrery_trace_stream* stream = orrery_trace_open_stream(writer, rank);
      for (const Owned& owned : random_operations(seed * 3 + rank, 2000)) {
        const orrery_trace_record record = owned.view();
        orrery_trace_operation(stream, &record);
        const orrery_trace_answer answer = took(static_cast<std::int32_t>(seed % 4), 1);
        if (record.kind % 3 == 0) orrery_trace_answered(stream, &answer);
      }
      orrery_trace_close_stream(stream, 1);
    }
    orrery_trace_close(writer);
    const Timeline timeline = timeline::read(trace::File(out.path), {.cells = 1000, .events = 500});
    CHECK(timeline.operations == 6000);
    std::int64_t whole = 0;
    for (const std::int64_t ns : timeline.path.by_rank_ns) whole += ns;
    CHECK(whole == timeline.end_ns);
  }
}

TEST_CASE("a message names the operations that sent, received and completed it") {
  Scene scene(2);
  scene.add(0, 0, 10, send(1, 7)).add(0, 20, 30, wait_for({7}));
  scene.add(1, 0, 5, receive(0, 9)).add(1, 5, 6, receive(0, 0, 99)).add(1, 6, 40, wait_for({9}));
  const std::vector<Message> found = messages(trace::File(scene.write()));
  REQUIRE(found.size() == 1);
  CHECK(found[0].sent_by == 0);
  CHECK(found[0].received_by == 0);
  CHECK(found[0].completed_by == 2);  // the wait is the third operation of its rank
  CHECK(found[0].end_ns == 40);
  CHECK(found[0].timed);
}

TEST_CASE("operations of a call that have the same times begin and end together") {
  Scene scene(2);
  orrery_trace_record sent = send(1, 2), waited = wait_for({1, 2});
  sent.routine = waited.routine = in_recv;
  for (const std::size_t rank : {0, 1}) {
    sent.peer = rank == 0 ? 1 : 0;
    scene.add(rank, 10, 30, receive(sent.peer, 1)).part(rank, 10, 30, sent).part(rank, 10, 30, waited);
  }
  const std::vector<Message> found = messages(trace::File(scene.write()));
  REQUIRE(found.size() == 2);
  for (const Message& message : found) CHECK((message.begin_ns == 10 && message.end_ns == 30));
}

TEST_CASE("operations of a call that follow each other are one event, and those of the next call another") {
  Scene scene(1);
  scene.add(0, 10, 20, send(0, 1)).also(0, receive(0, 2)).also(0, wait_for({1, 2}));
  scene.add(0, 20, 30, send(0)).add(0, 30, 35, of(Kind::Nothing, 0)).add(0, 40, 45, send(0));
  scene.add(0, 50, 60, of(Kind::Sleep, 0));
  const trace::File file(scene.write());
  Events events(file, 0);
  const std::vector<Event> first = events.next(1), others = events.next(9);
  REQUIRE(first.size() == 1);
  CHECK((first[0].begin_ns == 10 && first[0].end_ns == 20));
  CHECK((first[0].number == 0 && first[0].behind == 3));
  REQUIRE(others.size() == 3);  // what is outside of MPI is none, but for sleeps
  CHECK((others[2].routine == 0 && others[2].begin_ns == 50));
  CHECK((others[0].number == 3 && others[0].behind == 4));
  CHECK((others[1].number == 5 && others[1].behind == 6));
  CHECK(events.next(9).empty());
}

TEST_CASE("all waits are told, by rank and begin") {
  Scene scene(2);
  scene.add(0, 40, 45, send(1)).add(0, 60, 90, receive(1));
  scene.add(1, 0, 50, receive(0)).add(1, 80, 85, send(0));
  const std::vector<Wait> all = waits(trace::File(scene.write()));
  REQUIRE(all.size() == 2);
  CHECK((all[0].rank == 0 && all[0].begin_ns == 60 && all[0].end_ns == 80 && all[0].by == 1));
  CHECK((all[1].rank == 1 && all[1].begin_ns == 0 && all[1].end_ns == 40 && all[1].by == 0));
  CHECK((all[0].cause == Cause::LateSender && all[1].cause == Cause::LateSender));
}

TEST_CASE("levels reach as far as they are told, so that those of two traces have equal buckets") {
  const auto levels = [](std::int64_t end_ns) {
    Scene scene(1);
    scene.add(0, 0, end_ns, of(Kind::Nothing, 0));
    return scene.read({.cells = 64, .axis_ns = 1'000'000}).levels;
  };
  const std::vector<Level> of_short = levels(1'000), of_long = levels(900'000);
  REQUIRE(of_short.size() == of_long.size());
  for (std::size_t i = 0; i < of_short.size(); ++i) {
    CHECK(of_short[i].bucket_ns == of_long[i].bucket_ns);
    CHECK(of_short[i].buckets == of_long[i].buckets);
    CHECK(of_short[i].bucket_ns * of_short[i].buckets >= 1'000'000);
  }
}

TEST_CASE("reading ends when it is told to") {
  Scene scene(1);
  scene.add(0, 0, 1, send(0));
  const std::atomic<bool> stop{true};
  const trace::File file(scene.write());
  CHECK_THROWS_AS(timeline::read(file, {}, &stop), Interrupted);
  CHECK_THROWS_AS(messages(file, &stop), Interrupted);
}

TEST_CASE("a trace without times is refused with what to do") {
  Scene scene(1);
  scene.also(0, send(0));
  const std::string& path = scene.write();
  try {
    (void)timeline::read(trace::File(path));
    FAIL("it was taken");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("does not say when anything happened") != std::string::npos);
    CHECK(std::string(error.what()).find("orrery replay") != std::string::npos);
  }
}
