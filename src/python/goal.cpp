// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "python/bind.hpp"
#include "python/sources.hpp"
#include "replay/goal_source.hpp"
#include "replay/loggops.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

void bind_goal(nb::module_& m) {
  m.def(
      "open_goal",
      [](const std::string& path) {
        return HeldSource{std::make_unique<replay::GoalSource>(trace::goal::Schedule::open(path))};
      },
      "path"_a, "A GOAL schedule, text or binary, for any network model.");
  nb::class_<replay::LogGOPSResult>(m, "LogGOPSResult", "What a schedule takes under the LogGOPS model.")
      .def_ro("end_ns", &replay::LogGOPSResult::end_ns, "By rank.")
      .def_ro("events", &replay::LogGOPSResult::events, "Operations and messages.")
      .def_ro("unfinished", &replay::LogGOPSResult::unfinished, "Operations that could not be done.")
      .def_ro("unmatched", &replay::LogGOPSResult::unmatched,
              "Messages that nobody received, and the other way round.");
  m.def(
      "run_loggops",
      [](const std::string& path, const std::string& parameters, const Stop* stop) {
        nb::gil_scoped_release released;
        return replay::run_loggops(trace::goal::Schedule::open(path), replay::LogGOPS::parse(parameters), nullptr,
                                   stop == nullptr ? nullptr : &stop->wanted);
      },
      "path"_a, "parameters"_a = "", nb::kw_only(), "stop"_a = nb::none(),
      "Runs a GOAL schedule under the LogGOPS model, as LogGOPSim does. `parameters`: such as \"L=2500,o=1500\".");
  m.def("is_goal_binary", [](nb::bytes start) {
    return trace::goal::Schedule::is_binary({start.c_str(), start.size()});
  });
}

}  // namespace orrery::python
