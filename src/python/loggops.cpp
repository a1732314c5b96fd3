// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kernel/kernel.hpp"
#include "python/input_errors.hpp"
#include "python/interruptible.hpp"
#include "replay/loggops.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {
namespace {

replay::LogGOPSResult run_loggops(const std::string& path, const std::string& parameters) {
  std::atomic<bool> stop{false};
  try {
    return interruptible(stop, [&] {
      return replay::run_loggops(trace::goal::Schedule::open(path), replay::LogGOPS::parse(parameters), nullptr, &stop);
    });
  } catch (const kernel::Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
}

}  // namespace
}  // namespace orrery::python

// Beside `_core`, not in it: a schedule is often simulated in less time than it takes to load all of that.
NB_MODULE(_loggops, m) {
  using orrery::replay::LogGOPSResult;
  m.doc() = "GOAL schedules under the LogGOPS model.";
  orrery::python::translate_input_errors();
  nb::class_<LogGOPSResult>(m, "LogGOPSResult", "What a schedule takes under the LogGOPS model.")
      .def_ro("end_ns", &LogGOPSResult::end_ns, "By rank.")
      .def_ro("events", &LogGOPSResult::events, "Operations and messages.")
      .def_ro("unfinished", &LogGOPSResult::unfinished, "Operations that could not be done.")
      .def_ro("unmatched", &LogGOPSResult::unmatched, "Messages that nobody received, and the other way round.");
  m.def("run_loggops", &orrery::python::run_loggops, "path"_a, "parameters"_a = "",
        "Runs a GOAL schedule under the LogGOPS model, as LogGOPSim does. `parameters`: such as \"L=2500,o=1500\".\n"
        "Raises InputError for a schedule or parameters that are none, and KeyboardInterrupt for Ctrl-C.");
}
