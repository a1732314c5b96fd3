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
#include "collective/fixed.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/named_rules.hpp"
#include "python/bind.hpp"
#include "python/levels.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using namespace collective;

namespace {

CollectiveKind kind_of(std::string_view collective) {
  if (const auto kind = kind_named(collective)) return *kind;
  throw InputError(concat("there is no collective named \"", collective, "\""));
}

/// (bytes from, bytes to, algorithm, segment, fan-out)
using RuleTuple = std::tuple<std::int64_t, std::int64_t, std::string, std::int64_t, int>;

DynamicRule dynamic_rule(CollectiveKind kind, const RuleTuple& rule) {
  const auto& [from, to, algorithm, segment, fanout] = rule;
  const Choice choice{.algorithm = find_openmpi(kind, algorithm), .segment = {segment}, .fanout = fanout};
  if (algorithm.empty()) return {from, to, {}};
  if (choice.algorithm == nullptr)
    throw InputError(concat("Open MPI's ", name(kind), " has no algorithm \"", algorithm, "\""));
  return {from, to, choice};
}

/// By Open MPI's name.
RankDistribution distribution_named(std::string_view name) {
  if (name == "any") return RankDistribution::Any;
  if (name == "one-per-node") return RankDistribution::OnePerNode;
  if (name == "single-node") return RankDistribution::SingleNode;
  throw InputError(concat("\"", name, "\": ranks are \"any\", \"one-per-node\" or \"single-node\""));
}

std::vector<std::string_view> names(const std::vector<CollectiveKind>& kinds) {
  std::vector<std::string_view> all;
  for (const CollectiveKind kind : kinds) all.push_back(collective::name(kind));
  return all;
}

NamedRule named_rule(std::string_view collective, std::pair<int, int> ranks,
                     std::pair<std::int64_t, std::int64_t> bytes, std::string_view algorithm) {
  const CollectiveKind kind = kind_of(collective);
  return {.kind = kind,
          .size_from = ranks.first,
          .size_to = ranks.second,
          .bytes_from = bytes.first,
          .bytes_to = bytes.second,
          .choice = algorithm.empty() ? Choice{} : parse_choice(kind, algorithm, algorithm)};
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
      .def_prop_ro("fans_out", &fans_out, "Obeys a fan-out: chains, the radix of a tree, or requests at a time.")
      .def_ro("defined_in", &Algorithm::defined_in, "The collective in whose namespace its function is.")
      .def_ro("openmpi", &Algorithm::openmpi, "Its name in Open MPI's component `tuned`; empty: it is not there.")
      .def_ro("libnbc", &Algorithm::libnbc, "Its name in the component `libnbc`, for calls that do not block.")
      .def_ro("mpich", &Algorithm::mpich, "Its names in MPICH for blocking calls, separated by blanks.")
      .def_ro("mpich_immediate", &Algorithm::mpich_immediate, "Its names in MPICH for immediate calls.")
      .def_ro("between_groups", &Algorithm::inter, "For inter-communicators, and no others.")
      .def_ro("source", &Algorithm::source);
  m.def(
      "algorithms", [] { return std::vector<Algorithm>(algorithms().begin(), algorithms().end()); },
      "All collective algorithms, sorted by collective.");

  nb::class_<DynamicRules>(m, "DynamicRules", "Rules of Open MPI's for communicators of some sizes.")
      .def(
          "__init__",
          [](DynamicRules* self, std::string_view collective, int size_from, int size_to,
             const std::vector<RuleTuple>& rules, std::string_view ranks) {
            new (self) DynamicRules{kind_of(collective), size_from, size_to, {}, distribution_named(ranks)};
            for (const RuleTuple& rule : rules) self->rules.push_back(dynamic_rule(self->kind, rule));
          },
          "collective"_a, "size_from"_a, "size_to"_a, "rules"_a, "ranks"_a = "any",
          "`rules`, the first that fits decides: bytes from, bytes to (both included), algorithm by Open MPI's name\n"
          "(empty: the library decides), segment size, fan-out; `ranks`: \"any\", \"one-per-node\" or "
          "\"single-node\".");

  nb::class_<MpichRules>(m, "MpichRules",
                         "What a tuning file of MPICH's says (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE).")
      .def(
          "__init__",
          [](MpichRules* self, std::string_view json) { new (self) MpichRules(MpichRules::from_json(json)); }, "json"_a,
          "Raises InputError naming the line that is wrong and what would be right.");

  m.def("mpich_tree", &mpich_tree, "release"_a, "of_device"_a,
        "The tree of conditions by which a release of MPICH chooses, as it is built in: lines \"condition\" or\n"
        "\"condition: algorithm setting=value ...\", one level deeper per two blanks, collectives on top, names of\n"
        "algorithms without what is before \"intra\", \"inter\" or \"allcomm\". `of_device`: that of compositions, "
        "which\n"
        "comes first. Raises InputError naming the releases that are here.");

  nb::class_<NamedRule>(m, "NamedRule", "A rule of ours: which algorithm blocking calls of some sizes use.")
      .def(
          "__init__",
          [](NamedRule* self, std::string_view collective, std::pair<int, int> ranks,
             std::pair<std::int64_t, std::int64_t> bytes,
             std::string_view algorithm) { new (self) NamedRule(named_rule(collective, ranks, bytes, algorithm)); },
          "collective"_a, nb::kw_only(), "ranks"_a, "bytes"_a, "algorithm"_a,
          "`ranks`, `bytes`: from and to, both included; bytes as `CollectiveCall` has them; `algorithm`: as `fixed` "
          "of a\n"
          "selector takes it; empty: the library decides. Raises InputError for what there is not.");

  nb::class_<SharedSelector>(m, "Selector", "Says which algorithm a collective call uses.")
      .def(
          "__init__",
          [](SharedSelector* self, std::string_view name, std::string_view fixed, std::vector<DynamicRules> rules,
             const MpichRules* mpich, std::vector<NamedRule> named) {
            new (self) SharedSelector{make_selector(name, fixed, std::move(rules), mpich, std::move(named))};
          },
          "name"_a = "default", "fixed"_a = "", "rules"_a = std::vector<DynamicRules>{}, "mpich"_a = nb::none(),
          "named"_a = std::vector<NamedRule>{},
          "`fixed` overrules per collective: \"allreduce=ring,bcast=binomial:segment=32KiB\"; then come `named`, of "
          "which\n"
          "the first that fits decides, `rules`, and `mpich`.")
      .def_prop_ro("name", [](const SharedSelector& self) { return self.selector->name(); })
      .def_prop_ro(
          "fixed", [](const SharedSelector& self) { return names(self.selector->asked(Decider::Fixed)); },
          "Collectives that `fixed` names an algorithm for.")
      .def_prop_ro(
          "ruled", [](const SharedSelector& self) { return names(self.selector->asked(Decider::Rules)); },
          "Collectives that the user's rules say something about.")
      .def(
          "choose",
          [](const SharedSelector& self, const WholeCall& call) {
            nb::gil_scoped_release released;
            return chosen(call, *self.selector);
          },
          "call"_a, nb::keep_alive<0, 1>(), "Other threads run meanwhile.");

  nb::class_<Places>(m, "Places", "Which ranks of a communicator are near each other.")
      .def(
          "__init__",
          [](Places* self, const platform::Platform& platform, const std::vector<platform::HostId>& host_of_rank) {
            new (self) Places(static_cast<int>(host_of_rank.size()),
                              places_of_levels(levels_of(platform, locate(platform, host_of_rank))));
          },
          "platform"_a, "host_of_rank"_a)
      .def_static(
          "of_nodes",
          [](std::vector<std::uint32_t> node_of_rank) {
            const auto size = static_cast<int>(node_of_rank.size());
            return Places(size, {{.name = "node", .part_of_rank = std::move(node_of_rank)}});
          },
          "node_of_rank"_a, "Where only the nodes are known, by any numbers.");

  nb::class_<WholeCall>(m, "CollectiveCall", "A call as all ranks of a communicator make it together.")
      .def(
          "__init__",
          [](WholeCall* self, std::string_view collective, int size, std::int64_t bytes, int root, std::int64_t element,
             bool immediate, const Places* places, bool commutative, bool built_in, bool in_place,
             std::int64_t extent) {
            new (self) WholeCall{.kind = kind_of(collective),
                                 .size = size,
                                 .root = root,
                                 .bytes = {bytes},
                                 .element = element,
                                 .extent = extent,
                                 .commutative = commutative,
                                 .built_in = built_in,
                                 .in_place = in_place,
                                 .immediate = immediate,
                                 .places = places};
          },
          "collective"_a, nb::kw_only(), "size"_a, "bytes"_a, "root"_a = 0, "element"_a = 1, "immediate"_a = false,
          "places"_a = nb::none(), "commutative"_a = true, "built_in"_a = true, "in_place"_a = false, "extent"_a = 0,
          nb::keep_alive<1, 8>(),
          "`size`: ranks; `bytes`: of the vector, or of every block; `element`: bytes of what is not cut; `immediate`: "
          "a\n"
          "non-blocking call; `places`: hierarchical algorithms need them; `commutative`, `built_in`: the operation of "
          "a\n"
          "reduction; `in_place`: of an alltoall(v, w); `extent`: bytes from one element to the next, 0: as "
          "`element`.")
      .def_prop_ro(
          "size", [](const WholeCall& self) { return self.size; }, "Ranks.");

  nb::class_<Choice>(m, "Choice", "An algorithm and its parameters.")
      .def_prop_ro("algorithm", [](const Choice& self) { return self.algorithm->name; })
      .def_prop_ro(
          "segments", [](const Choice& self) { return self.algorithm->segments; }, "Obeys a segment size.")
      .def_prop_ro(
          "segment_bytes", [](const Choice& self) { return self.segment.count; }, "0: not segmented.")
      .def_prop_ro("name", &spelled, "The algorithm with its parameters, as `fixed` of a selector takes it.")
      .def_prop_ro(
          "instead_of", [](const Choice& self) { return self.instead_of.algorithm; },
          "An algorithm that was asked for and does not serve the call; empty: what was asked for does.")
      .def_prop_ro(
          "why", [](const Choice& self) { return self.instead_of.why; }, "Why it does not.")
      .def_prop_ro(
          "ruled", [](const Choice& self) { return self.by == Decider::Rules; },
          "Whether a rule of the user's decided.")
      .def(
          "with_segment",
          [](Choice self, std::int64_t bytes) {
            self.segment = {bytes};
            return self;
          },
          "bytes"_a, nb::keep_alive<0, 1>());
  m.def("accepting_choices", &accepting, "call"_a,
        "All algorithms that serve the call, without segments; among them such as leave it to another one.");
  m.def("served_choice", &served, "call"_a, "choice"_a,
        "The choice under the name of the algorithm whose messages it sends: that to which the chosen one leaves the "
        "call.");
  m.def(
      "named_choice",
      [](const WholeCall& call, std::string_view algorithm, std::int64_t segment, int fanout) {
        return named_choice(call, algorithm, {segment}, fanout);
      },
      "call"_a, "algorithm"_a, "segment"_a = 0, "fanout"_a = 0,
      "An algorithm named by the user, by Orrery's name or Open MPI's. Where it does not serve the call, the one that\n"
      "Open MPI runs instead.");
  m.def("estimated_messages", &estimated_messages, "call"_a, "choice"_a, "How many messages the call sends, about.");

  m.def("selectors", &selector_names, "Names of all selectors.");
  m.def(
      "collective_messages", [](const WholeCall& call, const Choice& choice) { return tuples(messages(call, choice)); },
      "call"_a, "choice"_a, "(source, number among the messages of its source, destination, bytes)");
}

}  // namespace orrery::python
