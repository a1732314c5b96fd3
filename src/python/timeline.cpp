// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/timeline.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <type_traits>

#include "python/bind.hpp"
#include "python/interruptible.hpp"
#include "timeline/events.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

/// The values of a field in all rows, one after the other in memory.
template <class Row, class Value>
static nb::bytes bytes_of_field(const std::vector<Row>& rows, Value Row::*field) {
  using Kept = std::conditional_t<std::is_same_v<Value, bool>, std::uint8_t, Value>;  // bits of vector<bool> are packed
  std::vector<Kept> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(row.*field);
  return nb::bytes(values.data(), values.size() * sizeof(Kept));
}

template <class Row, class... Value>
static auto bytes_of_fields(const std::vector<Row>& rows, Value Row::*... fields) {
  return std::make_tuple(bytes_of_field(rows, fields)...);
}

/// Fields of messages as columns.
static auto message_columns(const std::vector<timeline::Message>& messages) {
  return bytes_of_fields(messages, &timeline::Message::begin_ns, &timeline::Message::end_ns, &timeline::Message::bytes,
                         &timeline::Message::from, &timeline::Message::to, &timeline::Message::tag,
                         &timeline::Message::comm, &timeline::Message::sent_by, &timeline::Message::received_by,
                         &timeline::Message::completed_by, &timeline::Message::timed);
}

static auto event_columns(const std::vector<timeline::Event>& events) {
  using Event = timeline::Event;
  return bytes_of_fields(events, &Event::begin_ns, &Event::end_ns, &Event::bytes, &Event::number, &Event::behind,
                         &Event::peer, &Event::tag, &Event::comm, &Event::routine, &Event::ran, &Event::kind,
                         &Event::collective, &Event::site);
}

static auto timeline_levels(const timeline::Timeline& self) {
  std::vector<std::tuple<std::int64_t, std::uint32_t, nb::bytes>> levels;
  for (const timeline::Level& level : self.levels)
    levels.emplace_back(level.bucket_ns, level.buckets, nb::bytes(level.cells.data(), level.cells.size() * 4));
  return levels;
}

static void bind_events(nb::class_<timeline::Timeline>& bound) {
  bound
      .def_prop_ro("levels", &timeline_levels,
                   "Nanoseconds of a bucket, buckets of a rank, cells (u32); the finest first.")
      .def_prop_ro(
          "intervals",
          [](const timeline::Timeline& self) {
            return bytes_of_fields(self.intervals, &timeline::Interval::begin_ns, &timeline::Interval::end_ns,
                                   &timeline::Interval::bytes, &timeline::Interval::rank, &timeline::Interval::comm,
                                   &timeline::Interval::routine, &timeline::Interval::ran, &timeline::Interval::state);
          },
          "Begin and end in ns (i64), bytes (i64), rank (u32), communicator (u32), routine (u16), algorithm (u16), "
          "state (u8).")
      .def_prop_ro(
          "sent", [](const timeline::Timeline& self) { return message_columns(self.sent); },
          "Begin and end in ns (i64), bytes (i64), from, to (u32), tag (i32), communicator (u32), and the "
          "numbers of operations in their streams (u64):\n"
          "that sent it, that posted the receive, after which the receive was over; whether the trace says when (u8).")
      .def_prop_ro(
          "path",
          [](const timeline::Timeline& self) {
            return bytes_of_fields(self.path.segments, &timeline::Segment::begin_ns, &timeline::Segment::end_ns,
                                   &timeline::Segment::rank, &timeline::Segment::routine, &timeline::Segment::state);
          },
          "Begin and end in ns (i64), rank (u32), routine (u16), state (u8).");
}

static void bind_sums(nb::class_<timeline::Timeline>& bound) {
  bound
      .def_prop_ro(
          "wait_sums",
          [](const timeline::Timeline& self) {
            std::vector<std::tuple<std::uint32_t, std::uint32_t, int, std::uint64_t, std::int64_t>> rows;
            for (const timeline::WaitSum& sum : self.wait_sums)
              rows.emplace_back(sum.rank, sum.routine, static_cast<int>(sum.cause), sum.waits, sum.total_ns);
            return rows;
          },
          "Rank, routine, cause, waits, nanoseconds.")
      .def_prop_ro(
          "longest",
          [](const timeline::Timeline& self) {
            std::vector<std::tuple<std::int64_t, std::int64_t, std::uint32_t, std::uint32_t, std::uint32_t, int>> rows;
            for (const timeline::Wait& wait : self.longest)
              rows.emplace_back(wait.begin_ns, wait.end_ns, wait.rank, wait.by, wait.routine,
                                static_cast<int>(wait.cause));
            return rows;
          },
          "Begin and end in ns, rank, for whom, routine, cause; the longest first.")
      .def_ro("caused_ns", &timeline::Timeline::caused_ns, "By rank: how long others waited for it.");
}

static void bind_path_sums(nb::class_<timeline::Timeline>& bound) {
  bound
      .def_prop_ro(
          "path_by_state_ns",
          [](const timeline::Timeline& self) {
            return std::vector<std::int64_t>(self.path.by_state_ns.begin(), self.path.by_state_ns.end());
          },
          "By state.")
      .def_prop_ro(
          "path_by_rank_ns", [](const timeline::Timeline& self) { return self.path.by_rank_ns; }, "By rank.")
      .def_prop_ro(
          "path_changes", [](const timeline::Timeline& self) { return self.path.changes; },
          "How often the path goes from one rank to another.")
      .def_prop_ro(
          "path_joined", [](const timeline::Timeline& self) { return self.path.joined; },
          "Segments of the path that are part of a neighbour, as there were too many.")
      .def_prop_ro(
          "unknown",
          [](const timeline::Timeline& self) {
            return std::make_tuple(self.unknown.sends, self.unknown.receives, self.unknown.collectives,
                                   self.unknown.threads);
          },
          "Sends without a receive, receives without a send, collective calls without all members, operations of "
          "threads.");
}

static void bind_all(nb::module_& m) {
  nb::class_<timeline::Events>(m, "TraceEvents", "The calls of one rank of a trace, in the order of time.")
      .def(nb::init<const trace::File&, std::uint32_t>(), "file"_a, "rank"_a, nb::keep_alive<1, 2>())
      .def(
          "read", [](timeline::Events& self, std::size_t most) { return event_columns(self.next(most)); }, "most"_a,
          "The next ones, at most so many; none: it is over. Columns: begin and end in ns (i64), bytes (i64), numbers "
          "of its first operation and of the first behind it (u64),\n"
          "peer, tag (i32), communicator (u32), routine, algorithm (u16), kind, collective (u8), call site (u32).");
  m.def("trace_end_ns", &timeline::end_of_run, "file"_a,
        "When the last call of a trace ends. Raises InputError when it does not say when anything happened.");
  m.def(
      "trace_waits",
      [](const trace::File& file) {
        std::atomic<bool> stop{false};
        using timeline::Wait;
        return bytes_of_fields(interruptible(stop, [&] { return timeline::waits(file, &stop); }), &Wait::begin_ns,
                               &Wait::end_ns, &Wait::rank, &Wait::by, &Wait::routine, &Wait::cause);
      },
      "file"_a,
      "All waits of a trace by rank and begin, as columns: begin and end in ns (i64), rank, for whom (u32), routine "
      "(u16), cause (u8). Ctrl-C ends it.");
  m.def(
      "trace_messages",
      [](const trace::File& file) {
        std::atomic<bool> stop{false};
        return message_columns(interruptible(stop, [&] { return timeline::messages(file, &stop); }));
      },
      "file"_a, "All messages of a trace by begin, as columns: those of TraceTimeline.sent. Ctrl-C ends it.");
}

void bind_timeline(nb::module_& m) {
  translate_interrupted<timeline::Interrupted>();
  bind_all(m);
  nb::class_<timeline::Timeline> bound(
      m, "TraceTimeline", "What ranks did when, which messages went where, why ranks waited, the critical path.");
  bound
      .def(
          "__init__",
          [](timeline::Timeline* self, const std::string& path, std::size_t cells, std::size_t buckets,
             std::size_t events, std::size_t waits, std::int64_t axis_ns) {
            const trace::File file(path);
            const timeline::Limits limits{
                .cells = cells, .buckets = buckets, .events = events, .waits = waits, .axis_ns = axis_ns};
            std::atomic<bool> stop{false};
            new (self) timeline::Timeline(interruptible(stop, [&] { return timeline::read(file, limits, &stop); }));
          },
          "path"_a, nb::kw_only(), "cells"_a = timeline::Limits{}.cells, "buckets"_a = timeline::Limits{}.buckets,
          "events"_a = timeline::Limits{}.events, "waits"_a = timeline::Limits{}.waits, "axis_ns"_a = 0)
      .def_ro("ranks", &timeline::Timeline::ranks)
      .def_ro("end_ns", &timeline::Timeline::end_ns, "End of the last call.")
      .def_ro("operations", &timeline::Timeline::operations)
      .def_ro("calls", &timeline::Timeline::calls)
      .def_ro("messages", &timeline::Timeline::messages)
      .def_ro("complete", &timeline::Timeline::complete, "Whether `intervals` and `sent` are all that there are.")
      .def_ro("cut_off", &timeline::Timeline::cut_off, "Ranks whose streams do not come to their ends.");
  bind_events(bound);
  bind_sums(bound);
  bind_path_sums(bound);
}

}  // namespace orrery::python
