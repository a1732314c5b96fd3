// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "base/error.hpp"
#include "collective/call_of.hpp"
#include "computation/computation.hpp"
#include "kernel/profile.hpp"
#include "op/vocabulary.hpp"
#include "python/bind.hpp"
#include "trace/collective_sums.hpp"
#include "trace/copy.hpp"
#include "trace/decoder.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using trace::File;

/// A stream of a trace as Python reads it, for dumps and exports.
struct TraceReader {
  const File& file;
  trace::Decoder decoder;
  bool steady;
  computation::RankCharge charge = {};

  TraceReader(const File& of, std::uint32_t rank, bool steady_computation)
      : file(of), decoder(of, rank), steady(steady_computation) {}
};

/// One operation as a tuple: see TraceReader.read.
static nb::tuple operation_tuple(TraceReader& self) {
  const op::Operation& o = self.decoder.operation();
  const double compute_s = self.steady ? self.charge.charge(o) : o.compute_s;
  const trace::Beside& beside = self.decoder.beside();
  nb::list requests, counts;
  for (const op::RequestId id : o.requests) requests.append(id);
  for (const std::int64_t count : o.counts) counts.append(count);
  const std::string_view routine = self.file.name(ORRERY_TRACE_ROUTINES, o.routine);
  const std::string_view ran = self.file.name(ORRERY_TRACE_ALGORITHMS, beside.ran);
  const std::string_view site = self.file.name(ORRERY_TRACE_SITES, beside.site);
  return nb::make_tuple(static_cast<int>(o.kind), routine, static_cast<int>(o.flags), static_cast<int>(o.mode),
                        o.kind == op::Kind::Collective ? collective::name(o.collective) : std::string_view{}, o.peer,
                        o.tag, o.comm, o.request, compute_s, o.bytes.count, o.element, o.extent, requests, counts,
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

/// What a rank does in a collective call: sends and receives (world rank, bytes, request) and waits for requests.
static nb::list collective_steps(const File& file, std::int32_t rank, const SharedSelector& selector,
                                 std::string_view kind, op::CommId comm, std::int32_t root, std::int64_t bytes,
                                 std::int64_t element, int flags, const std::vector<std::int64_t>& counts,
                                 op::RoutineId routine, kernel::AlgorithmUses& uses) {
  const File::Communicator* known = file.communicator(comm);
  if (known == nullptr) throw InputError(concat("communicator ", comm, " is not defined in the trace"));
  const std::vector<std::int32_t> members = trace::members_of(*known);
  op::Operation operation{.kind = op::Kind::Collective, .flags = static_cast<std::uint8_t>(flags), .peer = root};
  const auto which = collective::kind_named(kind);
  if (!which) throw InputError(concat("there is no collective named \"", kind, "\""));
  operation.collective = *which;
  operation.bytes = {bytes};
  operation.element = element;
  operation.counts = counts;
  const auto own = collective::call_of(operation, members, known->first_group, rank);
  if (!own) throw InputError(concat("rank ", rank, " is not in communicator ", comm));
  const collective::Choice choice = selector.selector->choose(own->call);
  if (choice.algorithm->topology)
    throw InputError(concat(choice.algorithm->name, " needs to know where ranks are, which the trace does not say"));
  ++uses[uses.find(routine, choice)].calls;
  op::Script script = choice.algorithm->stream(choice.applied_to(own->call));
  nb::list steps;
  while (const op::Operation* const step = script.next()) {
    nb::list requests;
    for (std::uint32_t i = 0; i < step->requests.size(); ++i) {
      if (step->requests[i] == 0) continue;
      requests.append(step->requests[i]);
      // Which is over first is not known here: the first that is open.
      if (step->kind != op::Kind::WaitAny) continue;
      if (step->position != nullptr) *step->position = i;
      break;
    }
    const bool message = step->kind == op::Kind::Isend || step->kind == op::Kind::Irecv;
    const std::size_t peer = message ? (own->first_member + static_cast<std::size_t>(step->peer)) % members.size() : 0;
    if (message || !step->requests.empty())
      steps.append(nb::make_tuple(static_cast<int>(step->kind), step->has(op::Blocking), message ? members[peer] : -1,
                                  step->tag, step->bytes.count, step->request, requests));
  }
  return steps;
}

/// Ranks of a communicator by world rank, and how many are in its first group (0: it has one).
static std::pair<std::vector<std::int32_t>, std::uint32_t> members(const File& file, op::CommId comm) {
  if (const File::Communicator* known = file.communicator(comm)) return {trace::members_of(*known), known->first_group};
  std::vector<std::int32_t> world(comm == 0 ? file.ranks() : 0);
  std::iota(world.begin(), world.end(), 0);
  return {std::move(world), 0};
}

static nb::list sums_of_collectives(const File& file) {
  std::vector<trace::CollectiveSum> sums;
  {
    nb::gil_scoped_release released;
    sums = trace::collective_sums(file);
  }
  nb::list rows;
  for (const trace::CollectiveSum& sum : sums)
    rows.append(nb::make_tuple(collective::name(sum.kind), sum.comm, sum.bytes, sum.root, sum.element, sum.extent,
                               sum.commutative, sum.built_in, sum.in_place, file.name(ORRERY_TRACE_ALGORITHMS, sum.ran),
                               sum.calls, sum.ranks, sum.time_s));
  return rows;
}

void bind_trace_reader(nb::module_& m) {
  nb::class_<TraceReader>(
      m, "TraceReader", "The stream of one rank of a trace, record after record. `steady`: computation less its noise.")
      .def(nb::init<const File&, std::uint32_t, bool>(), "file"_a, "rank"_a, "steady"_a = false, nb::keep_alive<1, 2>())
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
      "collective_steps", &collective_steps, "file"_a, "rank"_a, "selector"_a, "collective"_a, "comm"_a, "root"_a,
      "bytes"_a, "element"_a, "flags"_a, "counts"_a, "routine"_a, "uses"_a,
      nb::sig("def collective_steps(file: TraceFile, rank: int, selector: Selector, collective: str, comm: int, root: "
              "int, bytes: int, element: int, flags: int, counts: collections.abc.Sequence[int], routine: int, uses: "
              "AlgorithmUses) -> "
              "list[tuple[int, bool, int, int, int, int, list[int]]]"),
      "What a rank does in a collective call on a communicator of the trace, by the algorithm that `selector` "
      "chooses and `uses` counts:\n"
      "kind, whether it blocks, world rank of the other side, tag, bytes, request, requests that are waited for.");
  m.def(
      "collective_sums", &sums_of_collectives, "file"_a,
      nb::sig("def collective_sums(file: TraceFile) -> "
              "list[tuple[str, int, int, int, int, int, bool, bool, bool, str, int, int, float]]"),
      "Blocking collective calls that are alike, the longest first: collective, communicator, bytes (-1: blocks "
      "differ),\n"
      "root, element, extent, whether the operation commutes, whether it is built in, whether in place, algorithm that "
      "ran,\n"
      "calls of all ranks, ranks that made them, seconds inside of them, summed over ranks.");
  m.def("members_of", &members, "file"_a, "comm"_a,
        "World ranks of a communicator, by rank, and how many are in its first group (0: it has one); none: the trace "
        "does\n"
        "not say.");
  m.def(
      "operation_kinds",
      [] {
        std::vector<std::string_view> words;
        for (const op::KindEntry& kind : op::kinds) words.push_back(kind.word);
        return words;
      },
      "Names of the kinds of operations, by their numbers.");
  m.def(
      "operation_vocabulary",
      [] {
        std::vector<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>> words;
        for (const op::KindEntry& kind : op::kinds) {
          const bool always = kind.answer == op::Answer::Always;
          const std::string_view answered = always                             ? "always"
                                            : kind.answer == op::Answer::Never ? "never"
                                                                               : "if matched";
          words.emplace_back(kind.word, kind.fields, answered, kind.about);
        }
        return words;
      },
      "Kinds of operations, by their numbers: name, names of the fields that say what such an operation does (with\n"
      "blanks between), when it is answered (`always`, `never`, `if matched`), what it is.");
  m.def(
      "operation_flags",
      [] {
        std::vector<std::tuple<std::string_view, int, std::string_view, std::string_view>> words;
        for (const op::FlagEntry& flag : op::flags) words.emplace_back(flag.name, flag.bit, flag.kinds, flag.about);
        return words;
      },
      "Flags of operations: name, bit, kinds that have it (with blanks between; `all`), what it is.");
  m.def(
      "collective_kinds",
      [] {
        std::vector<std::string_view> words;
        for (const op::CollectiveEntry& collective : op::collectives) words.push_back(collective.word);
        return words;
      },
      "Names of the kinds of collectives, by their numbers.");
  m.def(
      "collective_vocabulary",
      [] {
        std::vector<std::tuple<std::string_view, bool, bool>> words;
        for (const op::CollectiveEntry& collective : op::collectives)
          words.emplace_back(collective.word, collective.rooted, collective.reduces);
        return words;
      },
      "Kinds of collectives, by their numbers: name, whether a call names a root, whether it reduces.");
}

}  // namespace orrery::python
