// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
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

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using LeftOut = std::map<std::string, std::pair<std::string, std::uint64_t>>;

static replay::GoalRoutines goal_routines() {
  return {.isend = routine_number("MPI_Isend"),
          .irecv = routine_number("MPI_Irecv"),
          .waitsome = routine_number("MPI_Waitsome"),
          .finalize = routine_number("MPI_Finalize")};
}

static LeftOut write_goal(HeldSource& held, bool steady, const SharedSelector& selector, kernel::AlgorithmUses& uses,
                          const std::string& path, bool text, bool lossy) {
  nb::gil_scoped_release released;
  const auto source = std::move(held.source);
  if (source == nullptr) throw InputError("a source can be read once; open it again");
  replay::GoalWritten written = replay::write_goal(
      *source, steady ? computation::Charge::Steady : computation::Charge::Raw, *selector.selector, uses, lossy);
  std::ofstream out(path, std::ios::binary);
  if (text) {
    out << "/* Written by Orrery */\n";  // by which it is known when it is to be written again
    trace::goal::write_text(trace::goal::Schedule::of(std::move(written.schedule), path), out);
  } else {
    out.write(reinterpret_cast<const char*>(written.schedule.data()),
              static_cast<std::streamsize>(written.schedule.size()));
  }
  out.flush();
  if (!out) throw InputError(concat(path, ": ", std::strerror(errno), ": cannot write the schedule"));
  LeftOut left_out;
  for (const auto& [what, omission] : written.left_out) left_out[what] = {omission.why, omission.times};
  return left_out;
}

void bind_goal(nb::module_& m) {
  m.def("write_goal", &write_goal, "source"_a, "steady"_a, "selector"_a, "uses"_a, "path"_a, nb::kw_only(),
        "text"_a = true, "lossy"_a = false,
        "Writes a source as a GOAL schedule, computation as measured or `steady` (less its noise), collectives as the "
        "messages of their algorithms, which `uses` counts. What "
        "was left out: why, and how often.");
  m.def(
      "open_goal",
      [](const std::string& path) {
        return HeldSource{std::make_unique<replay::GoalSource>(trace::goal::Schedule::open(path), goal_routines())};
      },
      "path"_a, "A GOAL schedule, text or binary, for any network model.");
}

}  // namespace orrery::python
