// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/timeline.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "python/bind.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using timeline::Interval;
using timeline::Level;
using timeline::Message;
using timeline::Segment;
using timeline::Timeline;
using timeline::Wait;

/// The values of a field in all rows, one after the other in memory.
template <class Row, class Value>
static nb::bytes field_of(const std::vector<Row>& rows, Value Row::*field) {
  std::vector<Value> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(row.*field);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

template <class Row, class... Value>
static auto fields_of(const std::vector<Row>& rows, Value Row::*... fields) {
  return std::make_tuple(field_of(rows, fields)...);
}

static auto levels(const Timeline& self) {
  std::vector<std::tuple<std::int64_t, std::uint32_t, nb::bytes>> levels;
  for (const Level& level : self.levels)
    levels.emplace_back(level.bucket_ns, level.buckets,
                        nb::bytes(reinterpret_cast<const char*>(level.cells.data()), level.cells.size() * 4));
  return levels;
}

static void bind_events(nb::class_<Timeline>& bound) {
  bound.def_prop_ro("levels", &levels, "Nanoseconds of a bucket, buckets of a rank, cells (u32); the finest first.")
      .def_prop_ro(
          "intervals",
          [](const Timeline& self) {
            return fields_of(self.intervals, &Interval::begin_ns, &Interval::end_ns, &Interval::bytes, &Interval::rank,
                             &Interval::comm, &Interval::routine, &Interval::ran, &Interval::state);
          },
          "Begin and end in ns (i64), bytes (i64), rank (u32), communicator (u32), routine (u16), algorithm (u16), "
          "state (u8).")
      .def_prop_ro(
          "sent",
          [](const Timeline& self) {
            return fields_of(self.sent, &Message::begin_ns, &Message::end_ns, &Message::bytes, &Message::from,
                             &Message::to, &Message::tag, &Message::comm);
          },
          "Begin and end in ns (i64), bytes (i64), from, to (u32), tag (i32), communicator (u32).")
      .def_prop_ro(
          "path",
          [](const Timeline& self) {
            return fields_of(self.path.segments, &Segment::begin_ns, &Segment::end_ns, &Segment::rank,
                             &Segment::routine, &Segment::state);
          },
          "Begin and end in ns (i64), rank (u32), routine (u16), state (u8).");
}

static void bind_sums(nb::class_<Timeline>& bound) {
  bound
      .def_prop_ro(
          "wait_sums",
          [](const Timeline& self) {
            std::vector<std::tuple<std::uint32_t, std::uint32_t, int, std::uint64_t, std::int64_t>> rows;
            for (const timeline::WaitSum& sum : self.wait_sums)
              rows.emplace_back(sum.rank, sum.routine, static_cast<int>(sum.cause), sum.waits, sum.total_ns);
            return rows;
          },
          "Rank, routine, cause, waits, nanoseconds.")
      .def_prop_ro(
          "longest",
          [](const Timeline& self) {
            std::vector<std::tuple<std::int64_t, std::int64_t, std::uint32_t, std::uint32_t, std::uint32_t, int>> rows;
            for (const Wait& wait : self.longest)
              rows.emplace_back(wait.begin_ns, wait.end_ns, wait.rank, wait.by, wait.routine,
                                static_cast<int>(wait.cause));
            return rows;
          },
          "Begin and end in ns, rank, for whom, routine, cause; the longest first.")
      .def_ro("caused_ns", &Timeline::caused_ns, "By rank: how long others waited for it.")
      .def_prop_ro(
          "path_by_state_ns",
          [](const Timeline& self) {
            return std::vector<std::int64_t>(self.path.by_state_ns.begin(), self.path.by_state_ns.end());
          },
          "By state.")
      .def_prop_ro(
          "path_by_rank_ns", [](const Timeline& self) { return self.path.by_rank_ns; }, "By rank.")
      .def_prop_ro(
          "path_changes", [](const Timeline& self) { return self.path.changes; },
          "How often the path goes from one rank to another.")
      .def_prop_ro(
          "path_joined", [](const Timeline& self) { return self.path.joined; },
          "Segments of the path that are part of a neighbour, as there were too many.")
      .def_prop_ro(
          "unknown",
          [](const Timeline& self) {
            return std::make_tuple(self.unknown.sends, self.unknown.receives, self.unknown.collectives,
                                   self.unknown.threads);
          },
          "Sends without a receive, receives without a send, collective calls without all members, operations of "
          "threads.");
}

void bind_timeline(nb::module_& m) {
  nb::class_<Timeline> bound(m, "TraceTimeline",
                             "What ranks did when, which messages went where, why ranks waited, the critical path.");
  bound
      .def(
          "__init__",
          [](Timeline* self, const std::string& path, std::size_t cells, std::size_t buckets, std::size_t events,
             std::size_t waits) {
            nb::gil_scoped_release released;
            new (self) Timeline(timeline::read(trace::File(path),
                                               {.cells = cells, .buckets = buckets, .events = events, .waits = waits}));
          },
          "path"_a, nb::kw_only(), "cells"_a = timeline::Limits{}.cells, "buckets"_a = timeline::Limits{}.buckets,
          "events"_a = timeline::Limits{}.events, "waits"_a = timeline::Limits{}.waits)
      .def_ro("ranks", &Timeline::ranks)
      .def_ro("end_ns", &Timeline::end_ns, "Of the last call.")
      .def_ro("operations", &Timeline::operations)
      .def_ro("calls", &Timeline::calls)
      .def_ro("messages", &Timeline::messages)
      .def_ro("complete", &Timeline::complete, "Whether `intervals` and `sent` are all that there are.")
      .def_ro("cut_off", &Timeline::cut_off, "Ranks whose streams do not come to their ends.");
  bind_events(bound);
  bind_sums(bound);
}

}  // namespace orrery::python
