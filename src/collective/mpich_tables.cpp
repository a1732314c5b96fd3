// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "collective/mpich_rules.hpp"

/// The trees of conditions that MPICH 4.0 and 5.0 have built in, whole: a tuning file replaces one as a whole. Tests
/// hold them against the trees in the libraries. "or" is ours: what a function for nodes with several ranks calls where
/// a communicator has none.

namespace orrery::collective {
namespace {

/// The tree of the device `ch4`, which comes first.
constexpr std::string_view device_tree = R"(
bcast
  intra
    comm_hierarchy=parent
      comm_size<8
        avg_msg_size=any: intra_composition_alpha
      comm_size=pow2
        avg_msg_size<12288: intra_composition_alpha
        avg_msg_size<524288: intra_composition_beta
        avg_msg_size=any: intra_composition_gamma
      comm_size=any
        avg_msg_size<12288: intra_composition_alpha
        avg_msg_size=any: intra_composition_gamma
    comm_hierarchy=any: intra_composition_gamma
allreduce
  intra
    comm_size=node_comm_size: intra_composition_gamma
    comm_size=any
      comm_hierarchy=parent
        is_commutative=yes
          avg_msg_size=any: intra_composition_alpha
        is_commutative=no: intra_composition_beta
      comm_hierarchy=any: intra_composition_beta
reduce
  intra
    comm_hierarchy=parent
      is_commutative=yes
        avg_msg_size<=2048: intra_composition_beta
        avg_msg_size=any: intra_composition_alpha
      is_commutative=no: intra_composition_gamma
    comm_hierarchy=any: intra_composition_gamma
barrier
  intra
    comm_hierarchy=parent: intra_composition_alpha
    comm_hierarchy=any: intra_composition_beta
gather
  intra: intra_composition_alpha
gatherv
  intra: intra_composition_alpha
scatter
  intra: intra_composition_alpha
scatterv
  intra: intra_composition_alpha
alltoall
  intra: @flat@
alltoallv
  intra: intra_composition_alpha
alltoallw
  intra: intra_composition_alpha
allgather
  intra: @flat@
allgatherv
  intra: intra_composition_alpha
reduce_scatter
  intra: intra_composition_alpha
reduce_scatter_block
  intra: intra_composition_alpha
scan
  is_node_consecutive=yes: intra_composition_alpha
  is_node_consecutive=no: intra_composition_beta
exscan: intra_composition_alpha
)";

constexpr std::string_view collective_tree = R"(
bcast
  intra
    comm_size<8
      comm_hierarchy=parent
        avg_msg_size<=0: intra_smp or binomial
        avg_msg_size=any: intra_binomial
      comm_hierarchy=any
        avg_msg_size=any: intra_binomial
    comm_size=pow2
      comm_hierarchy=parent
        avg_msg_size<=0: intra_smp or binomial
        avg_msg_size<=12288: intra_binomial
        avg_msg_size<=524288: intra_scatter_recursive_doubling_allgather
        avg_msg_size=any: intra_scatter_ring_allgather
      comm_hierarchy=any
        avg_msg_size<=12288: intra_binomial
        avg_msg_size<=524288: intra_scatter_recursive_doubling_allgather
        avg_msg_size=any: intra_scatter_ring_allgather
    comm_size=any
      comm_hierarchy=parent
        avg_msg_size<=0: intra_smp or binomial
        avg_msg_size<=12288: intra_binomial
        avg_msg_size=any: intra_scatter_ring_allgather
      comm_hierarchy=any
        avg_msg_size<=12288: intra_binomial
        avg_msg_size=any: intra_scatter_ring_allgather
  inter: inter_remote_send_local_bcast
allreduce
  intra
    avg_msg_size<=0
      is_commutative=yes: intra_smp or recursive_doubling
      is_commutative=no: intra_recursive_doubling
    avg_msg_size<=8: intra_recursive_doubling
    avg_msg_size=any
      is_op_built_in=no: intra_recursive_doubling
      is_op_built_in=yes
        count<pow2: intra_recursive_doubling
        count=any: intra_reduce_scatter_allgather
  inter: inter_reduce_exchange_bcast
allgather
  intra
    comm_size=pow2
      total_msg_size<524288: intra_recursive_doubling
      total_msg_size=any: intra_ring
    comm_size=any
      total_msg_size<81920: intra_brucks
      total_msg_size=any: intra_ring
  inter: inter_local_gather_remote_bcast
allgatherv
  intra
    comm_size=pow2
      total_msg_size<524288: intra_recursive_doubling
      total_msg_size=any: intra_ring
    comm_size=any
      total_msg_size<81920: intra_brucks
      total_msg_size=any: intra_ring
  inter: inter_remote_gather_local_bcast
reduce
  intra
    comm_hierarchy=parent
      avg_msg_size<=0
        is_commutative=yes: intra_smp or binomial
        is_commutative=no: intra_binomial
      avg_msg_size<=2048: intra_binomial
      avg_msg_size=any
        is_op_built_in=yes
          count<pow2: intra_binomial
          count=any: intra_reduce_scatter_gather
        is_op_built_in=no: intra_binomial
    comm_hierarchy=any
      avg_msg_size<=2048: intra_binomial
      avg_msg_size=any
        is_op_built_in=yes
          count<pow2: intra_binomial
          count=any: intra_reduce_scatter_gather
        is_op_built_in=no: intra_binomial
  inter: inter_local_reduce_remote_send
reduce_scatter
  intra
    is_commutative=yes
      total_msg_size<524288: intra_recursive_halving
      total_msg_size=any: intra_pairwise
    is_commutative=no
      is_block_regular=yes
        comm_size=pow2: intra_noncommutative
        comm_size=any: intra_recursive_doubling
      is_block_regular=no: intra_recursive_doubling
  inter: inter_remote_reduce_local_scatter
reduce_scatter_block
  intra
    is_commutative=yes
      total_msg_size<524288: intra_recursive_halving
      total_msg_size=any: intra_pairwise
    is_commutative=no
      comm_size=pow2: intra_noncommutative
      comm_size=any: intra_recursive_doubling
  inter: inter_remote_reduce_local_scatter
gather
  intra: intra_binomial
  inter
    total_msg_size<2048: inter_local_gather_remote_send
    total_msg_size=any: inter_linear
scatter
  intra: intra_binomial
  inter
    total_msg_size<2048: inter_remote_send_local_scatter
    total_msg_size=any: inter_linear
gatherv: allcomm_linear
scatterv: allcomm_linear
scan
  intra
    is_node_consecutive=yes: intra_smp or recursive_doubling
    is_node_consecutive=no: intra_recursive_doubling
  inter: intra_smp
exscan: intra_recursive_doubling
barrier
  intra
    comm_hierarchy=parent: intra_smp or @barrier@
    comm_hierarchy=any: @barrier@
  inter: inter_bcast
alltoall
  intra
    is_sendbuf_inplace=yes: intra_pairwise_sendrecv_replace
    is_sendbuf_inplace=no
      comm_size<8
        avg_msg_size<=32768: intra_scattered
        avg_msg_size=any: intra_pairwise
      comm_size=any
        avg_msg_size<=256: intra_brucks
        avg_msg_size<=32768: intra_scattered
        avg_msg_size=any: intra_pairwise
  inter: inter_pairwise_exchange
alltoallv
  intra
    is_sendbuf_inplace=yes: intra_pairwise_sendrecv_replace
    is_sendbuf_inplace=no: intra_scattered
  inter: inter_pairwise_exchange
alltoallw
  intra
    is_sendbuf_inplace=yes: intra_pairwise_sendrecv_replace
    is_sendbuf_inplace=no: intra_scattered
  inter: inter_pairwise_exchange
neighbor_allgather: allcomm_nb
neighbor_allgatherv: allcomm_nb
neighbor_alltoall: allcomm_nb
neighbor_alltoallv: allcomm_nb
neighbor_alltoallw: allcomm_nb
ibarrier
  intra: intra_sched_recursive_doubling
  inter: inter_sched_bcast
iallreduce
  intra
    avg_msg_size<=2048: intra_sched_recursive_doubling
    avg_msg_size=any
      is_op_built_in=no: intra_sched_recursive_doubling
      is_op_built_in=yes
        count<pow2: intra_sched_recursive_doubling
        count=any: intra_sched_reduce_scatter_allgather
  inter: inter_sched_remote_reduce_local_bcast
iallgather
  intra
    comm_size=pow2
      total_msg_size<524288: intra_sched_recursive_doubling
      total_msg_size=any: intra_sched_ring
    comm_size=any
      total_msg_size<81920: intra_sched_brucks
      total_msg_size=any: intra_sched_ring
  inter: inter_sched_local_gather_remote_bcast
iallgatherv
  intra
    comm_size=pow2
      total_msg_size<524288: intra_sched_recursive_doubling
      total_msg_size=any: intra_sched_ring
    comm_size=any
      total_msg_size<81920: intra_sched_brucks
      total_msg_size=any: intra_sched_ring
  inter: inter_sched_remote_gather_local_bcast
ibcast
  intra
    comm_hierarchy=parent: intra_sched_smp
    comm_hierarchy=any
      comm_size<8
        avg_msg_size=any: intra_sched_binomial
      comm_size=pow2
        avg_msg_size<12288: intra_sched_binomial
        avg_msg_size<524288: intra_sched_scatter_recursive_doubling_allgather
        avg_msg_size=any: intra_sched_scatter_ring_allgather
      comm_size=any
        avg_msg_size<12288: intra_sched_binomial
        avg_msg_size=any: intra_sched_scatter_ring_allgather
  inter: inter_sched_flat
ireduce
  intra
    comm_hierarchy=parent
      is_commutative=yes: intra_sched_smp
      is_commutative=no: intra_sched_binomial
    comm_hierarchy=any
      avg_msg_size<=2048: intra_sched_binomial
      avg_msg_size=any
        is_op_built_in=yes
          count<pow2: intra_sched_binomial
          count=any: intra_sched_reduce_scatter_gather
        is_op_built_in=no: intra_sched_binomial
  inter: inter_sched_local_reduce_remote_send
ireduce_scatter
  intra
    is_commutative=yes
      total_msg_size<524288: intra_sched_recursive_halving
      total_msg_size=any: intra_sched_pairwise
    is_commutative=no
      is_block_regular=yes
        comm_size=pow2: intra_sched_noncommutative
        comm_size=any: intra_sched_recursive_doubling
      is_block_regular=no: intra_sched_recursive_doubling
  inter: inter_sched_remote_reduce_local_scatterv
igather
  intra: intra_sched_binomial
  inter
    total_msg_size<2048: inter_sched_short
    total_msg_size=any: inter_sched_long
iscatter
  intra: intra_sched_binomial
  inter
    total_msg_size<2048: inter_sched_remote_send_local_scatter
    total_msg_size=any: inter_sched_linear
igatherv: allcomm_sched_linear
iscatterv: allcomm_sched_linear
iexscan: intra_sched_recursive_doubling
ialltoall
  intra
    is_sendbuf_inplace=yes: intra_sched_inplace
    is_sendbuf_inplace=no
      comm_size<8
        avg_msg_size<=32768: intra_sched_permuted_sendrecv
        avg_msg_size=any: intra_sched_pairwise
      comm_size=any
        avg_msg_size<=2048: intra_sched_brucks
        avg_msg_size<=32768: intra_sched_permuted_sendrecv
        avg_msg_size=any: intra_sched_pairwise
  inter: inter_sched_pairwise_exchange
ialltoallv
  intra
    is_sendbuf_inplace=yes: intra_sched_inplace
    is_sendbuf_inplace=no: intra_sched_blocked
  inter: inter_sched_pairwise_exchange
ialltoallw
  intra
    is_sendbuf_inplace=yes: intra_sched_inplace
    is_sendbuf_inplace=no: intra_sched_blocked
  inter: inter_sched_pairwise_exchange
ireduce_scatter_block
  intra
    is_commutative=yes
      total_msg_size<524288: intra_sched_recursive_halving
      total_msg_size=any: intra_sched_pairwise
    is_commutative=no
      comm_size=pow2: intra_sched_noncommutative
      comm_size=any: intra_sched_recursive_doubling
  inter: inter_sched_remote_reduce_local_scatterv
iscan
  comm_hierarchy=parent: intra_sched_smp or sched_recursive_doubling
  comm_hierarchy=any: intra_sched_recursive_doubling
ineighbor_allgather: allcomm_sched_linear
ineighbor_allgatherv: allcomm_sched_linear
ineighbor_alltoall: allcomm_sched_linear
ineighbor_alltoallv: allcomm_sched_linear
ineighbor_alltoallw: allcomm_sched_linear
)";

/// Not of MPICH's tree: how communicators are made.
constexpr std::string_view communicators = R"(
new_comm: mask
inew_comm: mask
)";

/// What differs between releases: what stands for a mark.
struct Release {
  std::string_view name;
  std::string_view barrier;
  std::string_view flat;
};
constexpr Release releases[] = {
    {.name = "mpich-4.0", .barrier = "intra_dissemination", .flat = "intra_composition_alpha"},
    {.name = "mpich-5.0", .barrier = "intra_k_dissemination k=2", .flat = "intra_composition_beta"},
};

void replace_all(std::string& text, std::string_view mark, std::string_view with) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + with.size())) {
    text.replace(at, mark.size(), with);
  }
}

std::string of_release(const Release& release, std::string_view tree) {
  std::string text(tree);
  replace_all(text, "@barrier@", release.barrier);
  replace_all(text, "@flat@", release.flat);
  return text;
}

MpichRules built_in(const Release& release) {
  return MpichRules::from_text(concat(of_release(release, collective_tree), communicators));
}

}  // namespace

std::string mpich_tree(std::string_view release, bool of_device) {
  for (const Release& candidate : releases) {
    if (candidate.name != release) continue;
    std::string text = of_release(candidate, of_device ? device_tree : collective_tree);
    for (std::size_t at = text.find(" or "); at != std::string::npos; at = text.find(" or ", at)) {
      text.erase(at, text.find('\n', at) - at);
    }
    return text;
  }
  throw InputError(concat("no release of MPICH is named \"", release, "\"; there are: mpich-4.0, mpich-5.0"));
}

Choice mpich_composition(const Call& call) {
  static const MpichRules rules = MpichRules::from_text(of_release(releases[0], device_tree));
  return rules.choose(call);  // the releases differ in names only
}

Choice mpich_4_0_choice(const Call& call) {
  static const MpichRules rules = built_in(releases[0]);
  return rules.choose(call);
}

Choice mpich_5_0_choice(const Call& call) {
  static const MpichRules rules = built_in(releases[1]);
  return rules.choose(call);
}

}  // namespace orrery::collective
