// SPDX-License-Identifier: BSD-3-Clause
#include "launch/launch.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <future>

#include "collective/fixed.hpp"
#include "launch/describe.hpp"
#include "mpi/channel/launcher_variables.hpp"
#include "python/bind.hpp"
#include "python/levels.hpp"
#include "python/results.hpp"
#include "python/sources.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using launch::Outcome;

/// Command, environment, directory and ranks of each.
using Programs =
    std::vector<std::tuple<std::vector<std::string>, std::vector<std::string>, std::string, std::uint32_t>>;

/// A run of a program.
struct LiveRun final : Simulated {
  std::shared_ptr<const collective::Selector> selector;
  launch::Run run;

  LiveRun(launch::Job job, platform::Platform on, const Model& model, const SharedSelector& chosen,
          const std::optional<settings::Launch>& started)
      : Simulated(std::move(on), model),
        selector(chosen.selector),
        run(configured(std::move(job), model, started), *transport, *selector) {}

  [[nodiscard]] const kernel::Simulation& simulation() const override { return run.simulation(); }
  [[nodiscard]] std::vector<kernel::ProfileRow> local_calls() const override { return run.local_calls(); }
  void stop() override { run.stop(); }

 private:
  launch::Job configured(launch::Job job, const Model& model, const std::optional<settings::Launch>& started) {
    job.kernel.initial_ranks = job.ranks;
    job.kernel = launched(started, platform, *transport, {0}, on_nodes_of(platform, model, std::move(job.kernel)));
    return job;
  }
};

/// Simulated seconds per second measured here, where the caller does not say: the inverse of each host's speed.
static std::vector<double> factors(const platform::Platform& platform,
                                   const std::vector<platform::HostId>& host_of_rank) {
  std::vector<double> factors;
  for (platform::HostId host : host_of_rank)
    factors.push_back(host < platform.hosts().size() ? 1 / platform.hosts()[host].speed : 1);
  return factors;
}

/// Calls Python for output. Runs on the thread that gathers it.
static launch::Run::Output output_to(const nb::object& callback) {
  if (callback.is_none()) return [](std::int32_t, bool, std::string_view) {};
  return [&callback](std::int32_t rank, bool error_stream, std::string_view text) {
    nb::gil_scoped_acquire gil;
    callback(rank, error_stream, nb::bytes(text.data(), text.size()));
  };
}

/// Waits, and lets Python's signal handlers run meanwhile. What they raise stops the run: Ctrl-C is an outcome,
/// anything else is raised once the run has ended.
static void wait_for(const std::future<Outcome>& outcome, LiveRun& live) {
  std::optional<nb::python_error> raised;
  {
    nb::gil_scoped_release released;
    while (outcome.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() == 0) continue;
      nb::python_error error;
      if (!error.matches(PyExc_KeyboardInterrupt)) raised.emplace(error);
      live.stop();
    }
  }
  if (raised) throw nb::python_error(*raised);
}

static Outcome run_program(LiveRun& self, const nb::object& output) {
  const auto deliver = output_to(output);
  auto outcome = std::async(std::launch::async, [&] { return self.run.run(deliver); });
  wait_for(outcome, self);
  return outcome.get();
}

static void bind_outcome(nb::module_& m) {
  using launch::End;
  nb::enum_<launch::Start>(m, "Start", "How ranks become processes.")
      .value("FORK", launch::Start::Fork, "The program starts once and forks its ranks in MPI_Init.")
      .value("EXEC", launch::Start::Exec, "Every rank is started afresh.")
      .value("AUTO", launch::Start::Auto,
             "As FORK; if the program has done something by then that each rank should do by itself, as EXEC.");

  nb::enum_<End>(m, "End", "How a run ended.")
      .value("COMPLETED", End::Completed, "Every rank finalised and ended with status 0.")
      .value("EXIT_STATUS", End::ExitStatus, "Every rank finalised, but one ended with another status.")
      .value("CRASHED", End::Crashed, "A rank was killed by a signal.")
      .value("LEFT_EARLY", End::LeftEarly, "A rank ended without MPI_Finalize.")
      .value("ABORTED", End::Aborted, "MPI_Abort, or an MPI error that is fatal.")
      .value("DEADLOCKED", End::Deadlocked, "No rank could go on.")
      .value("NOT_MPI", End::NotMpi, "The program ended without MPI_Init.")
      .value("NOT_STARTED", End::NotStarted, "The program could not be started.")
      .value("INTERRUPTED", End::Interrupted, "Stopped from outside.")
      .value("BAD_STREAM", End::BadStream, "A rank asked for what MPI does not allow.");

  nb::class_<Outcome>(m, "Outcome", "How a run ended, and to whom it happened.")
      .def_ro("end", &Outcome::end)
      .def_ro("exit_code", &Outcome::exit_code,
              "For the shell: 0, the rank's own, 128 + signal, 130 for Ctrl-C, else 1.")
      .def_prop_ro(
          "rank", [](const Outcome& o) { return o.rank < 0 ? std::nullopt : std::optional(o.rank); },
          "Whom it happened to, if to one.")
      .def_prop_ro("signal", [](const Outcome& o) { return o.signal == 0 ? std::nullopt : std::optional(o.signal); })
      .def_ro("routine", &Outcome::routine,
              "MPI routine that the rank was in or had left last; empty before the first.")
      .def_ro("in_routine", &Outcome::in_routine, "It was inside.")
      .def_ro("text", &Outcome::text, "The cause in one line.")
      .def_prop_ro(
          "deadlock",
          [](const Outcome& o) {
            return o.deadlock ? std::optional(launch::describe(*o.deadlock, all_routines())) : std::nullopt;
          },
          "Report of who waits for whom.")
      .def_ro("afresh", &Outcome::afresh, "Start.AUTO: ranks were started afresh.")
      .def_ro("shared_by_fork", &Outcome::shared_by_fork,
              "What forked ranks share, or would, in words after \"the program has\"; empty: nothing that is known of.")
      .def_ro("trace_error", &Outcome::trace_error, "Why the trace is not complete; empty if it is.")
      .def_ro("wall_s", &Outcome::wall_s)
      .def_ro("peak_rss_bytes", &Outcome::peak_rss_bytes,
              "Largest sum of the ranks' proportional set sizes seen, a few times a second; above 64 ranks estimated "
              "from\n16. 0: the run was too short to see one.");
}

static void bind_run(nb::module_& m) {
  nb::class_<LiveRun, Simulated>(m, "Run", "One run of a program on a platform.")
      .def(
          "__init__",
          [](LiveRun* self, const platform::Platform& platform, const Model& model, const SharedSelector& selector,
             std::vector<std::string> command, std::vector<std::string> environment, std::string directory,
             std::vector<platform::HostId> host_of_rank, std::vector<double> compute_factor, launch::Start start,
             bool label, bool no_data, std::uint64_t fold_from, bool execute_all, bool measure_compute,
             double compute_scale, bool simulated_clock, std::int64_t buffered_limit,
             const std::optional<settings::Storage>& storage, const std::optional<settings::Launch>& started,
             double poll_cost, double reduce, double copy, double nonblocking, std::uint32_t initial_ranks,
             double spawn_cost, bool steady, std::string trace,
             std::vector<std::pair<std::string, std::string>> trace_properties, const Programs& programs) {
            std::vector<std::string> host_names;
            std::vector<std::uint32_t> processors;
            for (const platform::Host& host : platform.hosts()) {
              host_names.push_back(host.name);
              processors.push_back(host.cores);
            }
            Located located = locate(platform, host_of_rank);
            if (compute_factor.empty()) compute_factor = factors(platform, located.hosts);
            const std::vector<mpi::channel::Level> levels = levels_of(platform, located);
            const auto places = static_cast<std::uint32_t>(host_of_rank.size());
            const std::uint32_t ranks = initial_ranks == 0 ? places : initial_ranks;
            launch::Job job{.command = std::move(command),
                            .environment = std::move(environment),
                            .directory = std::move(directory),
                            .ranks = ranks,
                            .start = start,
                            .label = label,
                            .no_data = no_data,
                            .fold_from = fold_from,
                            .execute_all = execute_all,
                            .measure_compute = measure_compute,
                            .charge = steady ? computation::Charge::Steady : computation::Charge::Raw,
                            .compute_scale = compute_scale,
                            .simulated_clock = simulated_clock,
                            .buffered_limit = buffered_limit,
                            .host_names = std::move(host_names),
                            .processors = std::move(processors),
                            .levels = levels,
                            .routine_names = all_routines(),
                            .trace = std::move(trace),
                            .trace_properties = std::move(trace_properties),
                            .kernel = {.host_of_rank = std::move(located.hosts),
                                       .place_of_rank = std::move(located.places),
                                       .compute_factor = std::move(compute_factor),
                                       .poll_cost = {poll_cost},
                                       .reduce_s_per_byte = reduce,
                                       .copy_s_per_byte = copy,
                                       .nonblocking = {nonblocking},
                                       .spawn_cost = {spawn_cost},
                                       .storage = storage.value_or(storage::typical()),
                                       .levels = places_of_levels(levels)}};
            for (const auto& [command, environment, directory, count] : programs)
              job.sections.push_back({command, environment, directory, count});
            new (self) LiveRun(std::move(job), platform, model, selector, started);
          },
          "platform"_a, "model"_a, "selector"_a, nb::kw_only(), "command"_a, "environment"_a, "directory"_a = "",
          "host_of_rank"_a, "compute_factor"_a = std::vector<double>{}, "start"_a = launch::Start::Auto,
          "label"_a = false, "no_data"_a = false, "fold_from_bytes"_a = 0, "execute_all"_a = false,
          "measure_compute"_a = true, "compute_scale"_a = 1.0, "simulated_clock"_a = true, "buffered_limit_bytes"_a = 0,
          "storage"_a = nb::none(), "launch"_a = nb::none(), "poll_cost_s"_a = 1e-6, "reduce_s_per_byte"_a = 0.0,
          "copy_s_per_byte"_a = 0.0, "nonblocking_collective_s"_a = 0.0, "ranks"_a = 0, "spawn_cost_s"_a = 0.1,
          "steady"_a = false, "trace"_a = "", "trace_properties"_a = std::vector<std::pair<std::string, std::string>>{},
          "programs"_a = Programs{},
          "`environment`: \"NAME=value\", complete. `host_of_rank`: positions in `platform.hosts`, of `ranks` ranks\n"
          "(0: of all) and of those that the program may start later. `compute_factor`, per rank: simulated seconds "
          "per\n"
          "second measured here; empty: from the "
          "speeds of the hosts. `steady`: computation that repeats is charged without what disturbed its measurement.\n"
          "`trace`: file that the run is recorded in; empty: none.\n"
          "`programs`: command, environment, directory and ranks of each, where there are several; then with "
          "Start.EXEC.")
      .def("run", &run_program, "output"_a = nb::none(),
           nb::sig(
               "def run(self, output: collections.abc.Callable[[int, bool, bytes], object] | None = None) -> Outcome"),
           "Runs to the end. `output(rank, error_stream, text)` gets whole lines, from another thread; rank -1: not\n"
           "labelled. Ctrl-C ends the run with End.INTERRUPTED.")
      .def(
          "signal", [](LiveRun& self, int number) { return self.run.signal(number); }, "number"_a,
          "Passes a signal that came for the run on to its ranks, from any thread; SIGINT, SIGTERM and SIGHUP only to "
          "those\nthat have a handler. Gives how many processes got it.")
      .def(
          "sampling", [](const LiveRun& self) { return self.run.sampling(); }, "What the program sampled and skipped.")
      .def(
          "memory_waits",
          [](const LiveRun& self) {
            const auto& waits = self.run.memory_waits();
            return std::pair(waits.ranks, waits.seconds);
          },
          "How many ranks may have waited for others by reading memory in a loop, and for how many seconds of this "
          "host's\nprocessors others went on meanwhile.")
      .def(
          "folding", [](const LiveRun& self) { return self.run.folding(); }, "Memory that ranks share.")
      .def(
          "computation", [](const LiveRun& self) { return self.run.computation(); },
          "What became of the computation that was measured.");
}

static void bind_folding(nb::module_& m) {
  using launch::Folding, launch::HeapPlace;
  nb::class_<HeapPlace>(m, "HeapPlace", "A place in the program that asked for large blocks of the heap, in one rank.")
      .def_ro("file", &HeapPlace::file, "File of the machine code.")
      .def_ro("offset", &HeapPlace::offset, "Into it, bytes.")
      .def_ro("blocks", &HeapPlace::blocks)
      .def_ro("words", &HeapPlace::words, "Looked at that are not 0.")
      .def_ro("suspected", &HeapPlace::suspected, "Number of these that are no floating-point numbers.");
  nb::class_<Folding>(m, "Folding", "Memory that ranks share instead of having it.")
      .def_ro("asked_bytes", &Folding::asked_bytes, "By all ranks, most at once.")
      .def_ro("held_bytes", &Folding::held_bytes, "What stands for it.")
      .def_ro("places", &Folding::places, "By file and offset.");
}

static void bind_computation(nb::module_& m) {
  using computation::Summary;
  nb::class_<Summary>(m, "ChargedComputation",
                      "What became of measured computation, in seconds of this host, all ranks together.")
      .def_prop_ro(
          "is_steady", [](const Summary& self) { return self.charge == computation::Charge::Steady; },
          "Whether it was charged so; otherwise it was charged as measured, and this would have become of it.")
      .def_ro("regions", &Summary::regions, "That ranks came through.")
      .def_ro("repeated", &Summary::repeated, "Number of these that a rank came through more than once.")
      .def_ro("samples", &Summary::samples, "Number of samples of regions.")
      .def_ro("with_instructions", &Summary::with_instructions, "Samples whose instructions were counted.")
      .def_ro("other_s", &Summary::other_s, "That belongs to no region, and is charged as it is.")
      .def_prop_ro(
          "measured_s", [](const Summary& self) { return self.sums.measured_s; }, "Measured seconds of regions.")
      .def_prop_ro(
          "charged_s", [](const Summary& self) { return self.sums.charged_s; }, "For it.")
      .def_prop_ro(
          "repeated_s", [](const Summary& self) { return self.sums.repeated_s; },
          "Measured seconds of regions that the rank had come through before.")
      .def_prop_ro(
          "moved_s", [](const Summary& self) { return self.sums.moved_s; },
          "By how much each sample was charged more or less than it was measured.")
      .def_prop_ro(
          "removed_s", [](const Summary& self) { return self.sums.removed_s; },
          "Seconds of outliers that nothing has confirmed, charged to nobody.")
      .def_prop_ro(
          "cold_s", [](const Summary& self) { return self.sums.cold_s; },
          "That went into filling caches that other ranks had used, and is charged to nobody.")
      .def_prop_ro("outliers", [](const Summary& self) { return self.sums.outliers; });
}

static void bind_sampling(nb::module_& m) {
  using launch::Sampling, launch::SampledBlock;
  nb::class_<SampledBlock>(m, "SampledBlock", "A block that the program sampled; in seconds of this host's processor.")
      .def_ro("file", &SampledBlock::file)
      .def_ro("line", &SampledBlock::line)
      .def_ro("together", &SampledBlock::global, "All ranks sampled it together.")
      .def_ro("executed", &SampledBlock::executed)
      .def_ro("skipped", &SampledBlock::skipped)
      .def_ro("mean_s", &SampledBlock::mean_s, "Mean of the executions.")
      .def_ro("half_width_s", &SampledBlock::half_width_s, "Half-width of the interval of this mean, at 95 %.");
  nb::class_<Sampling>(m, "Sampling", "What a run skipped, and how far its time may be off because of it.")
      .def_ro("blocks", &Sampling::blocks, "By file and line.")
      .def_ro("shorter", &Sampling::shorter, "Part of the simulated time.")
      .def_ro("longer", &Sampling::longer, "Part of the simulated time.")
      .def_ro("in_all_s", &Sampling::in_all_s, "Simulated seconds: by no more in either direction.");
}

void bind_launch(nb::module_& m) {
  bind_outcome(m);
  bind_folding(m);
  bind_sampling(m);
  bind_computation(m);
  bind_run(m);
  m.def(
      "launcher_variables",
      [] {
        std::vector<std::pair<std::string, std::string>> names;
        for (const auto& variable : mpi::channel::launcher_variables())
          names.emplace_back(variable.family, variable.name);
        return names;
      },
      "Environment variables by which a rank's program finds out its place, as launchers of other MPI libraries set "
      "them: the first part of each name, which tells the library, and the rest.");
  m.def("routine_names", &all_routines,
        "Names of MPI routines, by the numbers of profiles; 0: the application itself.");
}

}  // namespace orrery::python
