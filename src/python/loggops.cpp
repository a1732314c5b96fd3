// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bind.hpp"
#include "python/interruptible.hpp"
#include "replay/loggops_run.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {
namespace {

replay::LogGOPSRun run_loggops(const std::string& schedule, const std::string& parameters) {
  std::atomic<bool> stop{false};
  return interruptible(stop, [&] { return replay::run_loggops_file(schedule, parameters, &stop); });
}

}  // namespace

void bind_loggops(nb::module_& m) {
  using replay::LogGOPSRun;
  nb::class_<LogGOPSRun>(m, "LogGOPSRun", "What a schedule takes under the LogGOPS model.")
      .def_prop_ro(
          "end_ns", [](const LogGOPSRun& run) { return run.result.end_ns; }, "By rank.")
      .def_prop_ro(
          "events", [](const LogGOPSRun& run) { return run.result.events; }, "Operations and messages.")
      .def_prop_ro("complete", &LogGOPSRun::complete, "Everything was done.")
      .def("text", &LogGOPSRun::text, "For people.")
      .def("to_json", &LogGOPSRun::to_json, "All of it.");
  m.def("run_loggops", &run_loggops, "schedule"_a, "parameters"_a = "",
        "Runs a GOAL schedule under the LogGOPS model, as LogGOPSim does. `parameters`: such as \"L=2500,o=1500\".\n"
        "Raises InputError for a schedule or parameters that are none, and KeyboardInterrupt for Ctrl-C.");
}

}  // namespace orrery::python
