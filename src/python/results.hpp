// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "kernel/kernel.hpp"
#include "sharing/link_load.hpp"

/// What a simulation has found, as Python sees it; the same for live runs and for replays.
namespace orrery::python {

/// What another thread sees of a run under way.
struct ProgressSnapshot {
  double now_s;
  std::uint64_t messages, bytes;
  std::uint32_t ranks_alive;
};

/// Rows as columns. Python gets memoryviews: NumPy takes them without a copy, and who does not need it does not load
/// it.
struct Profile {
  std::vector<kernel::ProfileRow> rows;
};

/// The profile with calls that sent the kernel nothing; both by rank, phase, routine.
[[nodiscard]] Profile with_local_calls(std::vector<kernel::ProfileRow> rows,
                                       const std::vector<kernel::ProfileRow>& local);

/// What links carry in a run, if it is wanted.
class LinkRecording {
 public:
  /// Before the run. False: its network model has no links.
  bool begin(const platform::Platform& platform, transport::Transport& transport) {
    if (load_) return true;
    load_.emplace(platform.link_count());
    if (!transport.record(*load_)) load_.reset();
    return load_.has_value();
  }
  /// After the run.
  [[nodiscard]] std::optional<sharing::LinkLoad> until(SimTime end) const {
    std::optional<sharing::LinkLoad> whole = load_;
    if (whole) whole->close(end.s);
    return whole;
  }

 private:
  std::optional<sharing::LinkLoad> load_;
};

/// Results of whatever has a `simulation()`, a platform, a transport and `links`.
template <class Run>
void bind_simulation_results(nanobind::class_<Run>& run) {
  run.def("progress",
          [](const Run& self) {
            const kernel::Progress& now = self.simulation().progress();
            return ProgressSnapshot{now.now_s, now.messages, now.bytes, now.ranks_alive};
          })
      .def(
          "algorithm_use", [](const Run& self) { return self.simulation().algorithm_use(); },
          "Which algorithms served collective calls; by routine.")
      .def(
          "profile", [](const Run& self) { return with_local_calls(self.simulation().profile(), self.local_calls()); },
          "Calls that only look at what a rank knows take no simulated time, but are counted.")
      .def_prop_ro("simulated_s", [](const Run& self) { return self.simulation().now().s; })
      .def_prop_ro(
          "end_of_ranks_s",
          [](const Run& self) {
            std::vector<double> ends;
            for (SimTime end : self.simulation().end_of_ranks()) ends.push_back(end.s);
            return ends;
          },
          "Simulated time at which each rank finalised.")
      .def_prop_ro(
          "launched_s", [](const Run& self) { return self.simulation().launched().s; },
          "Simulated time at which the last of the ranks that are there from the start left MPI_Init.")
      .def_prop_ro("messages_sent", [](const Run& self) { return self.simulation().messages(); })
      .def_prop_ro("bytes_sent", [](const Run& self) { return self.simulation().bytes().count; })
      .def_prop_ro("file_accesses", [](const Run& self) { return self.simulation().file_use().accesses; })
      .def_prop_ro("file_bytes_read", [](const Run& self) { return self.simulation().file_use().read.count; })
      .def_prop_ro("file_bytes_written", [](const Run& self) { return self.simulation().file_use().written.count; })
      .def_prop_ro(
          "events", [](const Run& self) { return self.simulation().events(); }, "Processed by the clock.")
      .def_prop_ro(
          "stalled", [](const Run& self) { return self.simulation().stalled().messages; },
          "Messages that waited for a time-out of a crowded switch.")
      .def_prop_ro("stalled_s", [](const Run& self) { return self.simulation().stalled().time.s; })
      .def_prop_ro(
          "connections",
          [](const Run& self) {
            const auto& made = self.simulation().connected().by_technique;
            return std::vector<std::uint64_t>(made.begin(), made.end());
          },
          "Connections between clusters that were made, by number of their technique.")
      .def_prop_ro(
          "connecting_s", [](const Run& self) { return self.simulation().connected().waited.s; },
          "Sum of the times by which messages were later as a connection between clusters was made.")
      .def_prop_ro("relayed_messages", [](const Run& self) { return self.simulation().connected().relayed_messages; })
      .def_prop_ro("relayed_bytes", [](const Run& self) { return self.simulation().connected().relayed.count; })
      .def_prop_ro(
          "outside_waits", [](const Run& self) { return self.simulation().outside_waits(); },
          "How often a rank waited for something outside of the simulation, so that the others went on without it.")
      .def_prop_ro("bytes_per_idle_rank", [](const Run& self) { return self.simulation().bytes_per_idle_rank(); })
      .def(
          "record_links", [](Run& self) { return self.links.begin(self.platform, *self.transport); },
          "Before the run: keeps what each link carries. False: the network model has no links.")
      .def(
          "link_load", [](const Run& self) { return self.links.until(self.simulation().now()); },
          "After the run; None: it was not asked for, or the network model has no links.");
}

}  // namespace orrery::python
