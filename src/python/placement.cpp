// SPDX-License-Identifier: BSD-3-Clause
#include "placement/placement.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "python/bind.hpp"
#include "python/interruptible.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using namespace placement;

/// A search on one matrix and one platform.
struct PlacementSearch {
  Traffic traffic;
  Tree tree;
  Kinds kinds;

  void check_mapping(const Mapping& mapping) const {
    if (mapping.size() != traffic.ranks())
      throw InputError(concat(mapping.size(), " places for ", traffic.ranks(), " ranks"));
    for (const std::uint32_t leaf : mapping)
      if (leaf >= tree.size() || tree[leaf].slots == 0) throw InputError(concat("part ", leaf, " has no slots"));
  }
};

static void check_kinds(const PlacementSearch& search) {
  const Kinds& kinds = search.kinds;
  if (!kinds.of_rank.empty() && kinds.of_rank.size() != search.traffic.ranks())
    throw InputError(concat(kinds.of_rank.size(), " kinds for ", search.traffic.ranks(), " ranks"));
  for (const std::uint32_t kind : kinds.of_rank)
    if (kind >= kinds.may_use.size()) throw InputError(concat("there is no kind ", kind));
  for (const std::vector<bool>& parts : kinds.may_use)
    if (parts.size() != search.tree.size()) throw InputError("a kind does not say of every part whether it may use it");
}

/// A mapping, or KeyboardInterrupt after Ctrl-C. @param search takes what becomes true when it is to stop
template <class Search>
Mapping until_stopped(Search&& search) {
  std::atomic<bool> stop{false};
  Mapping found = interruptible(stop, [&] { return search(&stop); });
  if (stop) throw Interrupted{};  // the search was over before it looked
  return found;
}

static void bind_part(nb::module_& m) {
  nb::class_<Part>(m, "PlacementPart", "A part of a platform to place ranks on.")
      .def(
          "__init__",
          [](Part* self, std::uint32_t parent, std::uint32_t slots, double message_s, double byte_s,
             double border_byte_s) {
            new (self) Part{parent, slots, message_s, byte_s, border_byte_s};
          },
          nb::kw_only(), "parent"_a = 0, "slots"_a = 0, "message_s"_a = 0.0, "byte_s"_a = 0.0, "border_byte_s"_a = 0.0,
          "`parent`: position of a part before it. `message_s`, `byte_s`: of messages between ranks whose smallest "
          "common\n"
          "part it is. `border_byte_s`: for so long a byte that enters or leaves occupies shared links.");
}

void bind_placement(nb::module_& m) {
  translate_interrupted<Interrupted>();
  bind_part(m);
  using Self = PlacementSearch;
  nb::class_<Self>(m, "PlacementSearch",
                   "Which rank goes to which leaf of a tree, for a matrix of messages and bytes. Ctrl-C ends a search.")
      .def(
          "__init__",
          [](Self* self, std::vector<std::uint32_t> offsets, std::vector<std::uint32_t> peers,
             std::vector<double> messages, std::vector<double> bytes, Tree parts,
             std::vector<std::uint32_t> kind_of_rank, std::vector<std::vector<bool>> may_use) {
            Self made{{std::move(offsets), std::move(peers), std::move(messages), std::move(bytes)},
                      std::move(parts),
                      {std::move(kind_of_rank), std::move(may_use)}};
            check(made.traffic, made.tree);
            check_kinds(made);
            new (self) Self(std::move(made));
          },
          nb::kw_only(), "offsets"_a, "peers"_a, "messages"_a, "bytes"_a, "parts"_a,
          "kind_of_rank"_a = std::vector<std::uint32_t>{}, "may_use"_a = std::vector<std::vector<bool>>{},
          "A symmetric matrix by rows; parts, the whole first. `may_use`, by kind: the parts that its ranks may be "
          "on.\n"
          "Raises InputError.")
      .def(
          "cost",
          [](const Self& self, const Mapping& mapping) {
            self.check_mapping(mapping);
            const Cost found = cost(self.traffic, self.tree, mapping);
            return std::make_pair(found.pairs_s, found.busiest_s);
          },
          "mapping"_a, "Cost of pairs, mean of all ranks, and of the busiest border; seconds.")
      .def(
          "divide",
          [](const Self& self, std::uint64_t seed) {
            return until_stopped([&](const auto* stop) { return divide(self.traffic, self.tree, seed, stop); });
          },
          "seed"_a, "From the whole to the leaves; kinds are not looked at.")
      .def(
          "fit",
          [](const Self& self, const Mapping& mapping) {
            if (mapping.size() != self.traffic.ranks()) throw InputError("a place for every rank is needed");
            for (const std::uint32_t leaf : mapping)
              if (leaf >= self.tree.size()) throw InputError(concat("there is no part ", leaf));
            return until_stopped([&](const auto* stop) { return fit(self.tree, self.kinds, mapping, stop); });
          },
          "mapping"_a,
          "A mapping like this in which no leaf is too full. Raises InputError if there is no such mapping.")
      .def(
          "exchange",
          [](const Self& self, const Mapping& mapping, std::uint64_t seed) {
            self.check_mapping(mapping);
            return until_stopped(
                [&](const auto* stop) { return exchange(self.traffic, self.tree, self.kinds, mapping, seed, stop); });
          },
          "mapping"_a, "seed"_a, "With pairs swapped while that lowers the cost.");
}

}  // namespace orrery::python
