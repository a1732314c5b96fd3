// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "collective/collective.hpp"
#include "python/bind.hpp"
#include "python/trace_writer.hpp"
#include "trace/copy.hpp"
#include "trace/record.hpp"
#include "trace/slice.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

/// A trace as Python writes it, from what it reads in other formats.
class TraceWriter {
 public:
  TraceWriter(const std::string& path, std::uint32_t ranks) : file_(path, ranks), streams_(ranks) {}
  ~TraceWriter() {
    for (orrery_trace_stream* stream : streams_) {
      if (stream != nullptr) orrery_trace_close_stream(stream, 0);
    }
  }
  TraceWriter(const TraceWriter&) = delete;

  [[nodiscard]] orrery_trace_writer* file() const { return file_.writer(); }

  orrery_trace_stream* stream(std::uint32_t rank) {
    if (rank >= streams_.size()) throw InputError(concat("there is no rank ", rank, " of ", streams_.size()));
    if (streams_[rank] == nullptr) streams_[rank] = orrery_trace_open_stream(file(), rank);
    if (streams_[rank] == nullptr) throw InputError("there is not enough memory to write the trace");
    return streams_[rank];
  }

  void end(std::uint32_t rank, bool complete) {
    orrery_trace_close_stream(stream(rank), complete ? 1 : 0);
    streams_[rank] = nullptr;
  }

  void close() {
    for (std::uint32_t rank = 0; rank < streams_.size(); ++rank) {
      if (streams_[rank] != nullptr) end(rank, false);
    }
    file_.close();
  }

 private:
  trace::NewFile file_;
  std::vector<orrery_trace_stream*> streams_;
};

static void write_operation(TraceWriter& self, std::uint32_t rank, int kind, op::RoutineId routine, int flags, int mode,
                            std::string_view collective, std::int32_t peer, std::int32_t tag, op::CommId comm,
                            op::RequestId request, double compute_s, std::int64_t bytes, std::int64_t element,
                            const std::vector<op::RequestId>& requests, const std::vector<std::int64_t>& counts,
                            std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t site, std::uint32_t faults,
                            std::uint64_t instructions, std::uint16_t warm) {
  op::Operation operation{.kind = static_cast<op::Kind>(kind),
                          .mode = static_cast<op::Mode>(mode),
                          .flags = static_cast<std::uint8_t>(flags),
                          .routine = routine,
                          .peer = peer,
                          .tag = tag,
                          .comm = comm,
                          .request = request,
                          .compute_s = compute_s,
                          .measured = {.site = site, .faults = faults, .instructions = instructions, .warm = warm},
                          .bytes = {bytes},
                          .element = element,
                          .requests = requests,
                          .counts = counts};
  if (!collective.empty()) {
    const auto found = collective::kind_named(collective);
    if (!found) throw InputError(concat("there is no collective named \"", collective, "\""));
    operation.collective = *found;
  }
  const orrery_trace_record record =
      trace::record_of(operation, {.site = site, .begin_ns = begin_ns, .end_ns = end_ns});
  orrery_trace_operation(self.stream(rank), &record);
}

static void write_answer(TraceWriter& self, std::uint32_t rank, bool flag, std::int32_t source, std::int32_t tag,
                         std::int64_t bytes, const std::vector<std::uint32_t>& completed) {
  const orrery_trace_answer answer =
      trace::answer_of({.flag = flag, .source = source, .tag = tag, .bytes = {bytes}, .completed = completed});
  orrery_trace_answered(self.stream(rank), &answer);
}

static void bind_slice(nb::module_& m) {
  using trace::Sliced;
  nb::class_<Sliced>(m, "SlicedTrace", "What came of cutting a piece out of a trace.")
      .def_ro("operations", &Sliced::operations)
      .def_ro("messages_left_out", &Sliced::messages_left_out, "Sends and receives whose other side is outside.")
      .def_ro("collectives_left_out", &Sliced::collectives_left_out, "Calls that not all members made inside.")
      .def_ro("obstacles", &Sliced::obstacles, "Why the slice cannot be replayed; empty: it can.");
  m.def(
      "slice_trace",
      [](const trace::File& file, const std::string& path, std::vector<std::uint32_t> ranks,
         std::optional<double> from_s, std::optional<double> to_s) {
        nb::gil_scoped_release released;
        const auto ns = [](double s) { return static_cast<std::int64_t>(std::llround(std::min(s * 1e9, 9e18))); };
        trace::Window window{.ranks = std::move(ranks)};
        if (from_s) window.from_ns = ns(*from_s);
        if (to_s) window.to_ns = ns(*to_s);
        return trace::slice(file, path, window);
      },
      "file"_a, "path"_a, "ranks"_a = std::vector<std::uint32_t>{}, "from_s"_a = nb::none(), "to_s"_a = nb::none(),
      "Writes what `ranks` (increasing; none: all) began from `from_s` on and before `to_s` as a trace of its own.");
}

void bind_trace_writer(nb::module_& m) {
  nb::class_<TraceWriter>(m, "TraceWriter", "A new trace. What is not closed is one that was cut off.")
      .def(nb::init<const std::string&, std::uint32_t>(), "path"_a, "ranks"_a)
      .def(
          "property",
          [](TraceWriter& self, const std::string& key, const std::string& value) {
            orrery_trace_property(self.file(), key.c_str(), value.c_str());
          },
          "key"_a, "value"_a, "Where the trace comes from: `program`, `source`, `date`, what you like.")
      .def(
          "names",
          [](TraceWriter& self, int table, std::uint32_t first, const std::vector<std::string>& names) {
            std::vector<const char*> texts;
            for (const std::string& name : names) texts.push_back(name.c_str());
            orrery_trace_names(self.file(), static_cast<orrery_trace_table>(table), first, texts.data(),
                               static_cast<std::uint32_t>(texts.size()));
          },
          "table"_a, "first"_a, "names"_a, "Names the numbers from `first` on in a table (docs/trace-format.md).")
      .def(
          "communicator",
          [](TraceWriter& self, std::uint32_t number, const std::vector<std::int32_t>& members,
             std::uint32_t first_group) {
            orrery_trace_communicator(self.file(), number, first_group, members.data(),
                                      static_cast<std::uint32_t>(members.size()));
          },
          "number"_a, "members"_a, "first_group"_a = 0,
          "World ranks of the members, by rank; of an inter-communicator first those of one group.")
      .def("operation", &write_operation, "rank"_a, "kind"_a, nb::kw_only(), "routine"_a = 0, "flags"_a = 0,
           "mode"_a = 0, "collective"_a = "", "peer"_a = 0, "tag"_a = 0, "comm"_a = 0, "request"_a = 0,
           "compute_s"_a = 0.0, "bytes"_a = 0, "element"_a = 0, "requests"_a = std::vector<op::RequestId>{},
           "counts"_a = std::vector<std::int64_t>{}, "begin_ns"_a = -1, "end_ns"_a = -1, "site"_a = 0, "faults"_a = 0,
           "instructions"_a = 0, "warm"_a = 0,
           "The next of a rank; `kind`: position in operation_kinds(). `site`: where it was called, in the table of "
           "call\n"
           "sites; `faults`, `instructions`: page faults and instructions in the computation before it; `warm`: what\n"
           "part of its usual time its region takes with warm caches, in thousandths, from now on.")
      .def("answer", &write_answer, "rank"_a, "flag"_a = false, "source"_a = -1, "tag"_a = op::any_tag, "bytes"_a = 0,
           "completed"_a = std::vector<std::uint32_t>{}, "What the operation before was answered.")
      .def(
          "local_calls",
          [](TraceWriter& self, std::uint32_t rank,
             const std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>>& calls) {
            std::vector<orrery_trace_local_calls> rows;
            for (const auto& [routine, times, time_ns] : calls)
              rows.push_back({.phase = 0, .routine = routine, .calls = times, .time_ns = time_ns});
            orrery_trace_local(self.file(), rank, rows.data(), static_cast<std::uint32_t>(rows.size()));
          },
          "rank"_a, "calls"_a,
          "Calls of a rank that are no operations: routine, how many, ns in all of them. Without calls: what a call "
          "that "
          "is an\n"
          "operation took before the start of the run, or behind its end.")
      .def("end", &TraceWriter::end, "rank"_a, "complete"_a = true, "The rank does nothing more.")
      .def("close", &TraceWriter::close, "Raises InputError when something could not be written.");
  bind_slice(m);
}

}  // namespace orrery::python
