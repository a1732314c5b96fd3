// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "collective/mpich_rules.hpp"

namespace orrery::collective {
namespace {

/// The compositions of MPICH's device `ch4`, which come first: where nodes have several ranks.
constexpr std::string_view compositions = R"(
bcast
  comm_hierarchy=parent
    comm_size<8: composition_alpha
    comm_size=pow2
      avg_msg_size<12288: composition_alpha
      avg_msg_size<524288: composition_beta
    any
      avg_msg_size<12288: composition_alpha
reduce
  comm_hierarchy=parent
    is_commutative=yes
      avg_msg_size<=2048: composition_beta
      any: composition_alpha
allreduce
  comm_size=node_comm_size
  comm_hierarchy=parent
    is_commutative=yes: composition_alpha
barrier
  comm_hierarchy=parent: composition_alpha
scan
  is_node_consecutive=yes: composition_alpha
)";

/// What MPICH 4.0 and 5.0 have in common.
constexpr std::string_view common = R"(
bcast
  comm_size<8: binomial
  comm_size=pow2
    avg_msg_size<=12288: binomial
    avg_msg_size<=524288: scatter_recursive_doubling_allgather
    any: scatter_ring_allgather
  any
    avg_msg_size<=12288: binomial
    any: scatter_ring_allgather
ibcast
  comm_hierarchy=parent: sched_smp
  comm_size<8: sched_binomial
  comm_size=pow2
    avg_msg_size<12288: sched_binomial
    avg_msg_size<524288: sched_scatter_recursive_doubling_allgather
    any: sched_scatter_ring_allgather
  any
    avg_msg_size<12288: sched_binomial
    any: sched_scatter_ring_allgather
reduce
  avg_msg_size<=2048: binomial
  is_op_built_in=no: binomial
  count<pow2: binomial
  any: reduce_scatter_gather
ireduce
  comm_hierarchy=parent
    is_commutative=yes: sched_smp
    any: sched_binomial
  avg_msg_size<=2048: sched_binomial
  is_op_built_in=no: sched_binomial
  count<pow2: sched_binomial
  any: sched_reduce_scatter_gather
allreduce
  avg_msg_size<=8: recursive_doubling
  is_op_built_in=no: recursive_doubling
  count<pow2: recursive_doubling
  any: reduce_scatter_allgather
iallreduce
  avg_msg_size<=2048: sched_recursive_doubling
  is_op_built_in=no: sched_recursive_doubling
  count<pow2: sched_recursive_doubling
  any: sched_reduce_scatter_allgather
reduce_scatter
  is_commutative=yes
    total_msg_size<524288: recursive_halving
    any: pairwise
  is_block_regular=no: recursive_doubling
  comm_size=pow2: noncommutative
  any: recursive_doubling
ireduce_scatter
  is_commutative=yes
    total_msg_size<524288: sched_recursive_halving
    any: sched_pairwise
  is_block_regular=no: sched_recursive_doubling
  comm_size=pow2: sched_noncommutative
  any: sched_recursive_doubling
reduce_scatter_block
  is_commutative=yes
    total_msg_size<524288: recursive_halving
    any: pairwise
  comm_size=pow2: noncommutative
  any: recursive_doubling
ireduce_scatter_block
  is_commutative=yes
    total_msg_size<524288: sched_recursive_halving
    any: sched_pairwise
  comm_size=pow2: sched_noncommutative
  any: sched_recursive_doubling
allgather
  comm_size=pow2
    total_msg_size<524288: recursive_doubling
    any: ring
  total_msg_size<81920: brucks
  any: ring
iallgather
  comm_size=pow2
    total_msg_size<524288: sched_recursive_doubling
    any: sched_ring
  total_msg_size<81920: sched_brucks
  any: sched_ring
allgatherv
  comm_size=pow2
    total_msg_size<524288: recursive_doubling
    any: ring
  total_msg_size<81920: brucks
  any: ring
iallgatherv
  comm_size=pow2
    total_msg_size<524288: sched_recursive_doubling
    any: sched_ring
  total_msg_size<81920: sched_brucks
  any: sched_ring
alltoall
  is_sendbuf_inplace=yes: pairwise_sendrecv_replace
  is_sendbuf_inplace=no
    comm_size<8
      avg_msg_size<=32768: scattered
      any: pairwise
    avg_msg_size<=256: brucks
    avg_msg_size<=32768: scattered
    any: pairwise
ialltoall
  is_sendbuf_inplace=yes: sched_inplace
  is_sendbuf_inplace=no
    comm_size<8
      avg_msg_size<=32768: sched_permuted_sendrecv
      any: sched_pairwise
    avg_msg_size<=2048: sched_brucks
    avg_msg_size<=32768: sched_permuted_sendrecv
    any: sched_pairwise
alltoallv
  is_sendbuf_inplace=yes: pairwise_sendrecv_replace
  any: scattered
ialltoallv
  is_sendbuf_inplace=yes: sched_inplace
  any: sched_blocked
alltoallw
  is_sendbuf_inplace=yes: pairwise_sendrecv_replace
  any: scattered
ialltoallw
  is_sendbuf_inplace=yes: sched_inplace
  any: sched_blocked
gather: binomial
igather: sched_binomial
gatherv: linear
igatherv: sched_linear
scatter: binomial
iscatter: sched_binomial
scatterv: linear
iscatterv: sched_linear
scan: recursive_doubling
iscan
  is_node_consecutive=yes: sched_smp
  any: sched_recursive_doubling
exscan: recursive_doubling
iexscan: sched_recursive_doubling
ibarrier: sched_recursive_doubling
neighbor_allgather: nb
ineighbor_allgather: sched_linear
neighbor_allgatherv: nb
ineighbor_allgatherv: sched_linear
neighbor_alltoall: nb
ineighbor_alltoall: sched_linear
neighbor_alltoallv: nb
ineighbor_alltoallv: sched_linear
neighbor_alltoallw: nb
ineighbor_alltoallw: sched_linear
new_comm: mask
inew_comm: mask
)";

}  // namespace

Choice mpich_composition(const Call& call) {
  static const MpichRules rules = MpichRules::from_text(compositions);
  return rules.choose(call);
}

Choice mpich_4_0_choice(const Call& call) {
  static const MpichRules rules = MpichRules::from_text(concat("barrier: dissemination\n", common));
  return rules.choose(call);
}

Choice mpich_5_0_choice(const Call& call) {
  static const MpichRules rules = MpichRules::from_text(concat("barrier: k_dissemination k=2\n", common));
  return rules.choose(call);
}

}  // namespace orrery::collective
