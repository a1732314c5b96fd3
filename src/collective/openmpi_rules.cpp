// SPDX-License-Identifier: BSD-3-Clause
#include "collective/openmpi_rules.hpp"

#include <numeric>

#include "collective/libnbc_rules.hpp"
#include "collective/rule_table.hpp"

namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

/// The thresholds of the decision functions of Open MPI 4.1 and 5.0, which are the same: algorithms by Open MPI's
/// names, bytes those of `decisive_bytes`.
constexpr std::string_view openmpi_rules_text = R"(
allreduce not_commutative
  4: recursive_doubling <131072 basic_linear
  8: recursive_doubling
  16: recursive_doubling <1048576 nonoverlapping
  128: recursive_doubling
  256: nonoverlapping <131072 recursive_doubling <524288 nonoverlapping
  512: nonoverlapping <4096 recursive_doubling <524288 nonoverlapping
  *: nonoverlapping <2048 recursive_doubling
allreduce
  4: ring <8 recursive_doubling <4096 ring <8192 recursive_doubling <16384 ring <65536 segmented_ring <262144 rabenseifner
  8: ring <16 recursive_doubling <8192 rabenseifner
  16: recursive_doubling <8192 rabenseifner
  32: segmented_ring <64 recursive_doubling <4096 rabenseifner
  64: segmented_ring <128 rabenseifner
  128: recursive_doubling <262144 rabenseifner
  256: nonoverlapping <131072 recursive_doubling <262144 rabenseifner
  512: nonoverlapping <4096 rabenseifner
  2048: nonoverlapping <2048 recursive_doubling <16384 rabenseifner
  4096: nonoverlapping <2048 segmented_ring <4096 recursive_doubling <16384 rabenseifner
  *: nonoverlapping <2048 segmented_ring <16384 recursive_doubling <32768 rabenseifner
alltoall
  3: pairwise <2 two_proc <4 pairwise <16 two_proc <64 pairwise <256 two_proc <4096 pairwise <32768 linear_sync <262144 two_proc <1048576 pairwise
  8: linear_sync <8192 linear <16384 linear_sync <65536 linear <524288 pairwise <1048576 linear
  16: linear_sync <262144 linear
  32: linear_sync <4 modified_bruck <512 linear_sync <8192 linear <32768 linear_sync <262144 linear <524288 linear_sync
  64: modified_bruck <512 linear <524288 linear_sync
  128: modified_bruck <1024 linear <2048 linear_sync <4096 linear <262144 pairwise
  256: modified_bruck <1024 linear_sync <2048 linear <262144 pairwise
  512: modified_bruck <1024 linear_sync <8192 linear <32768 pairwise
  1024: modified_bruck <512 linear_sync <8192 linear <16384 linear_sync <131072 linear <262144 pairwise
  2048: modified_bruck <512 linear_sync <1024 linear <2048 linear_sync <16384 linear <262144 linear_sync
  4096: modified_bruck <1024 linear_sync <4096 linear <8192 linear_sync <131072 linear
  *: modified_bruck <2048 linear_sync <8192 linear <16384 linear_sync <32768 linear <65536 linear_sync
alltoallv
  4: pairwise
  64: basic_linear
  128: pairwise
  256: basic_linear
  1024: pairwise
  *: basic_linear
barrier
  4: recursive_doubling
  8: linear
  64: recursive_doubling
  256: bruck
  512: tree
  1024: bruck
  4096: tree
  *: bruck
bcast
  4: pipeline <32 binary_tree <256 pipeline <512 knomial <1024 basic_linear <32768 binary_tree <131072 chain <262144 basic_linear <524288 binomial <1048576 binary_tree
  8: binary_tree <64 binomial <128 binary_tree <2048 binomial <8192 basic_linear <1048576 chain
  16: knomial <8 binary_tree <64 knomial <4096 binary_tree <16384 binomial <32768 basic_linear
  32: knomial <4096 binomial <1048576 scatter_allgather
  64: binomial <2048 knomial
  128: knomial
  256: binomial <2 binary_tree <16384 basic_linear <32768 binary_tree <65536 knomial
  1024: knomial <16384 split_binary_tree <32768 knomial
  2048: knomial <524288 scatter_allgather
  4096: knomial <262144 scatter_allgather
  *: knomial <8192 binary_tree <16384 knomial <262144 scatter_allgather
reduce not_commutative
  4: in-order_binary <8 linear
  8: linear
  16: in-order_binary <1024 linear <8192 in-order_binary <16384 linear <262144 in-order_binary
  128: in-order_binary
  256: in-order_binary <512 linear <1024 in-order_binary
  *: in-order_binary
reduce
  4: rabenseifner <8 binary <16 pipeline <32 linear <262144 pipeline <524288 chain <1048576 pipeline
  8: binary <4096 chain <65536 binomial <262144 linear <524288 binomial <1048576 linear
  16: binary <8192 binomial
  32: binary <4096 binomial
  256: binomial
  512: binomial <8192 in-order_binary <16384 binomial
  2048: binomial
  4096: binomial <512 in-order_binary <1024 binomial <8192 in-order_binary <16384 binomial
  *: binomial <16 in-order_binary <32 binomial <1024 in-order_binary <2048 binomial <8192 in-order_binary <16384 binomial
reduce_scatter not_commutative
  *: non-overlapping
reduce_scatter
  4: ring <65536 butterfly <131072 ring
  8: non-overlapping <8 recursive_halving <262144 ring
  32: recursive_halving <262144 ring
  64: non-overlapping <64 recursive_halving <2048 butterfly <524288 ring
  128: non-overlapping <256 recursive_halving <512 butterfly <2048 recursive_halving <4096 butterfly
  256: non-overlapping <256 recursive_halving <512 butterfly
  512: non-overlapping <256 recursive_halving <1024 butterfly
  1024: non-overlapping <512 recursive_halving <2048 butterfly <8192 recursive_halving <16384 butterfly
  2048: non-overlapping <512 recursive_halving <4096 butterfly <16384 recursive_halving <32768 butterfly
  4096: non-overlapping <512 recursive_halving <4096 butterfly
  *: non-overlapping <1024 recursive_halving <8192 butterfly
reduce_scatter_block not_commutative
  *: basic_linear
reduce_scatter_block
  4: recursive_doubling <4 butterfly <8 recursive_halving <16 butterfly <128 recursive_halving <256 butterfly <4096 recursive_halving <8192 butterfly <131072 basic_linear
  8: recursive_halving <8 recursive_doubling <32 butterfly <256 recursive_halving <8192 butterfly <16384 recursive_halving <1048576 basic_linear
  16: basic_linear <4 recursive_halving <32 butterfly <128 recursive_halving <524288 basic_linear <4194304 butterfly
  32: basic_linear <32 recursive_halving <524288 basic_linear <2097152 recursive_halving <4194304 butterfly
  *: recursive_halving <4 basic_linear <16 butterfly <65536 basic_linear <262144 butterfly
allgather
  3: two_proc
  32: recursive_doubling
  64: recursive_doubling <1024 neighbor <65536 ring
  128: recursive_doubling <512 neighbor <65536 ring
  256: recursive_doubling <512 neighbor <131072 ring <524288 neighbor <1048576 ring
  512: recursive_doubling <32 bruck <128 recursive_doubling <1024 neighbor <131072 ring <524288 neighbor <1048576 ring
  1024: recursive_doubling <64 bruck <256 recursive_doubling <2048 neighbor
  2048: recursive_doubling <4 bruck <8 recursive_doubling <16 bruck <32 recursive_doubling <256 bruck <512 recursive_doubling <4096 neighbor
  4096: bruck <32 recursive_doubling <128 bruck <512 recursive_doubling <4096 neighbor
  *: recursive_doubling <2 bruck <8 recursive_doubling <16 bruck <512 recursive_doubling <4096 neighbor
allgatherv
  3: ring <2048 two_proc <4096 ring <8192 two_proc
  8: default <256 neighbor <4096 ring <8192 neighbor <16384 bruck <262144 neighbor
  16: default <1024 bruck
  32: default <128 bruck <262144 ring
  64: default <256 bruck <8192 ring
  128: default <256 bruck <4096 ring
  256: bruck <1024 neighbor <65536 ring
  512: bruck <1024 ring
  1024: bruck <512 default <1024 bruck <4096 neighbor <1048576 ring
  *: bruck <4096 neighbor
gather
  4: linear_sync <2 basic_linear <4 binomial <32768 basic_linear <65536 binomial <131072 linear_sync
  8: binomial <1024 basic_linear <8192 binomial <32768 basic_linear <262144 linear_sync
  256: binomial
  512: binomial <2048 basic_linear <8192 binomial
  *: binomial
scatter
  4: linear_nb <2 basic_linear <131072 linear_nb <262144 basic_linear
  8: binomial <2048 basic_linear <4096 binomial <8192 basic_linear <32768 linear_nb <1048576 basic_linear
  16: binomial <16384 linear_nb <1048576 basic_linear
  32: binomial <16384 basic_linear <32768 linear_nb
  64: binomial <512 linear_nb <8192 binomial <16384 linear_nb
  *: binomial <512 linear_nb
)";

Choice openmpi_named(CollectiveKind kind, std::string_view name) {
  // The decision functions ask for one chain, where users who name the algorithm get four.
  const int fanout = name == "chain" ? 1 : 0;
  return {.algorithm = find_openmpi(kind, name), .segment = {}, .fanout = fanout};
}

/// What Open MPI compares with the limits: a vector, one rank's block, or the average block.
std::int64_t decisive_bytes(const Call& call) {
  if (call.kind != Allgatherv) return call.bytes.count;
  return std::accumulate(call.counts.begin(), call.counts.end(), std::int64_t{0}) / call.size;
}

/// Kinds for which Open MPI has one algorithm unless the user names another.
std::string_view only_algorithm(CollectiveKind kind) {
  switch (kind) {
    case Scan:
    case Exscan: return "linear";
    case Gatherv:
    case Scatterv:
    case Alltoallw: return "basic_linear";
    case NewComm: return "three_rounds";
    default: return {};
  }
}

Choice looked_up(const Call& call) {
  static const RuleTable table(openmpi_rules_text, openmpi_named);
  return table.choose(call, decisive_bytes(call));
}

}  // namespace

const Algorithm* openmpi_fallback(const Algorithm& algorithm, const Call& call) {
  const Algorithm* found = &algorithm;
  while (found != nullptr && !found->accepts(call) && !found->otherwise.empty())
    found = find(call.kind, found->otherwise);
  return found;
}

Choice openmpi_choice(const Call& call) {
  if (call.immediate) return libnbc_choice(call);
  if (call.in_place) return {.algorithm = find(call.kind, "both_neighbors")};
  Choice choice = looked_up(call);
  if (choice.algorithm == nullptr) {
    const std::string_view only = only_algorithm(call.kind);
    for (const Algorithm& algorithm : algorithms())
      if (algorithm.kind == call.kind && (only.empty() || algorithm.name == only)) return {.algorithm = &algorithm};
  }
  choice.algorithm = openmpi_fallback(*choice.algorithm, call);
  return choice;
}

Choice as_openmpi5(Choice choice) {
  if (choice.algorithm == nullptr || choice.algorithm->kind != Alltoallv) return choice;
  const std::string_view name = choice.algorithm->openmpi;
  if (name == "pairwise") choice.algorithm = find(Alltoallv, "pairwise_with_self");
  if (name == "basic_linear") choice.algorithm = find(Alltoallv, "basic_linear");
  return choice;
}

Choice han_choice(const Call& call) {
  if (call.immediate || call.places == nullptr) return {};
  for (const std::string_view name : {"han", "han_unbalanced"}) {
    const Algorithm* algorithm = find(call.kind, name);
    if (algorithm != nullptr && algorithm->accepts(call)) return {.algorithm = algorithm};
  }
  return {};
}

Choice openmpi5_choice(const Call& call) { return as_openmpi5(openmpi_choice(call)); }

op::Script openmpi_stream(const Call& call) {
  const Choice choice = call.parts != nullptr ? call.parts->choose(call) : openmpi_choice(call);
  return choice.algorithm->stream(choice.applied_to(call));
}

}  // namespace orrery::collective
