// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>

#include "collective/algorithms.hpp"
#include "collective/parts/neighborhood.hpp"
#include "op/vocabulary.hpp"

namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

consteval CollectiveKind kind_of(std::string_view name) {
  const auto found = std::ranges::find(op::collectives, name, &op::CollectiveEntry::word);
  if (found == op::collectives.end()) throw "there is no such collective";  // so that the row does not compile
  return static_cast<CollectiveKind>(found - op::collectives.begin());
}

// What may hinder algorithms that look at where ranks are, as `Algorithm::hindrance`.

std::string_view places_hindrance(const Call& call) {
  const bool known = call.places != nullptr && call.places->size() == call.size;
  return known ? "" : "it needs to know where the ranks are";
}

/// The first one that there is.
template <class Next>
std::string_view first_of(std::string_view hindrance, Next next) {
  return hindrance.empty() ? next() : hindrance;
}

/// Operands that do not commute are combined group by group: groups must be of consecutive ranks. Of calls without an
/// operation nobody says that it commutes.
std::string_view groups_hindrance(const Call& call) {
  constexpr CollectiveKind combining[] = {Reduce, Allreduce};  // of the kinds that have a hierarchical algorithm
  return first_of(places_hindrance(call), [&]() -> std::string_view {
    const bool in_any_order = call.commutative || std::ranges::find(combining, call.kind) == std::end(combining);
    const bool serves = in_any_order || call.places->grouping(call.hierarchy.levels).in_rank_order();
    return serves ? "" : "the operation does not commute, and the ranks of a group are not consecutive";
  });
}

/// For what libraries do where nodes have several ranks.
std::string_view nodes_hindrance(const Call& call) {
  return first_of(places_hindrance(call), [&]() -> std::string_view {
    const Nodes* nodes = call.places->nodes();
    return nodes != nullptr && !nodes->one_each() ? "" : "it is for nodes with several ranks of the communicator";
  });
}

std::string_view consecutive_nodes_hindrance(const Call& call) {
  return first_of(nodes_hindrance(call), [&]() -> std::string_view {
    return call.places->nodes()->consecutive() ? "" : "it is for nodes whose ranks are consecutive";
  });
}

/// Open MPI's component leaves one node to others, and most collectives where nodes have unequal numbers of ranks.
std::string_view several_nodes_hindrance(const Call& call) {
  return first_of(nodes_hindrance(call), [&]() -> std::string_view {
    return call.places->nodes()->count() > 1 ? "" : "it is for communicators of several nodes";
  });
}

std::string_view balanced_nodes_hindrance(const Call& call) {
  return first_of(several_nodes_hindrance(call), [&]() -> std::string_view {
    return call.places->nodes()->balanced() ? "" : "it is for nodes with equal numbers of ranks";
  });
}

std::string_view unbalanced_nodes_hindrance(const Call& call) {
  return first_of(several_nodes_hindrance(call), [&]() -> std::string_view {
    return call.places->nodes()->balanced() ? "it is for nodes with unequal numbers of ranks" : "";
  });
}

// Publications.
constexpr std::string_view bruck_1997 = "Bruck et al. 1997, doi:10.1109/71.642949";
constexpr std::string_view chen_2005 = "Chen, Zhang, Zhang, Yuan 2005, doi:10.1109/HPCASIA.2005.75";
constexpr std::string_view hoefler_2007 = "Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692";
constexpr std::string_view loch_2021 = "Loch, Koslovski 2021, doi:10.48550/arXiv.2109.08751";
constexpr std::string_view coti_2008 = "Coti, Herault, Cappello 2008, INRIA research report 6633";
constexpr std::string_view hensgen_1988 = "Hensgen, Finkel, Manber 1988, doi:10.1007/BF01379320";
constexpr std::string_view patarasuk_2009 = "Patarasuk, Yuan 2009, doi:10.1016/j.jpdc.2008.09.002";
constexpr std::string_view pjesivac_2007 = "Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0";
constexpr std::string_view rabenseifner_2004 = "Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1";
constexpr std::string_view traeff_2005 = "Träff 2005, doi:10.1007/11557265_20";
constexpr std::string_view swing_2024 = "De Sensi et al. 2024, doi:10.48550/arXiv.2401.09356";
constexpr std::string_view bine_2025 = "De Sensi et al. 2025, doi:10.48550/arXiv.2508.17311";
constexpr std::string_view sanders_2009 = "Sanders, Speck, Träff 2009, doi:10.1016/j.parco.2009.09.001";
constexpr std::string_view traeff_2024 = "Träff 2024, doi:10.48550/arXiv.2410.14234";
constexpr std::string_view traeff_schedules_2024 = "Träff 2024, doi:10.48550/arXiv.2407.18004";
constexpr std::string_view traeff_hunold_2020 = "Träff, Hunold 2020, doi:10.48550/arXiv.1910.13373";
constexpr std::string_view thakur_2005 = "Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521";

#define ALGORITHM(collective, title, ...) SHARED_ALGORITHM(collective, collective, title __VA_OPT__(, ) __VA_ARGS__)
#define SHARED_ALGORITHM(collective, other, title, ...) \
  {.kind = kind_of(#collective),                        \
   .name = #title,                                      \
   .defined_in = #other,                                \
   .stream = other::title __VA_OPT__(, ) __VA_ARGS__},
constexpr auto registry = std::to_array<Algorithm>({
#include "collective/algorithms.inc"
});

bool all_equal(std::span<const std::int64_t> counts) {
  return std::ranges::adjacent_find(counts, std::ranges::not_equal_to{}) == counts.end();
}

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

std::size_t counts_needed(const Call& call) {
  const bool inter = call.remote_size > 0;
  const auto size = static_cast<std::size_t>(inter ? call.remote_size : call.size);
  switch (call.kind) {
    case Gatherv:
    case Scatterv: return call.root == (inter ? op::root_here : call.self) ? size : 0;
    case Allgather:
    case Alltoall: return inter ? 1 : 0;
    case ReduceScatter: return static_cast<std::size_t>(call.size);
    case Allgatherv: return size;
    case Alltoallv:
    case Alltoallw: return 2 * size;
    case NeighborAllgather:
    case NeighborAllgatherv:
    case NeighborAlltoall:
    case NeighborAlltoallv:
    case NeighborAlltoallw: return 1;
    default: return 0;
  }
}

std::string_view Algorithm::refusal(const Call& call) const {
  if (call.kind != kind) return "it is an algorithm of another collective";
  if (inter != (call.remote_size > 0))
    return inter ? "it is for communicators of two groups" : "the communicator is one of two groups";
  if (call.counts.size() < counts_needed(call)) return "the call lacks counts of blocks";
  if (power_of_two_only && !std::has_single_bit(static_cast<unsigned>(call.size)))
    return "it is for powers of two of ranks";
  if (even_only && call.size % 2 != 0) return "it is for even numbers of ranks";
  if (two_only && call.size != 2) return "it is for two ranks";
  if (equal_blocks_only && !all_equal(call.counts.first(static_cast<std::size_t>(call.size))))
    return "it is for blocks of equal size";
  if (op::is_among_neighbors(kind) && !Neighborhood::of(call)) return "it is for other neighbourhoods";
  if (hindrance != nullptr) {
    if (const std::string_view hinders = hindrance(call); !hinders.empty()) return hinders;
  }
  return call.commutative || !commutative_only ? "" : "the operation does not commute";
}

bool Algorithm::accepts(const Call& call) const { return refusal(call).empty(); }

std::span<const Algorithm> algorithms() { return registry; }

Choice after_hand_overs(Choice choice, const Call& call) {
  if (call.size == 1 && call.remote_size == 0) return choice;
  while (choice.algorithm->hands_over != nullptr) {
    const HandOver given = choice.algorithm->hands_over(choice.applied_to(call));
    if (!given) break;
    if (choice.by != Decider::Selector && choice.instead_of.algorithm.empty())
      choice.instead_of = {.algorithm = choice.algorithm->name, .why = given.why, .by = choice.by};
    choice.algorithm = find(call.kind, given.to);
    if (!choice.algorithm->segments) choice.segment = {};
    choice.fanout = 0;
  }
  return choice;
}

namespace {

/// The first algorithm of a kind that has this name in some library, or here.
const Algorithm* find_by(std::string_view Algorithm::*key, CollectiveKind kind, std::string_view name) {
  const auto found =
      std::ranges::find_if(registry, [&](const Algorithm& a) { return a.kind == kind && a.*key == name; });
  return found == registry.end() ? nullptr : &*found;
}

}  // namespace

const Algorithm* find(CollectiveKind kind, std::string_view name) { return find_by(&Algorithm::name, kind, name); }

const Algorithm* find_openmpi(CollectiveKind kind, std::string_view name) {
  return find_by(&Algorithm::openmpi, kind, name);
}

const Algorithm* find_libnbc(CollectiveKind kind, std::string_view name) {
  return find_by(&Algorithm::libnbc, kind, name);
}

const Algorithm* find_mpich(CollectiveKind kind, std::string_view name, bool immediate) {
  const auto found = std::ranges::find_if(registry, [&](const Algorithm& a) {
    return a.kind == kind && !a.inter && has_word(immediate ? a.mpich_immediate : a.mpich, name);
  });
  return found == registry.end() ? nullptr : &*found;
}

std::string_view name(CollectiveKind kind) { return op::entry_of(kind).word; }

std::optional<CollectiveKind> kind_named(std::string_view name) {
  const auto found = std::ranges::find(op::collectives, name, &op::CollectiveEntry::word);
  if (found == op::collectives.end()) return std::nullopt;
  return static_cast<CollectiveKind>(found - op::collectives.begin());
}

std::int64_t scratch_bytes(const Algorithm& algorithm, const Call& call) {
  std::int64_t end = 0;
  const auto touch = [&end](op::Region region, Bytes bytes) {
    if (region.buffer == op::Buffer::Scratch) end = std::max(end, region.offset + bytes.count);
  };
  op::Script script = algorithm.stream(call);
  while (const op::Operation* operation = script.next()) {
    touch(operation->here, operation->bytes);
    touch(operation->there, operation->bytes);
  }
  return end;
}

}  // namespace orrery::collective
