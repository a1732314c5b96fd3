// SPDX-License-Identifier: BSD-3-Clause
#include "collective/collective.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "python/bind.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using namespace collective;

void bind_collective(nb::module_& m) {
  nb::class_<Algorithm>(m, "Algorithm", "A collective algorithm and what must hold for it to be used.")
      .def_prop_ro("collective", [](const Algorithm& a) { return collective::name(a.kind); })
      .def_ro("name", &Algorithm::name)
      .def_ro("power_of_two_only", &Algorithm::power_of_two_only)
      .def_ro("commutative_only", &Algorithm::commutative_only)
      .def_ro("even_only", &Algorithm::even_only)
      .def_ro("segments", &Algorithm::segments, "Obeys a segment size.")
      .def_ro("source", &Algorithm::source);
  m.def(
      "algorithms", [] { return std::vector<Algorithm>(algorithms().begin(), algorithms().end()); },
      "All collective algorithms, sorted by collective.");

  nb::class_<SharedSelector>(m, "Selector", "Says which algorithm a collective call uses.")
      .def(
          "__init__",
          [](SharedSelector* self, std::string_view name, std::string_view fixed) {
            new (self) SharedSelector{make_selector(name, fixed)};
          },
          "name"_a = "default", "fixed"_a = "",
          "`fixed` overrules per collective: \"allreduce=ring,bcast=binomial:segment=32KiB\".")
      .def_prop_ro("name", [](const SharedSelector& self) { return self.selector->name(); });
}

}  // namespace orrery::python
