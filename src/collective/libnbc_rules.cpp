// SPDX-License-Identifier: BSD-3-Clause
#include "collective/libnbc_rules.hpp"

#include <bit>

#include "collective/rule_table.hpp"

namespace orrery::collective {
namespace {

/// The decisions that `libnbc` takes when nobody tells it what to do; algorithms by its names (registry.cpp), bytes of
/// the whole vector. Linear where there is nothing to choose.
constexpr std::string_view libnbc_rules_text = R"(
barrier
  *: dissemination
bcast
  5: linear
  *: binomial
reduce not_commutative
  *: binomial
reduce few_elements
  5: binomial <65536 chain
  *: binomial
reduce
  3: binomial <65536 chain
  *: rabenseifner
allreduce not_commutative
  *: binomial
allreduce few_elements
  4: binomial
  *: binomial <65536 ring
allreduce
  4: binomial
  *: binomial <65536 rabenseifner
reduce_scatter
  *: binomial_linear
reduce_scatter_block
  *: binomial_linear
scan
  *: linear
exscan
  *: linear
gather
  *: linear
gatherv
  *: linear
scatter
  *: linear
scatterv
  *: linear
allgather
  *: linear
allgatherv
  *: linear
alltoall
  *: linear
alltoallv
  *: linear
alltoallw
  *: linear
neighbor_allgather
  *: linear
neighbor_allgatherv
  *: linear
neighbor_alltoall
  *: linear
neighbor_alltoallv
  *: linear
neighbor_alltoallw
  *: linear
new_comm
  *: three_rounds
)";

Choice libnbc_named(CollectiveKind kind, std::string_view name) {
  return {.algorithm = find_libnbc(kind, name), .segment = {}};
}

/// Rabenseifner's algorithm as `libnbc` has it: an element for each rank that remains.
bool serves_rabenseifner(const Call& call) {
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<unsigned>(call.size)));
  return call.commutative && call.bytes.count / call.element >= power;
}

}  // namespace

Choice libnbc_choice(const Call& call) {
  if (call.in_place) return {.algorithm = find(call.kind, "there_and_back")};
  static const RuleTable table(libnbc_rules_text, libnbc_named);
  return table.choose(call, call.bytes.count);
}

const Algorithm* libnbc_fallback(const Algorithm& algorithm, const Call& call) {
  const bool is_rabenseifner = algorithm.libnbc == "rabenseifner";
  if (call.kind == CollectiveKind::Allreduce && is_rabenseifner && !serves_rabenseifner(call))
    return find_libnbc(call.kind, "ring");
  if (call.kind == CollectiveKind::Reduce && is_rabenseifner && (call.size <= 2 || !serves_rabenseifner(call)))
    return find_libnbc(call.kind, "chain");
  if (call.kind == CollectiveKind::Allgather && !algorithm.accepts(call)) return find_libnbc(call.kind, "linear");
  return &algorithm;
}

}  // namespace orrery::collective
