// SPDX-License-Identifier: BSD-3-Clause
#include "collective/collective.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "collective/enumerate.hpp"
#include "python/bind.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using namespace collective;

namespace {

CollectiveKind kind_of(std::string_view collective) {
  if (const auto kind = kind_named(collective)) return *kind;
  throw InputError(concat("there is no collective named \"", collective, "\""));
}

/// (source, number among the messages of its source, destination, bytes)
using MessageTuple = std::tuple<int, int, int, std::int64_t>;

std::vector<MessageTuple> tuples(const std::vector<MessageOf>& messages) {
  std::vector<MessageTuple> all;
  all.reserve(messages.size());
  for (const MessageOf& message : messages)
    all.emplace_back(message.source, message.sequence, message.dest, message.bytes.count);
  return all;
}

}  // namespace

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

  m.def("selectors", &selector_names, "Names of all selectors.");
  m.def(
      "collective_messages",
      [](std::string_view collective, int size, std::int64_t bytes, int root, std::int64_t element,
         const SharedSelector& selector) {
        const WholeCall call{kind_of(collective), size, root, {bytes}, element};
        const Choice choice = chosen(call, *selector.selector);
        return std::pair(std::string(choice.algorithm->name), tuples(messages(call, choice)));
      },
      "collective"_a, "size"_a, "bytes"_a, "root"_a, "element"_a, "selector"_a,
      "The algorithm that the selector chooses for a call, and its messages: (source, number among those of its "
      "source, "
      "destination, bytes).");
  m.def(
      "collective_messages_by",
      [](std::string_view collective, int size, std::int64_t bytes, int root, std::int64_t element,
         std::string_view algorithm, std::int64_t segment, int fanout) {
        const WholeCall call{kind_of(collective), size, root, {bytes}, element};
        const Choice choice = named_choice(call, algorithm, {segment}, fanout);
        return std::pair(std::string(choice.algorithm->name), tuples(messages(call, choice)));
      },
      "collective"_a, "size"_a, "bytes"_a, "root"_a, "element"_a, "algorithm"_a, "segment"_a = 0, "fanout"_a = 0,
      "The same with an algorithm named by the user, by Orrery's name or Open MPI's. Where it does not serve the call, "
      "the "
      "one that Open MPI runs instead.");
}

}  // namespace orrery::python
