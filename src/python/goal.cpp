// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "python/bind.hpp"
#include "python/sources.hpp"
#include "replay/goal_source.hpp"
#include "replay/goal_writer.hpp"
#include "replay/loggops.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

static std::map<std::string, std::uint64_t> write_goal(HeldSource& held, const SharedSelector& selector,
                                                       const std::string& path, bool text, bool lossy) {
  nb::gil_scoped_release released;
  const auto source = std::move(held.source);
  if (source == nullptr) throw InputError("a source can be read once; open it again");
  replay::GoalWritten written = replay::write_goal(*source, *selector.selector, lossy);
  std::ofstream out(path, std::ios::binary);
  if (text) {
    trace::goal::write_text(trace::goal::Schedule::of(std::move(written.schedule), path), out);
  } else {
    out.write(reinterpret_cast<const char*>(written.schedule.data()),
              static_cast<std::streamsize>(written.schedule.size()));
  }
  out.flush();
  if (!out) throw InputError(concat(path, ": ", std::strerror(errno), ": cannot write the schedule"));
  return written.left_out;
}

void bind_goal(nb::module_& m) {
  m.def(
      "write_goal", &write_goal, "source"_a, "selector"_a, "path"_a, nb::kw_only(), "text"_a = true, "lossy"_a = false,
      "Writes a source as a GOAL schedule, collectives as the messages of their algorithms. What was left out, and how "
      "often.");
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
