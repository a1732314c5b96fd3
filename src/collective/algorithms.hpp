// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"

/// One function per algorithm, each in the file of its name, where it is described.
namespace orrery::collective {

op::Script han_unbalanced(Call call);

namespace barrier {
op::Script hierarchical(Call call);
op::Script dissemination(Call call);
op::Script recursive_doubling(Call call);
op::Script linear(Call call);
op::Script inter_bcast(Call call);
op::Script double_ring(Call call);
op::Script tree(Call call);
op::Script two_proc(Call call);
op::Script k_dissemination(Call call);
op::Script recexch(Call call);
op::Script han(Call call);
op::Script composition_alpha(Call call);
}  // namespace barrier

namespace bcast {
op::Script hierarchical(Call call);
op::Script binomial_halving(Call call);
op::Script binomial(Call call);
op::Script knomial(Call call);
op::Script binary_tree(Call call);
op::Script split_binary_tree(Call call);
HandOver split_binary_tree_hands_over(const Call& call);
op::Script scatter_allgather(Call call);
HandOver scatter_allgather_hands_over(const Call& call);
op::Script scatter_allgather_ring(Call call);
HandOver scatter_allgather_ring_hands_over(const Call& call);
op::Script chain(Call call);
op::Script pipeline(Call call);
op::Script linear(Call call);
op::Script binomial_swapped(Call call);
op::Script chain_swapped(Call call);
op::Script remote_send_local_bcast(Call call);
op::Script scatter_recursive_doubling_allgather(Call call);
op::Script scatter_ring_allgather(Call call);
op::Script kary_tree(Call call);
op::Script contiguous_knomial_tree(Call call);
op::Script descending_knomial_tree(Call call);
op::Script scatterv_recexch_allgatherv(Call call);
op::Script scatterv_ring_allgatherv(Call call);
op::Script han(Call call);
op::Script composition_alpha(Call call);
op::Script composition_beta(Call call);
op::Script bine_tree(Call call);
op::Script circulant(Call call);
op::Script double_tree(Call call);
op::Script multi_lane(Call call);
}  // namespace bcast

namespace reduce {
op::Script hierarchical(Call call);
op::Script binomial(Call call);
op::Script reduce_scatter_gather(Call call);
op::Script rabenseifner(Call call);
HandOver rabenseifner_hands_over(const Call& call);
op::Script chain(Call call);
op::Script pipeline(Call call);
op::Script binary(Call call);
op::Script in_order_binary(Call call);
op::Script linear(Call call);
op::Script binomial_swapped(Call call);
HandOver binomial_swapped_hands_over(const Call& call);
op::Script chain_swapped(Call call);
op::Script local_reduce_remote_send(Call call);
op::Script kary_tree(Call call);
op::Script contiguous_knomial_tree(Call call);
op::Script descending_knomial_tree(Call call);
op::Script han(Call call);
op::Script composition_alpha(Call call);
op::Script composition_beta(Call call);
op::Script bine_tree(Call call);
op::Script circulant(Call call);
op::Script double_tree(Call call);
op::Script multi_lane(Call call);
}  // namespace reduce

namespace allreduce {
op::Script hierarchical(Call call);
op::Script recursive_doubling(Call call);
op::Script reduce_scatter_allgather(Call call);
op::Script ring(Call call);
HandOver ring_hands_over(const Call& call);
op::Script rabenseifner(Call call);
HandOver rabenseifner_hands_over(const Call& call);
op::Script segmented_ring(Call call);
HandOver segmented_ring_hands_over(const Call& call);
op::Script reduce_bcast(Call call);
op::Script reduce_exchange_bcast(Call call);
op::Script nonoverlapping(Call call);
op::Script basic_linear(Call call);
op::Script recexch(Call call);
op::Script recursive_multiplying(Call call);
op::Script k_reduce_scatter_allgather(Call call);
op::Script pipelined_ring(Call call);
op::Script kary_tree(Call call);
op::Script contiguous_knomial_tree(Call call);
op::Script descending_knomial_tree(Call call);
op::Script naive(Call call);
op::Script binomial(Call call);
op::Script ring_ahead(Call call);
op::Script han(Call call);
op::Script composition_alpha(Call call);
op::Script swing(Call call);
op::Script swing_doubling(Call call);
op::Script circulant(Call call);
op::Script double_tree(Call call);
op::Script multi_lane(Call call);
}  // namespace allreduce

namespace reduce_scatter {
op::Script recursive_halving(Call call);
op::Script pairwise(Call call);
op::Script ring(Call call);
op::Script butterfly(Call call);
op::Script nonoverlapping(Call call);
op::Script reduce_scatterv(Call call);
op::Script remote_reduce_local_scatter(Call call);
op::Script recursive_doubling(Call call);
op::Script noncommutative(Call call);
op::Script recexch(Call call);
op::Script circulant(Call call);
}  // namespace reduce_scatter

namespace reduce_scatter_block {
op::Script recursive_halving(Call call);
op::Script pairwise(Call call);
op::Script recursive_doubling(Call call);
op::Script butterfly(Call call);
op::Script basic_linear(Call call);
op::Script reduce_scatterv(Call call);
op::Script remote_reduce_local_scatter(Call call);
op::Script noncommutative(Call call);
op::Script recexch(Call call);
op::Script circulant(Call call);
op::Script bine(Call call);
}  // namespace reduce_scatter_block

namespace scan {
op::Script recursive_doubling(Call call);
op::Script linear(Call call);
op::Script composition_alpha(Call call);
}  // namespace scan

namespace exscan {
op::Script recursive_doubling(Call call);
op::Script linear(Call call);
op::Script linear_even_empty(Call call);
}  // namespace exscan

namespace gather {
op::Script hierarchical(Call call);
op::Script basic_linear(Call call);
op::Script binomial(Call call);
op::Script linear(Call call);
op::Script linear_even_empty(Call call);
op::Script inter_linear(Call call);
op::Script local_gather_remote_send(Call call);
op::Script linear_sync(Call call);
op::Script contiguous_knomial(Call call);
op::Script han(Call call);
}  // namespace gather

namespace gatherv {
op::Script basic_linear(Call call);
op::Script linear(Call call);
op::Script linear_even_empty(Call call);
op::Script inter_linear(Call call);
}  // namespace gatherv

namespace scatter {
op::Script hierarchical(Call call);
op::Script basic_linear(Call call);
op::Script binomial(Call call);
op::Script linear(Call call);
op::Script linear_even_empty(Call call);
op::Script inter_linear(Call call);
op::Script remote_send_local_scatter(Call call);
op::Script contiguous_knomial(Call call);
op::Script han(Call call);
}  // namespace scatter

namespace scatterv {
op::Script basic_linear(Call call);
op::Script linear(Call call);
op::Script linear_even_empty(Call call);
op::Script inter_linear(Call call);
}  // namespace scatterv

namespace allgather {
op::Script hierarchical(Call call);
op::Script recursive_doubling(Call call);
op::Script bruck(Call call);
op::Script ring(Call call);
op::Script neighbor_exchange(Call call);
op::Script local_gather_remote_bcast(Call call);
op::Script gather_bcast(Call call);
op::Script two_proc(Call call);
op::Script recexch_doubling(Call call);
op::Script recexch_halving(Call call);
op::Script sparbit(Call call);
op::Script linear_by_rank(Call call);
op::Script han(Call call);
op::Script bine(Call call);
}  // namespace allgather

namespace allgatherv {
op::Script bruck(Call call);
op::Script ring(Call call);
op::Script neighbor_exchange(Call call);
op::Script gather_bcast(Call call);
op::Script two_proc(Call call);
op::Script sparbit(Call call);
op::Script linear(Call call);
op::Script linear_even_empty(Call call);
op::Script remote_gather_local_bcast(Call call);
op::Script pipelined_ring(Call call);
op::Script recursive_doubling(Call call);
op::Script recexch_doubling(Call call);
op::Script recexch_halving(Call call);
}  // namespace allgatherv

namespace alltoall {
op::Script hierarchical(Call call);
op::Script bruck(Call call);
op::Script linear(Call call);
op::Script pairwise(Call call);
op::Script pairwise_exchange(Call call);
op::Script two_proc(Call call);
op::Script scattered(Call call);
op::Script pairwise_xor(Call call);
op::Script ring(Call call);
op::Script windowed(Call call);
op::Script in_turn(Call call);
op::Script linear_by_rank(Call call);
op::Script linear_sync(Call call);
op::Script both_neighbors(Call call);
op::Script there_and_back(Call call);
}  // namespace alltoall

/// For alltoallw too: streams know of bytes, not of datatypes.
namespace alltoallv {
op::Script basic_linear(Call call);
op::Script basic_linear_even_empty(Call call);
op::Script linear(Call call);
op::Script pairwise(Call call);
op::Script pairwise_even_empty(Call call);
op::Script pairwise_with_self(Call call);
op::Script pairwise_exchange(Call call);
op::Script scattered(Call call);
op::Script windowed(Call call);
op::Script in_turn(Call call);
op::Script both_neighbors(Call call);
op::Script there_and_back(Call call);
}  // namespace alltoallv

namespace neighbor_allgather {
op::Script linear(Call call);
}  // namespace neighbor_allgather

namespace neighbor_alltoall {
op::Script linear(Call call);
}  // namespace neighbor_alltoall

namespace new_comm {
op::Script number(Call call);
op::Script three_rounds(Call call);
op::Script mask(Call call);
op::Script inter_number(Call call);
}  // namespace new_comm

}  // namespace orrery::collective
