// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "collective/parts/neighborhood.hpp"

namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

constexpr std::array<std::string_view, op::collective_kinds> kind_names{
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "exscan",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
    "new_comm",
};

const std::vector<Algorithm>& registry() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> joined;
    for (auto* const part :
         {registered::barrier, registered::bcast, registered::reduce, registered::allreduce, registered::reduce_scatter,
          registered::reduce_scatter_block, registered::scan, registered::exscan, registered::gather,
          registered::gatherv, registered::scatter, registered::scatterv, registered::allgather, registered::allgatherv,
          registered::alltoall, registered::alltoallv, registered::neighbor_allgather, registered::neighbor_alltoall,
          registered::new_comm}) {
      const std::span<const Algorithm> listed = part();
      joined.insert(joined.end(), listed.begin(), listed.end());
    }
    return joined;
  }();
  return all;
}

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

namespace {

std::string_view places_hindrance(const Call& call) {
  const bool known = call.places != nullptr && call.places->size() == call.size;
  return known ? "" : "it needs to know where the ranks are";
}

/// The first one that there is.
template <class Next>
std::string_view first_of(std::string_view hindrance, Next next) {
  return hindrance.empty() ? next() : hindrance;
}

}  // namespace

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

std::span<const Algorithm> algorithms() { return registry(); }

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
      std::ranges::find_if(registry(), [&](const Algorithm& a) { return a.kind == kind && a.*key == name; });
  return found == registry().end() ? nullptr : &*found;
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
  const auto found = std::ranges::find_if(registry(), [&](const Algorithm& a) {
    return a.kind == kind && !a.inter && has_word(immediate ? a.mpich_immediate : a.mpich, name);
  });
  return found == registry().end() ? nullptr : &*found;
}

std::string_view name(CollectiveKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::optional<CollectiveKind> kind_named(std::string_view name) {
  const auto found = std::ranges::find(kind_names, name);
  if (found == kind_names.end()) return std::nullopt;
  return static_cast<CollectiveKind>(found - kind_names.begin());
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
