// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bitset>
#include <chrono>
#include <tuple>

#include "base/error.hpp"
#include "collective/fixed.hpp"
#include "computation/computation.hpp"
#include "launch/describe.hpp"
#include "python/bind.hpp"
#include "python/interruptible.hpp"
#include "python/levels.hpp"
#include "python/results.hpp"
#include "python/sources.hpp"
#include "replay/jobs.hpp"
#include "replay/recording.hpp"
#include "replay/ti_source.hpp"
#include "replay/trace_source.hpp"
#include "routine_names.hpp"
#include "trace/copy.hpp"
#include "trace/merge.hpp"
#include "trace/usage.hpp"
#include "transport/counted.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using replay::Source;
using trace::File;

std::vector<std::string_view> all_routines() {
  return {std::begin(orrery::routine_names), std::end(orrery::routine_names)};
}

op::RoutineId routine_number(std::string_view name) {
  const std::vector<std::string_view> here = all_routines();
  const auto found = std::find(here.begin(), here.end(), name);
  return found == here.end() ? op::RoutineId{0} : static_cast<op::RoutineId>(found - here.begin());
}

/// Numbers that the trace's routines have in this version.
static std::vector<op::RoutineId> routine_numbers(const File& file) {
  const std::vector<std::string_view> here = all_routines();
  std::vector<op::RoutineId> numbers;
  for (const auto& [number, name] : file.names(ORRERY_TRACE_ROUTINES)) {
    if (number > UINT16_MAX) break;
    const auto found = std::find(here.begin(), here.end(), name);
    numbers.resize(number + std::size_t{1});
    if (found != here.end()) numbers[number] = static_cast<op::RoutineId>(found - here.begin());
  }
  return numbers;
}

using KindSet = std::bitset<op::collective_kinds>;

/// All kinds of collectives but those that `fixed` names an algorithm for.
static KindSet kinds_but_for(std::string_view fixed) {
  KindSet kinds;
  const collective::FixedChoices choices = collective::parse_fixed(fixed);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) kinds.set(kind, choices[kind].algorithm == nullptr);
  return kinds;
}

/// One simulation of sources.
struct ReplayRun final : Simulated {
  transport::Counted* counted;  ///< null: nobody wants to know who sends how much to whom
  std::shared_ptr<const collective::Selector> selector;
  std::atomic<bool> stopped{false};
  replay::Jobs jobs;
  std::unique_ptr<replay::Recording> recording;  ///< null: nothing is recorded
  computation::ChargedStreams charged;           ///< what is recorded is what was measured
  kernel::Simulation simulated;
  std::optional<kernel::Deadlock> deadlock;
  double wall_s = 0;
  std::string trace_error = {};

  ReplayRun(platform::Platform on, const Model& model, const SharedSelector& chosen, std::vector<replay::Jobs::Job> of,
            kernel::Config config, const std::optional<settings::Launch>& started, bool steady,
            const std::string& trace, const std::vector<std::pair<std::string, std::string>>& properties,
            bool count_edges)
      : Simulated(std::move(on), model),
        counted(count_edges ? &counting() : nullptr),
        selector(chosen.selector),
        jobs(std::move(of)),
        recording(record(trace, properties, config.host_of_rank)),
        charged(streams(), jobs.capacity(), steady ? computation::Charge::Steady : computation::Charge::Raw),
        simulated(noted(launched(started, platform, *transport, jobs.first_ranks(),
                                 on_nodes_of(platform, model, complete(std::move(config))))),
                  *transport, *selector, charged, jobs) {}

  [[nodiscard]] const kernel::Simulation& simulation() const override { return simulated; }
  [[nodiscard]] std::vector<kernel::ProfileRow> local_calls() const override { return jobs.local_calls(); }
  void stop() override { stopped = true; }

 private:
  transport::Counted& counting() {
    auto layer = std::make_unique<transport::Counted>(std::move(transport));
    transport::Counted& made = *layer;
    transport = std::move(layer);
    return made;
  }
  std::unique_ptr<replay::Recording> record(const std::string& trace,
                                            const std::vector<std::pair<std::string, std::string>>& properties,
                                            const std::vector<platform::HostId>& host_of_rank) {
    if (trace.empty()) return nullptr;
    std::vector<std::string_view> hosts;
    for (std::size_t rank = 0; rank < std::min<std::size_t>(jobs.ranks(), host_of_rank.size()); ++rank)
      hosts.push_back(platform.hosts()[static_cast<std::size_t>(host_of_rank[rank])].name);
    auto made = std::make_unique<replay::Recording>(jobs, jobs, trace, jobs.ranks(), jobs.capacity());
    made->describe(properties, all_routines(), hosts);
    if (const auto sites = jobs.sites(); !sites.empty()) {
      made->keep_sites();
      for (const auto& [number, text] : sites) made->add_site(number, text);
    }
    return made;
  }
  op::Streams& streams() { return recording ? recording->streams() : jobs; }
  /// A launch that is simulated takes the place of MPI_Init in the traces.
  kernel::Config noted(kernel::Config config) {
    if (config.beginnings.empty()) return config;
    jobs.leave_out({routine_number("MPI_Init"), routine_number("MPI_Init_thread")});
    if (recording) recording->add_beginnings(config.beginnings, config.init_routine);
    return config;
  }
  kernel::Config complete(kernel::Config config) {
    if (config.host_of_rank.size() != jobs.capacity()) {
      throw InputError(concat("there are ", jobs.capacity(), " ranks and hosts for ", config.host_of_rank.size()));
    }
    config.initial_ranks = jobs.ranks();
    config.services = jobs.services();
    config.choices.assign(jobs.choices().begin(), jobs.choices().end());
    config.interrupt = &stopped;
    config.observer = recording.get();
    return config;
  }
};

/// How a replay ended.
enum class ReplayEnd : std::uint8_t { Completed, Deadlocked, Interrupted };

/// Completes the trace, however the simulation ends.
struct Closing {
  ReplayRun& run;
  ~Closing() {
    if (!run.recording) return;
    run.recording->add_local_calls(run.local_calls());
    run.trace_error = run.recording->close();
  }
};

static ReplayEnd simulate(ReplayRun& self) {
  const auto start = std::chrono::steady_clock::now();
  const Closing closing{self};
  ReplayEnd end = ReplayEnd::Completed;
  try {
    self.deadlock = self.simulated.run();
    if (self.deadlock) end = ReplayEnd::Deadlocked;
  } catch (const kernel::Interrupted&) {
    end = ReplayEnd::Interrupted;
  }
  self.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return end;
}

/// Ctrl-C ends the simulation.
static ReplayEnd run_replay(ReplayRun& self) {
  return interruptible(self.stopped, [&] { return simulate(self); });
}

static void bind_trace_file(nb::module_& m) {
  nb::class_<File>(m, "TraceFile", "A trace of Orrery's format, opened for reading.")
      .def(nb::init<const std::string&>(), "path"_a)
      .def_prop_ro("ranks", &File::ranks, "At the start of the run.")
      .def_prop_ro("streams", &File::streams, "Ranks, those that were started later included.")
      .def_prop_ro("records", &File::records, "Operations and answers of all ranks.")
      .def_prop_ro("size", &File::size, "Bytes.")
      .def_prop_ro("version", &File::version)
      .def_prop_ro("properties", &File::properties, "Where the trace comes from: pairs of key and value.")
      .def_prop_ro("damage", &File::damage, "What is wrong with the file; empty: it is whole.")
      .def(
          "damaged_blocks",
          [](const File& self) {
            std::vector<std::pair<std::uint32_t, std::uint64_t>> places;
            for (const File::DamagedBlock& block : self.damaged_blocks()) places.emplace_back(block.rank, block.offset);
            return places;
          },
          "Pairs of a rank and the byte of the file at which its first damaged block begins; reads all blocks.")
      .def_prop_ro("cut_off", &File::cut_off, "Ranks of whose streams the end is not there.")
      .def_prop_ro(
          "communicators",
          [](const File& self) {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes;
            for (const auto& [comm, known] : self.communicators()) sizes.emplace_back(comm, known.size);
            std::sort(sizes.begin(), sizes.end());
            return sizes;
          },
          "Pairs of number and size, but for MPI_COMM_WORLD.")
      .def(
          "members",
          [](const File& self, std::uint32_t comm) {
            const File::Communicator* const known = self.communicator(comm);
            if (known == nullptr) throw InputError(concat("communicator ", comm, " is not defined in the trace"));
            return std::make_pair(trace::members_of(*known), known->first_group);
          },
          "comm"_a,
          "World ranks of the members of a communicator, those of two groups one behind the other, and how many the "
          "first group\n"
          "has; 0: there is only one.")
      .def_prop_ro(
          "routines", [](const File& self) { return self.names(ORRERY_TRACE_ROUTINES); }, "Names by number.")
      .def_prop_ro(
          "algorithms", [](const File& self) { return self.names(ORRERY_TRACE_ALGORITHMS); },
          "Names of those of collectives that ran, by number.")
      .def_prop_ro(
          "sites", [](const File& self) { return self.names(ORRERY_TRACE_SITES); },
          "Call sites by number: \"file:line function\", or \"module+0xoffset\"; of call paths the outermost first, "
          "with "
          "\" => \"\n"
          "between.")
      .def(
          "local_calls",
          [](const File& self, std::uint32_t rank) {
            nb::list rows;
            for (const orrery_trace_local_calls& local : self.local_calls(rank))
              rows.append(nb::make_tuple(local.phase, local.routine, local.calls, local.time_ns));
            return rows;
          },
          "rank"_a, nb::sig("def local_calls(self, rank: int) -> list[tuple[int, int, int, int]]"),
          "Calls that are no operations: phase, routine, how many, ns in all of them. Without calls: what MPI_Init "
          "took "
          "before\n"
          "the start of the run, or MPI_Finalize behind its end.")
      .def_prop_ro(
          "hosts", [](const File& self) { return self.names(ORRERY_TRACE_HOSTS); },
          "Where ranks ran, by rank; empty: not known.");
}

static void bind_merging(nb::module_& m) {
  using trace::Merged;
  nb::class_<Merged>(m, "MergedTrace", "What came of putting a run's trace together.")
      .def_ro("missing", &Merged::missing, "Ranks without a file.")
      .def_ro("cut_off", &Merged::cut_off, "Ranks whose streams have no end.")
      .def_ro("damage", &Merged::damage, "What could not be read, a sentence each.")
      .def_ro("operations", &Merged::operations);
  m.def(
      "merge_traces",
      [](const std::vector<std::string>& parts, const std::string& path,
         const std::vector<std::pair<std::string, std::string>>& properties,
         const std::map<std::string, std::string>& sites) {
        nb::gil_scoped_release released;
        return trace::merge(parts, path, properties, all_routines(), sites);
      },
      "parts"_a, "path"_a, "properties"_a, "sites"_a = std::map<std::string, std::string>(),
      "Traces of single ranks, as the capture library writes them, become the trace of a run. `sites`: what is written "
      "for\n"
      "call sites, by what the parts have for them.");
  m.def("recover_trace", &trace::recover, "path"_a, "rest"_a,
        "Appends to the trace of a rank that was killed what it kept in its other file; whether there was anything.");
}

template <class Part, class... Field>
static std::vector<std::tuple<Field...>> columns_of(const std::vector<Part>& parts, Field Part::*... field) {
  std::vector<std::tuple<Field...>> rows;
  rows.reserve(parts.size());
  for (const Part& part : parts) rows.emplace_back(part.*field...);
  return rows;
}

static void bind_usage(nb::module_& m) {
  using trace::Usage;
  m.def(
      "choices_in",
      [](const std::string& path) {
        nb::gil_scoped_release released;
        return trace::choices_in(File(path));
      },
      "path"_a, "How many operations of a trace ask what came first: receives of any source, tests, probes.");
  nb::class_<Usage>(m, "TraceUsage", "Who called what how often and for how long, who sent how much to whom.")
      .def(
          "__init__",
          [](Usage* self, const std::string& path) {
            nb::gil_scoped_release released;
            new (self) Usage(Usage::of(File(path)));
          },
          "path"_a)
      .def(
          "__init__",
          [](Usage* self, const File& file) {
            nb::gil_scoped_release released;
            new (self) Usage(Usage::of(file));
          },
          "file"_a)
      .def_prop_ro(
          "calls",
          [](const Usage& self) {
            return columns_of(self.calls, &Usage::Call::rank, &Usage::Call::phase, &Usage::Call::routine,
                              &Usage::Call::calls, &Usage::Call::time_s, &Usage::Call::messages, &Usage::Call::bytes);
          },
          "Rank, phase, routine, calls, seconds, messages, bytes.")
      .def_prop_ro(
          "sites",
          [](const Usage& self) {
            return columns_of(self.sites, &Usage::Site::site, &Usage::Site::routine, &Usage::Site::ranks,
                              &Usage::Site::calls, &Usage::Site::time_s, &Usage::Site::shortest_s,
                              &Usage::Site::longest_s, &Usage::Site::messages, &Usage::Site::bytes);
          },
          "Site, routine, ranks that called from there, calls, seconds, of the shortest call, of the longest, "
          "messages, "
          "bytes.")
      .def_ro("local", &Usage::local, "Routines whose calls are counted beside the operations, such as MPI_Comm_rank.")
      .def_prop_ro(
          "edges",
          [](const Usage& self) {
            return columns_of(self.edges, &Usage::Edge::from, &Usage::Edge::to, &Usage::Edge::messages,
                              &Usage::Edge::bytes);
          },
          "From, to, messages, bytes.")
      .def_prop_ro(
          "sizes",
          [](const Usage& self) {
            return columns_of(self.sizes, &Usage::Size::routine, &Usage::Size::power, &Usage::Size::count,
                              &Usage::Size::bytes);
          },
          "Routine, power of two that is the upper end of the sizes (-1: no bytes), how many, bytes.")
      .def_prop_ro(
          "comms",
          [](const Usage& self) {
            return columns_of(self.comms, &Usage::Comm::comm, &Usage::Comm::size, &Usage::Comm::messages,
                              &Usage::Comm::message_bytes, &Usage::Comm::collectives, &Usage::Comm::collective_bytes);
          },
          "Communicator, size, messages, their bytes, collective calls of all ranks, their bytes.")
      .def_prop_ro(
          "ranks",
          [](const Usage& self) {
            return columns_of(self.ranks, &Usage::Rank::rank, &Usage::Rank::total_s, &Usage::Rank::mpi_s,
                              &Usage::Rank::computed_s, &Usage::Rank::calls, &Usage::Rank::messages,
                              &Usage::Rank::bytes, &Usage::Rank::cut_off);
          },
          "Rank, seconds in all, in MPI, of computation (processor time), calls, messages, bytes, whether cut off.");
}

static void bind_replay_run(nb::module_& m) {
  nb::enum_<ReplayEnd>(m, "ReplayEnd", "How a replay ended.")
      .value("COMPLETED", ReplayEnd::Completed, "All streams came to their ends.")
      .value("DEADLOCKED", ReplayEnd::Deadlocked, "No rank could go on.")
      .value("INTERRUPTED", ReplayEnd::Interrupted, "Stopped from outside.");

  nb::class_<ReplayRun, Simulated>(m, "Replay", "One simulation of sources, as jobs on one platform.")
      .def(
          "__init__",
          [](ReplayRun* self, const platform::Platform& platform, const Model& model, const SharedSelector& selector,
             std::vector<HeldSource*> sources, std::vector<double> start_s,
             const std::vector<platform::HostId>& host_of_rank, std::vector<double> compute_factor,
             const std::optional<settings::Storage>& storage, const std::optional<settings::Launch>& started,
             double poll_cost, double reduce, double copy, double nonblocking, double spawn_cost, bool steady,
             const std::string& trace, const std::vector<std::pair<std::string, std::string>>& trace_properties,
             bool count_edges) {
            std::vector<replay::Jobs::Job> jobs;
            for (std::size_t i = 0; i < sources.size(); ++i) {
              if (sources[i]->source == nullptr) throw InputError("a source can be run once; open it again");
              jobs.push_back({std::move(sources[i]->source), {i < start_s.size() ? start_s[i] : 0}});
            }
            if (jobs.empty()) throw InputError("there is nothing to replay");
            Located located = locate(platform, host_of_rank);
            std::vector<collective::Places::Level> levels = places_of_levels(levels_of(platform, located));
            new (self) ReplayRun(platform, model, selector, std::move(jobs),
                                 {.host_of_rank = std::move(located.hosts),
                                  .place_of_rank = std::move(located.places),
                                  .compute_factor = std::move(compute_factor),
                                  .poll_cost = {poll_cost},
                                  .reduce_s_per_byte = reduce,
                                  .copy_s_per_byte = copy,
                                  .nonblocking = {nonblocking},
                                  .spawn_cost = {spawn_cost},
                                  .storage = storage.value_or(storage::typical()),
                                  .levels = std::move(levels)},
                                 started, steady, trace, trace_properties, count_edges);
          },
          "platform"_a, "model"_a, "selector"_a, nb::kw_only(), "sources"_a, "start_s"_a = std::vector<double>{},
          "host_of_rank"_a, "compute_factor"_a, "storage"_a = nb::none(), "launch"_a = nb::none(),
          "poll_cost_s"_a = 1e-6, "reduce_s_per_byte"_a = 0.0, "copy_s_per_byte"_a = 0.0,
          "nonblocking_collective_s"_a = 0.0, "spawn_cost_s"_a = 0.1, "steady"_a = false, "trace"_a = "",
          "trace_properties"_a = std::vector<std::pair<std::string, std::string>>{}, "count_edges"_a = false,
          "Takes the sources. `start_s`, per source: when it begins. `host_of_rank`: positions in `platform.hosts`, of "
          "all\n"
          "ranks of the first source, then of the second. `compute_factor`, per rank: simulated seconds per recorded "
          "one. "
          "`steady`: recorded computation that repeats is charged without what disturbed its measurement. `trace`: "
          "file\n"
          "that the replay is recorded in; empty: none. `count_edges`: who sends how much to whom.")
      .def("run", &run_replay,
           "To the end, or until Ctrl-C or `stop`. Raises InputError when a source is not what MPI allows.")
      .def_prop_ro(
          "edges",
          [](const ReplayRun& self) {
            std::vector<std::tuple<std::int32_t, std::int32_t, std::uint64_t, std::int64_t>> rows;
            if (self.counted == nullptr) return rows;
            for (const transport::Edge& edge : self.counted->edges())
              rows.emplace_back(edge.from, edge.to, edge.messages, edge.bytes.count);
            return rows;
          },
          "From, to, messages, bytes of what ranks sent each other; empty unless it was to be counted.")
      .def(
          "computation", [](const ReplayRun& self) { return self.charged.summary(); },
          "What became of the computation that was recorded.")
      .def_prop_ro(
          "deadlock",
          [](const ReplayRun& self) {
            return self.deadlock ? std::optional(launch::describe(*self.deadlock, all_routines())) : std::nullopt;
          },
          "Report of who waits for whom.")
      .def_prop_ro(
          "first_ranks", [](const ReplayRun& self) { return self.jobs.first_ranks(); }, "First rank of each source.")
      .def_prop_ro(
          "cut_off", [](const ReplayRun& self) { return self.jobs.cut_off(); },
          "Ranks whose streams ended because their file did.")
      .def_prop_ro(
          "operations", [](const ReplayRun& self) { return self.jobs.operations_given(); },
          "Number of operations of the sources so far, roughly.")
      .def_prop_ro(
          "operations_expected", [](const ReplayRun& self) { return self.jobs.operations_expected(); },
          "In all; 0: not known.")
      .def_ro("trace_error", &ReplayRun::trace_error, "Why the trace is not complete; empty if it is.")
      .def_ro("wall_s", &ReplayRun::wall_s, "Time that it took here.");
}

void bind_replay(nb::module_& m) {
  bind_trace_file(m);
  bind_merging(m);
  bind_usage(m);
  nb::class_<HeldSource>(m, "Source", "What can be replayed, once.")
      .def_prop_ro("ranks", [](const HeldSource& self) { return self.source ? self.source->ranks() : 0; })
      .def_prop_ro(
          "capacity", [](const HeldSource& self) { return self.source ? self.source->capacity() : 0; },
          "Ranks, those that are started later included.")
      .def_prop_ro(
          "cautions",
          [](const HeldSource& self) { return self.source ? self.source->cautions() : std::vector<std::string>{}; },
          "What whoever reads the result should know, a sentence each.");
  m.def(
      "open_trace",
      [](const std::string& path, bool recorded_matches, bool recorded_algorithms, const std::string& but_for,
         double bytes_factor) {
        auto file = std::make_shared<const File>(path);
        replay::TraceSource::Options options{
            .match = recorded_matches ? trace::Replay::Match::Recorded : trace::Replay::Match::Again,
            .bytes_factor = bytes_factor,
            .routine_of = routine_numbers(*file),
            .recorded_algorithms = recorded_algorithms ? kinds_but_for(but_for) : KindSet{}};
        return HeldSource{std::make_unique<replay::TraceSource>(std::move(file), std::move(options))};
      },
      "path"_a, nb::kw_only(), "recorded_matches"_a = false, "recorded_algorithms"_a = false, "but_for"_a = "",
      "bytes_factor"_a = 1.0,
      "A trace of Orrery's format. `recorded_matches`: receives of any source take what they took then.\n"
      "`recorded_algorithms`: collectives run as they did then, but for those that are fixed in `but_for`.");
  m.def(
      "open_ti",
      [](const std::vector<std::string>& paths, double flops_per_s, double bytes_factor) {
        return HeldSource{std::make_unique<replay::TiSource>(
            paths, replay::TiSource::Options{flops_per_s, bytes_factor}, routine_number)};
      },
      "paths"_a, nb::kw_only(), "flops_per_s"_a = 1e9, "bytes_factor"_a = 1.0,
      "A time-independent trace of SimGrid's: one file per rank, by rank, or one of all ranks.");
  bind_replay_run(m);
}

}  // namespace orrery::python
