// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "collective/collective.hpp"
#include "python/bind.hpp"
#include "trace/decoder.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using trace::File;

/// A stream of a trace as Python reads it, for dumps and exports.
struct TraceReader {
  const File& file;
  trace::Decoder decoder;

  TraceReader(const File& of, std::uint32_t rank) : file(of), decoder(of, rank) {}
};

/// One operation as a tuple: see TraceReader.read.
static nb::tuple operation_tuple(const TraceReader& self) {
  const op::Operation& o = self.decoder.operation();
  const trace::Beside& beside = self.decoder.beside();
  nb::list requests, counts;
  for (const op::RequestId id : o.requests) requests.append(id);
  for (const std::int64_t count : o.counts) counts.append(count);
  const std::string_view routine = self.file.name(ORRERY_TRACE_ROUTINES, o.routine);
  const std::string_view ran = self.file.name(ORRERY_TRACE_ALGORITHMS, beside.ran);
  const std::string_view site = self.file.name(ORRERY_TRACE_SITES, beside.site);
  return nb::make_tuple(static_cast<int>(o.kind), routine, static_cast<int>(o.flags), static_cast<int>(o.mode),
                        o.kind == op::Kind::Collective ? collective::name(o.collective) : std::string_view{}, o.peer,
                        o.tag, o.comm, o.request, o.compute_s, o.bytes.count, o.element, o.extent, requests, counts,
                        beside.begin_ns, beside.end_ns, ran, site);
}

static nb::object answer_tuple(const trace::Decoder& decoder) {
  const op::Reply& answer = decoder.answer();
  nb::list completed;
  for (const std::uint32_t position : answer.completed) completed.append(position);
  return nb::make_tuple(answer.flag, answer.source, answer.tag, answer.sequence, answer.bytes.count, answer.thread,
                        completed);
}

static nb::list read_records(TraceReader& self, std::size_t most) {
  nb::list records;
  while (records.size() < most) {
    const trace::Decoder::What what = self.decoder.next();
    if (what == trace::Decoder::What::End) break;
    if (what == trace::Decoder::What::Operation) {
      records.append(operation_tuple(self));
    } else {
      records.append(answer_tuple(self.decoder));
    }
  }
  return records;
}

void bind_trace_reader(nb::module_& m) {
  nb::class_<TraceReader>(m, "TraceReader", "The stream of one rank of a trace, record after record.")
      .def(nb::init<const File&, std::uint32_t>(), "file"_a, "rank"_a, nb::keep_alive<1, 2>())
      .def(
          "read", &read_records, "most"_a, nb::sig("def read(self, most: int) -> list[tuple[typing.Any, ...]]"),
          "The next records, at most so many; none: the stream is over. Operations are tuples of kind, routine, "
          "flags,\n"
          "mode, collective, peer, tag, comm, request, compute_s, bytes, element, extent, requests, counts, begin_ns, "
          "end_ns,\n"
          "algorithm that ran, call site; answers are tuples of flag, source, tag, sequence, bytes, thread, completed.")
      .def_prop_ro(
          "cut_off", [](const TraceReader& self) { return self.decoder.cut_off(); }, "Once it is over.");
  m.def(
      "operation_kinds",
      [] {
        return std::vector<std::string_view>{
            "compute",   "sleep",     "isend",       "irecv",         "wait_all",      "wait_any",       "wait_some",
            "test_all",  "test_any",  "test_some",   "probe",         "iprobe",        "cancel",         "request_free",
            "join",      "psend",     "precv",       "arrived",       "collective",    "match",          "clock",
            "comm_free", "service",   "put",         "get",           "accumulate",    "get_accumulate", "lock",
            "unlock",    "file_read", "file_write",  "file_metadata", "file_position", "file_lock",      "file_unlock",
            "reduce",    "copy",      "phase_begin", "phase_end",     "finalize"};
      },
      "Names of the kinds of operations, by their numbers.");
}

}  // namespace orrery::python
