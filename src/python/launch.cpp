// SPDX-License-Identifier: BSD-3-Clause
#include "launch/launch.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <future>

#include "collective/fixed.hpp"
#include "launch/describe.hpp"
#include "python/bind.hpp"
#include "python/levels.hpp"
#include "routine_names.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using kernel::ProfileRow;
using launch::Outcome;

/// A run and what it refers to.
struct LiveRun {
  platform::Platform platform;
  std::unique_ptr<network::NetworkModel> network;
  std::shared_ptr<const collective::Selector> selector;
  launch::Run run;

  LiveRun(launch::Job job, platform::Platform on, const ModelParameters& model, const SharedSelector& chosen)
      : platform(std::move(on)),
        network(make_model(platform, model)),
        selector(chosen.selector),
        run(std::move(job), *network, *selector) {}
};

/// What another thread sees of a run under way.
struct ProgressSnapshot {
  double now_s;
  std::uint64_t messages, bytes;
  std::uint32_t ranks_alive;
};

/// Rows as columns. Python gets memoryviews: NumPy takes them without a copy, and who does not need it does not load
/// it.
struct Profile {
  std::vector<ProfileRow> rows;
};

static std::vector<std::string_view> routines() {
  return {std::begin(orrery::routine_names), std::end(orrery::routine_names)};
}

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
      live.run.stop();
    }
  }
  if (raised) throw nb::python_error(*raised);
}

static Outcome run(LiveRun& self, const nb::object& output) {
  const auto deliver = output_to(output);
  auto outcome = std::async(std::launch::async, [&] { return self.run.run(deliver); });
  wait_for(outcome, self);
  return outcome.get();
}

template <class T, class Get>
static auto column(const Profile& profile, Get get) {
  const std::size_t length = profile.rows.size();
  auto values = std::make_unique<T[]>(length);
  for (std::size_t i = 0; i < length; ++i) values[i] = get(profile.rows[i]);
  nb::capsule owner(values.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::ndarray<nb::memview, T, nb::ndim<1>>(values.release(), {length}, owner);
}

static void bind_profile(nb::module_& m) {
  using Row = const ProfileRow&;
  constexpr auto owned = nb::rv_policy::reference;  // each column has its own owner already
  nb::class_<Profile>(m, "Profile", "Time per rank, phase and routine: columns of equal length.")
      .def("__len__", [](const Profile& p) { return p.rows.size(); })
      .def_prop_ro(
          "rank", [](const Profile& p) { return column<std::uint32_t>(p, [](Row r) { return r.rank; }); }, owned)
      .def_prop_ro(
          "phase", [](const Profile& p) { return column<std::uint32_t>(p, [](Row r) { return r.phase; }); }, owned,
          "0: outside of any.")
      .def_prop_ro(
          "routine", [](const Profile& p) { return column<std::uint32_t>(p, [](Row r) { return r.routine; }); }, owned,
          "Positions in `routine_names()`; 0: the application itself.")
      .def_prop_ro(
          "calls", [](const Profile& p) { return column<std::uint64_t>(p, [](Row r) { return r.calls; }); }, owned)
      .def_prop_ro(
          "time_s", [](const Profile& p) { return column<double>(p, [](Row r) { return r.time.s; }); }, owned,
          "Simulated.")
      .def_prop_ro(
          "messages", [](const Profile& p) { return column<std::uint64_t>(p, [](Row r) { return r.messages; }); },
          owned, "Sent.")
      .def_prop_ro(
          "bytes", [](const Profile& p) { return column<std::int64_t>(p, [](Row r) { return r.bytes.count; }); }, owned,
          "Sent.");
}

static void bind_algorithm_use(nb::module_& m) {
  nb::class_<kernel::AlgorithmUse>(m, "AlgorithmUse", "Collective calls of one routine that one algorithm served.")
      .def_ro("routine", &kernel::AlgorithmUse::routine, "Position in `routine_names()`.")
      .def_prop_ro("collective",
                   [](const kernel::AlgorithmUse& use) { return collective::name(use.choice.algorithm->kind); })
      .def_prop_ro(
          "algorithm", [](const kernel::AlgorithmUse& use) { return collective::spelled(use.choice); },
          "With its parameters, as `fixed` of a selector takes it.")
      .def_ro("calls", &kernel::AlgorithmUse::calls, "Of single ranks.")
      .def_ro("messages", &kernel::AlgorithmUse::messages, "Sent.")
      .def_prop_ro(
          "bytes", [](const kernel::AlgorithmUse& use) { return use.bytes.count; }, "Sent.");
}

static void bind_outcome(nb::module_& m) {
  using launch::End;
  nb::enum_<launch::Start>(m, "Start", "How ranks become processes.")
      .value("FORK", launch::Start::Fork, "The program starts once and forks its ranks in MPI_Init.")
      .value("EXEC", launch::Start::Exec, "Every rank is started afresh.");

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
            return o.deadlock ? std::optional(launch::describe(*o.deadlock, routines())) : std::nullopt;
          },
          "Report of who waits for whom.")
      .def_ro("wall_s", &Outcome::wall_s)
      .def_ro("peak_rss_bytes", &Outcome::peak_rss_bytes,
              "Largest sum of the ranks' proportional set sizes seen, a few times a second; above 64 ranks estimated "
              "from\n16. 0: the run was too short to see one.");

  nb::class_<ProgressSnapshot>(m, "Progress", "How far a run is.")
      .def_ro("now_s", &ProgressSnapshot::now_s, "Simulated time.")
      .def_ro("messages", &ProgressSnapshot::messages)
      .def_ro("bytes", &ProgressSnapshot::bytes)
      .def_ro("ranks_alive", &ProgressSnapshot::ranks_alive);
}

static void bind_run(nb::module_& m) {
  nb::class_<LiveRun>(m, "Run", "One run of a program on a platform. Results are there once `run` has returned.")
      .def(
          "__init__",
          [](LiveRun* self, const platform::Platform& platform, const ModelParameters& model,
             const SharedSelector& selector, std::vector<std::string> command, std::vector<std::string> environment,
             std::string directory, std::vector<platform::HostId> host_of_rank, std::vector<double> compute_factor,
             launch::Start start, bool label, bool measure_compute, double compute_scale, bool simulated_clock,
             std::int64_t buffered_limit, const std::optional<network::StorageParameters>& storage, double poll_cost,
             double reduce, double copy, std::uint32_t initial_ranks, double spawn_cost) {
            std::vector<std::string> host_names;
            for (const platform::Host& host : platform.hosts()) host_names.push_back(host.name);
            if (compute_factor.empty()) compute_factor = factors(platform, host_of_rank);
            const std::vector<mpi::channel::Level> levels = levels_of(platform, host_of_rank);
            const auto places = static_cast<std::uint32_t>(host_of_rank.size());
            const std::uint32_t ranks = initial_ranks == 0 ? places : initial_ranks;
            launch::Job job{.command = std::move(command),
                            .environment = std::move(environment),
                            .directory = std::move(directory),
                            .ranks = ranks,
                            .start = start,
                            .label = label,
                            .measure_compute = measure_compute,
                            .compute_scale = compute_scale,
                            .simulated_clock = simulated_clock,
                            .buffered_limit = buffered_limit,
                            .host_names = std::move(host_names),
                            .levels = levels,
                            .routine_names = routines(),
                            .kernel = {.host_of_rank = std::move(host_of_rank),
                                       .compute_factor = std::move(compute_factor),
                                       .poll_cost = {poll_cost},
                                       .reduce_s_per_byte = reduce,
                                       .copy_s_per_byte = copy,
                                       .spawn_cost = {spawn_cost},
                                       .storage = storage.value_or(network::StorageParameters{}),
                                       .levels = places_of_levels(levels)}};
            new (self) LiveRun(std::move(job), platform, model, selector);
          },
          "platform"_a, "model"_a, "selector"_a, nb::kw_only(), "command"_a, "environment"_a, "directory"_a = "",
          "host_of_rank"_a, "compute_factor"_a = std::vector<double>{}, "start"_a = launch::Start::Fork,
          "label"_a = false, "measure_compute"_a = true, "compute_scale"_a = 1.0, "simulated_clock"_a = true,
          "buffered_limit_bytes"_a = 0, "storage"_a = nb::none(), "poll_cost_s"_a = 1e-6, "reduce_s_per_byte"_a = 0.0,
          "copy_s_per_byte"_a = 0.0, "ranks"_a = 0, "spawn_cost_s"_a = 0.1,
          "`environment`: \"NAME=value\", complete. `host_of_rank`: positions in `platform.hosts`, of `ranks` ranks\n"
          "(0: of all) and of those that the program may start later. `compute_factor`, per rank: simulated seconds "
          "per\n"
          "second measured here; empty: from the "
          "speeds of the hosts.")
      .def("run", &run, "output"_a = nb::none(),
           nb::sig(
               "def run(self, output: collections.abc.Callable[[int, bool, bytes], object] | None = None) -> Outcome"),
           "Runs to the end. `output(rank, error_stream, text)` gets whole lines, from another thread; rank -1: not\n"
           "labelled. Ctrl-C ends the run with End.INTERRUPTED.")
      .def(
          "stop", [](LiveRun& self) { self.run.stop(); }, "From any thread: ends the run.")
      .def("progress",
           [](const LiveRun& self) {
             const kernel::Progress& now = self.run.simulation().progress();
             return ProgressSnapshot{now.now_s, now.messages, now.bytes, now.ranks_alive};
           })
      .def(
          "algorithm_use", [](const LiveRun& self) { return self.run.simulation().algorithm_use(); },
          "Which algorithms served collective calls; by routine.")
      .def("profile", [](const LiveRun& self) { return Profile{self.run.simulation().profile()}; })
      .def_prop_ro("simulated_s", [](const LiveRun& self) { return self.run.simulation().now().s; })
      .def_prop_ro(
          "end_of_ranks_s",
          [](const LiveRun& self) {
            std::vector<double> ends;
            for (SimTime end : self.run.simulation().end_of_ranks()) ends.push_back(end.s);
            return ends;
          },
          "Simulated time at which each rank finalised.")
      .def_prop_ro("messages_sent", [](const LiveRun& self) { return self.run.simulation().messages(); })
      .def_prop_ro("bytes_sent", [](const LiveRun& self) { return self.run.simulation().bytes().count; })
      .def_prop_ro("file_accesses", [](const LiveRun& self) { return self.run.simulation().file_use().accesses; })
      .def_prop_ro("file_bytes_read", [](const LiveRun& self) { return self.run.simulation().file_use().read.count; })
      .def_prop_ro("file_bytes_written",
                   [](const LiveRun& self) { return self.run.simulation().file_use().written.count; })
      .def_prop_ro(
          "events", [](const LiveRun& self) { return self.run.simulation().events(); }, "Processed by the clock.")
      .def_prop_ro(
          "outside_waits", [](const LiveRun& self) { return self.run.simulation().outside_waits(); },
          "How often a rank waited for something outside of the simulation, so that the others went on without it.")
      .def_prop_ro("bytes_per_idle_rank",
                   [](const LiveRun& self) { return self.run.simulation().bytes_per_idle_rank(); });
}

void bind_launch(nb::module_& m) {
  bind_profile(m);
  bind_algorithm_use(m);
  bind_outcome(m);
  bind_run(m);
  m.def("routine_names", &routines, "Names of MPI routines, by the numbers of profiles; 0: the application itself.");
}

}  // namespace orrery::python
