// SPDX-License-Identifier: BSD-3-Clause
#include "python/results.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "collective/fixed.hpp"
#include "kernel/profile.hpp"
#include "python/bind.hpp"
#include "routine_names.hpp"

namespace nb = nanobind;

namespace orrery::python {

using kernel::ProfileRow;

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

/// Called once by each rank.
static bool starts_mpi(op::RoutineId routine) {
  return routine_names[routine] == "MPI_Init" || routine_names[routine] == "MPI_Init_thread";
}

/// The profile with calls that sent the kernel nothing; both by rank, phase, routine.
static Profile with_local_calls(std::vector<ProfileRow> rows, const std::vector<ProfileRow>& local) {
  const auto place = [](const ProfileRow& row) { return std::tuple(row.rank, row.phase, row.routine); };
  Profile merged;
  merged.rows.reserve(rows.size() + local.size());
  std::ranges::merge(rows, local, std::back_inserter(merged.rows), {}, place, place);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < merged.rows.size(); ++i) {
    if (kept > 0 && place(merged.rows[kept - 1]) == place(merged.rows[i])) {
      // The kernel's row, which comes first, has the rest; where starting takes time it has the call itself.
      if (!starts_mpi(merged.rows[i].routine)) merged.rows[kept - 1].calls += merged.rows[i].calls;
    } else {
      merged.rows[kept++] = merged.rows[i];
    }
  }
  merged.rows.resize(kept);
  return merged;
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

static std::string_view asked_by(collective::Decider decider) {
  switch (decider) {
    case collective::Decider::Fixed: return "fixed";
    case collective::Decider::Rules: return "rules";
    case collective::Decider::Trace: return "trace";
    case collective::Decider::Selector: break;
  }
  return "";
}

static void bind_algorithm_use(nb::module_& m) {
  nb::class_<kernel::AlgorithmUse>(m, "AlgorithmUse", "Collective calls of one routine that one algorithm served.")
      .def_ro("routine", &kernel::AlgorithmUse::routine, "Position in `routine_names()`.")
      .def_prop_ro("collective",
                   [](const kernel::AlgorithmUse& use) { return collective::name(use.choice.algorithm->kind); })
      .def_prop_ro(
          "algorithm", [](const kernel::AlgorithmUse& use) { return collective::spelled(use.choice); },
          "With its parameters, as `fixed` of a selector takes it.")
      .def_ro("calls", &kernel::AlgorithmUse::calls, "Number of calls of single ranks.")
      .def_ro("ruled", &kernel::AlgorithmUse::ruled, "Number of these about which rules of the user decided.")
      .def_prop_ro(
          "instead_of", [](const kernel::AlgorithmUse& use) { return use.choice.instead_of.algorithm; },
          "An algorithm that was asked for and did not serve these calls; empty: what was asked for did.")
      .def_prop_ro(
          "why", [](const kernel::AlgorithmUse& use) { return use.choice.instead_of.why; }, "Why it did not.")
      .def_prop_ro(
          "asked_by", [](const kernel::AlgorithmUse& use) { return asked_by(use.choice.instead_of.by); },
          "Who asked for it: \"fixed\", \"rules\" or \"trace\".")
      .def_ro("messages", &kernel::AlgorithmUse::messages, "Sent.")
      .def_prop_ro(
          "bytes", [](const kernel::AlgorithmUse& use) { return use.bytes.count; }, "Sent.");
}

static void bind_algorithm_uses(nb::module_& m) {
  nb::class_<kernel::AlgorithmUses>(m, "AlgorithmUses", "Algorithms of collective calls that become messages, counted.")
      .def(nb::init<>())
      .def("sorted", &kernel::AlgorithmUses::sorted, "By routine, then by algorithm.");
}

static void bind_progress(nb::module_& m) {
  nb::class_<ProgressSnapshot>(m, "Progress", "How far a run is.")
      .def_ro("now_s", &ProgressSnapshot::now_s, "Simulated time.")
      .def_ro("messages", &ProgressSnapshot::messages)
      .def_ro("bytes", &ProgressSnapshot::bytes)
      .def_ro("ranks_alive", &ProgressSnapshot::ranks_alive);
}

/// The bytes of all links, one after the other in memory.
static nb::bytes link_bytes(const sharing::LinkLoad& self) {
  std::vector<double> bytes;
  bytes.reserve(self.links().size() * self.buckets());
  for (std::size_t row = 0; row < self.links().size(); ++row) {
    const auto of_link = self.bytes(row);
    bytes.insert(bytes.end(), of_link.begin(), of_link.end());
  }
  return nb::bytes(bytes.data(), bytes.size() * sizeof(double));
}

static void bind_link_load(nb::module_& m) {
  using sharing::LinkLoad;
  nb::class_<LinkLoad>(m, "LinkLoad", "Bytes on the wire that each link carried in each bucket of simulated time.")
      .def_prop_ro("bucket_ns", &LinkLoad::bucket_ns, "Length of a bucket.")
      .def_prop_ro("buckets", &LinkLoad::buckets, "From time 0 to the end of the run, in the last one.")
      .def_prop_ro(
          "numbers",
          [](const LinkLoad& self) {
            return nb::bytes(self.links().data(), self.links().size() * sizeof(LinkLoad::Link));
          },
          "Positions in `Platform.links` (u32) of those that carried something.")
      .def_prop_ro("carried", &link_bytes, "By link, then bucket (f64).");
}

/// What it has counted.
static void bind_counts(nb::class_<Simulated>& simulated) {
  simulated.def_prop_ro("messages_sent", [](const Simulated& self) { return self.simulation().messages(); })
      .def_prop_ro("bytes_sent", [](const Simulated& self) { return self.simulation().bytes().count; })
      .def_prop_ro("file_accesses", [](const Simulated& self) { return self.simulation().file_use().accesses; })
      .def_prop_ro("file_bytes_read", [](const Simulated& self) { return self.simulation().file_use().read.count; })
      .def_prop_ro("file_bytes_written",
                   [](const Simulated& self) { return self.simulation().file_use().written.count; })
      .def_prop_ro(
          "events", [](const Simulated& self) { return self.simulation().events(); }, "Processed by the clock.")
      .def_prop_ro(
          "stalled", [](const Simulated& self) { return self.simulation().stalled().messages; },
          "Messages that waited for a time-out of a crowded switch.")
      .def_prop_ro("stalled_s", [](const Simulated& self) { return self.simulation().stalled().time.s; })
      .def_prop_ro(
          "connections",
          [](const Simulated& self) {
            const auto& made = self.simulation().connected().by_technique;
            return std::vector<std::uint64_t>(made.begin(), made.end());
          },
          "Connections between clusters that were made, by number of their technique.")
      .def_prop_ro(
          "connecting_s", [](const Simulated& self) { return self.simulation().connected().waited.s; },
          "Sum of the times by which messages were later as a connection between clusters was made.")
      .def_prop_ro("relayed_messages",
                   [](const Simulated& self) { return self.simulation().connected().relayed_messages; })
      .def_prop_ro("relayed_bytes", [](const Simulated& self) { return self.simulation().connected().relayed.count; })
      .def_prop_ro(
          "unreceived",
          [](const Simulated& self) {
            const kernel::Unreceived found = self.simulation().unreceived();
            return std::tuple(found.messages, found.bytes.count, found.source, found.dest);
          },
          "Messages that were sent and not received: how many, bytes; source and destination of one of them.")
      .def_prop_ro(
          "outside_waits", [](const Simulated& self) { return self.simulation().outside_waits(); },
          "How often a rank waited for something outside of the simulation, so that the others went on without it.")
      .def_prop_ro("bytes_per_idle_rank",
                   [](const Simulated& self) { return self.simulation().bytes_per_idle_rank(); });
}

static void bind_simulated(nb::module_& m) {
  nb::class_<Simulated> simulated(m, "Simulated", "A run, live or replayed. Results are there once it has ended.");
  simulated
      .def("progress",
           [](const Simulated& self) {
             const kernel::Progress& now = self.simulation().progress();
             return ProgressSnapshot{now.now_s, now.messages, now.bytes, now.ranks_alive};
           })
      .def(
          "algorithm_use", [](const Simulated& self) { return self.simulation().algorithm_use(); },
          "Which algorithms served collective calls; by routine.")
      .def(
          "profile",
          [](const Simulated& self) { return with_local_calls(self.simulation().profile(), self.local_calls()); },
          "Calls that only look at what a rank knows take no simulated time, but are counted.")
      .def_prop_ro("simulated_s", [](const Simulated& self) { return self.simulation().now().s; })
      .def_prop_ro(
          "end_of_ranks_s",
          [](const Simulated& self) {
            std::vector<double> ends;
            for (SimTime end : self.simulation().end_of_ranks()) ends.push_back(end.s);
            return ends;
          },
          "Simulated time at which each rank finalised.")
      .def_prop_ro(
          "launched_s", [](const Simulated& self) { return self.simulation().launched().s; },
          "Simulated time at which the last of the ranks that are there from the start left MPI_Init.");
  bind_counts(simulated);
  simulated.def("stop", &Simulated::stop, "From any thread: ends the run.")
      .def(
          "record_links", [](Simulated& self) { return self.links.begin(self.platform, *self.transport); },
          "Before the run: keeps what each link carries. False: the network model has no links.")
      .def(
          "link_load", [](const Simulated& self) { return self.links.until(self.simulation().now()); },
          "After the run; None: it was not asked for, or the network model has no links.");
}

void bind_results(nb::module_& m) {
  bind_link_load(m);
  bind_profile(m);
  bind_algorithm_use(m);
  bind_algorithm_uses(m);
  bind_progress(m);
  bind_simulated(m);
}

}  // namespace orrery::python
