// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>

#include "collective/algorithms.hpp"
#include "collective/parts/neighborhood.hpp"

namespace orrery::collective {
namespace {

constexpr std::string_view bruck_1997 = "Bruck et al. 1997, doi:10.1109/71.642949";
constexpr std::string_view chen_2005 = "Chen, Zhang, Zhang, Yuan 2005, doi:10.1109/HPCASIA.2005.75";
constexpr std::string_view hensgen_1988 = "Hensgen, Finkel, Manber 1988, doi:10.1007/BF01379320";
constexpr std::string_view patarasuk_2009 = "Patarasuk, Yuan 2009, doi:10.1016/j.jpdc.2008.09.002";
constexpr std::string_view pjesivac_2007 = "Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0";
constexpr std::string_view rabenseifner_2004 = "Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1";
constexpr std::string_view traeff_2005 = "Träff 2005, doi:10.1007/11557265_20";
constexpr std::string_view thakur_2005 = "Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521";

using enum op::CollectiveKind;

constexpr auto registry = std::to_array<Algorithm>({
    {.kind = Barrier,
     .name = "dissemination",
     .stream = barrier::dissemination,
     .openmpi = "bruck",
     .mpich = "dissemination",
     .source = hensgen_1988},
    {.kind = Barrier,
     .name = "recursive_doubling",
     .stream = barrier::recursive_doubling,
     .openmpi = "recursive_doubling"},
    {.kind = Barrier, .name = "linear", .stream = barrier::linear, .openmpi = "linear"},
    {.kind = Barrier, .name = "inter_bcast", .stream = barrier::inter_bcast, .inter = true, .mpich = "bcast"},
    {.kind = Barrier, .name = "double_ring", .stream = barrier::double_ring, .openmpi = "double_ring"},
    {.kind = Barrier, .name = "tree", .stream = barrier::tree, .openmpi = "tree"},
    {.kind = Barrier, .name = "two_proc", .stream = barrier::two_proc, .two_only = true, .openmpi = "two_proc"},
    {.kind = Bcast,
     .name = "binomial_halving",
     .stream = bcast::binomial_halving,
     .mpich = "binomial",
     .source = thakur_2005},
    {.kind = Bcast,
     .name = "scatter_allgather",
     .stream = bcast::scatter_allgather,
     .openmpi = "scatter_allgather",
     .mpich = "scatter_recursive_doubling_allgather",
     .source = thakur_2005},
    {.kind = Bcast,
     .name = "scatter_allgather_ring",
     .stream = bcast::scatter_allgather_ring,
     .openmpi = "scatter_allgather_ring",
     .mpich = "scatter_ring_allgather",
     .source = thakur_2005},
    {.kind = Bcast,
     .name = "chain",
     .stream = bcast::chain,
     .segments = true,
     .openmpi = "chain",
     .source = pjesivac_2007},
    {.kind = Bcast, .name = "linear", .stream = bcast::linear, .openmpi = "basic_linear"},
    {.kind = Bcast,
     .name = "remote_send_local_bcast",
     .stream = bcast::remote_send_local_bcast,
     .inter = true,
     .mpich = "remote_send_local_bcast"},
    {.kind = Bcast,
     .name = "pipeline",
     .stream = bcast::pipeline,
     .segments = true,
     .openmpi = "pipeline",
     .source = pjesivac_2007},
    {.kind = Bcast,
     .name = "binomial",
     .stream = bcast::binomial,
     .segments = true,
     .openmpi = "binomial",
     .source = pjesivac_2007},
    {.kind = Bcast, .name = "knomial", .stream = bcast::knomial, .segments = true, .openmpi = "knomial"},
    {.kind = Bcast,
     .name = "binary_tree",
     .stream = bcast::binary_tree,
     .segments = true,
     .openmpi = "binary_tree",
     .source = pjesivac_2007},
    {.kind = Bcast,
     .name = "split_binary_tree",
     .stream = bcast::split_binary_tree,
     .segments = true,
     .openmpi = "split_binary_tree",
     .source = pjesivac_2007},
    {.kind = Reduce,
     .name = "binomial",
     .stream = reduce::binomial,
     .segments = true,
     .openmpi = "binomial",
     .mpich = "binomial",
     .source = thakur_2005},
    {.kind = Reduce,
     .name = "reduce_scatter_gather",
     .stream = reduce::reduce_scatter_gather,
     .mpich = "reduce_scatter_gather",
     .source = rabenseifner_2004},
    {.kind = Reduce, .name = "linear", .stream = reduce::linear, .openmpi = "linear"},
    {.kind = Reduce,
     .name = "local_reduce_remote_send",
     .stream = reduce::local_reduce_remote_send,
     .inter = true,
     .mpich = "local_reduce_remote_send"},
    {.kind = Reduce,
     .name = "rabenseifner",
     .stream = reduce::rabenseifner,
     .openmpi = "rabenseifner",
     .source = rabenseifner_2004},
    {.kind = Reduce,
     .name = "chain",
     .stream = reduce::chain,
     .commutative_only = true,
     .segments = true,
     .openmpi = "chain",
     .source = pjesivac_2007},
    {.kind = Reduce,
     .name = "pipeline",
     .stream = reduce::pipeline,
     .commutative_only = true,
     .segments = true,
     .openmpi = "pipeline",
     .source = pjesivac_2007},
    {.kind = Reduce,
     .name = "binary",
     .stream = reduce::binary,
     .commutative_only = true,
     .segments = true,
     .openmpi = "binary",
     .source = pjesivac_2007},
    {.kind = Reduce,
     .name = "in_order_binary",
     .stream = reduce::in_order_binary,
     .segments = true,
     .openmpi = "in-order_binary"},
    {.kind = Allreduce,
     .name = "recursive_doubling",
     .stream = allreduce::recursive_doubling,
     .openmpi = "recursive_doubling",
     .mpich = "recursive_doubling",
     .source = thakur_2005},
    {.kind = Allreduce,
     .name = "reduce_scatter_allgather",
     .stream = allreduce::reduce_scatter_allgather,
     .mpich = "reduce_scatter_allgather",
     .source = rabenseifner_2004},
    {.kind = Allreduce,
     .name = "ring",
     .stream = allreduce::ring,
     .commutative_only = true,
     .openmpi = "ring",
     .mpich = "ring",
     .otherwise = "nonoverlapping",
     .source = patarasuk_2009},
    {.kind = Allreduce,
     .name = "reduce_exchange_bcast",
     .stream = allreduce::reduce_exchange_bcast,
     .inter = true,
     .mpich = "reduce_exchange_bcast"},
    {.kind = Allreduce, .name = "reduce_bcast", .stream = allreduce::reduce_bcast},
    {.kind = Allreduce,
     .name = "rabenseifner",
     .stream = allreduce::rabenseifner,
     .openmpi = "rabenseifner",
     .source = rabenseifner_2004},
    {.kind = Allreduce,
     .name = "segmented_ring",
     .stream = allreduce::segmented_ring,
     .commutative_only = true,
     .segments = true,
     .openmpi = "segmented_ring",
     .source = patarasuk_2009},
    {.kind = Allreduce, .name = "nonoverlapping", .stream = allreduce::nonoverlapping, .openmpi = "nonoverlapping"},
    {.kind = Allreduce, .name = "basic_linear", .stream = allreduce::basic_linear, .openmpi = "basic_linear"},
    {.kind = ReduceScatter,
     .name = "recursive_halving",
     .stream = reduce_scatter::recursive_halving,
     .commutative_only = true,
     .openmpi = "recursive_halving",
     .mpich = "recursive_halving",
     .source = thakur_2005},
    {.kind = ReduceScatter,
     .name = "pairwise",
     .stream = reduce_scatter::pairwise,
     .commutative_only = true,
     .mpich = "pairwise",
     .source = thakur_2005},
    {.kind = ReduceScatter, .name = "reduce_scatterv", .stream = reduce_scatter::reduce_scatterv},
    {.kind = ReduceScatter,
     .name = "ring",
     .stream = reduce_scatter::ring,
     .commutative_only = true,
     .openmpi = "ring"},
    {.kind = ReduceScatter,
     .name = "butterfly",
     .stream = reduce_scatter::butterfly,
     .openmpi = "butterfly",
     .source = traeff_2005},
    {.kind = ReduceScatter,
     .name = "nonoverlapping",
     .stream = reduce_scatter::nonoverlapping,
     .openmpi = "non-overlapping"},
    {.kind = ReduceScatter,
     .name = "remote_reduce_local_scatter",
     .stream = reduce_scatter::remote_reduce_local_scatter,
     .inter = true,
     .mpich = "remote_reduce_local_scatter"},
    {.kind = ReduceScatterBlock,
     .name = "recursive_halving",
     .stream = reduce_scatter_block::recursive_halving,
     .commutative_only = true,
     .openmpi = "recursive_halving",
     .mpich = "recursive_halving",
     .source = thakur_2005},
    {.kind = ReduceScatterBlock,
     .name = "pairwise",
     .stream = reduce_scatter_block::pairwise,
     .commutative_only = true,
     .mpich = "pairwise",
     .source = thakur_2005},
    {.kind = ReduceScatterBlock, .name = "reduce_scatterv", .stream = reduce_scatter_block::reduce_scatterv},
    {.kind = ReduceScatterBlock,
     .name = "recursive_doubling",
     .stream = reduce_scatter_block::recursive_doubling,
     .openmpi = "recursive_doubling",
     .source = thakur_2005},
    {.kind = ReduceScatterBlock,
     .name = "butterfly",
     .stream = reduce_scatter_block::butterfly,
     .openmpi = "butterfly",
     .source = traeff_2005},
    {.kind = ReduceScatterBlock,
     .name = "basic_linear",
     .stream = reduce_scatter_block::basic_linear,
     .openmpi = "basic_linear"},
    {.kind = ReduceScatterBlock,
     .name = "remote_reduce_local_scatter",
     .stream = reduce_scatter_block::remote_reduce_local_scatter,
     .inter = true,
     .mpich = "remote_reduce_local_scatter"},
    {.kind = Scan,
     .name = "recursive_doubling",
     .stream = scan::recursive_doubling,
     .openmpi = "recursive_doubling",
     .mpich = "recursive_doubling"},
    {.kind = Scan, .name = "linear", .stream = scan::linear, .openmpi = "linear"},
    {.kind = Exscan,
     .name = "recursive_doubling",
     .stream = exscan::recursive_doubling,
     .openmpi = "recursive_doubling",
     .mpich = "recursive_doubling"},
    {.kind = Exscan, .name = "linear", .stream = exscan::linear, .openmpi = "linear"},
    {.kind = Gather, .name = "binomial", .stream = gather::binomial, .openmpi = "binomial", .mpich = "binomial"},
    {.kind = Gather, .name = "linear", .stream = gather::linear, .openmpi = "basic_linear"},
    {.kind = Gather, .name = "inter_linear", .stream = gather::inter_linear, .inter = true, .mpich = "linear"},
    {.kind = Gather,
     .name = "local_gather_remote_send",
     .stream = gather::local_gather_remote_send,
     .inter = true,
     .mpich = "local_gather_remote_send"},
    {.kind = Gather, .name = "linear_sync", .stream = gather::linear_sync, .segments = true, .openmpi = "linear_sync"},
    {.kind = Gatherv, .name = "linear", .stream = gatherv::linear, .mpich = "linear"},
    {.kind = Gatherv, .name = "inter_linear", .stream = gatherv::inter_linear, .inter = true, .mpich = "linear"},
    {.kind = Scatter,
     .name = "binomial",
     .stream = scatter::binomial,
     .openmpi = "binomial",
     .mpich = "binomial",
     .source = thakur_2005},
    {.kind = Scatter, .name = "linear", .stream = scatter::linear, .openmpi = "basic_linear"},
    {.kind = Scatter, .name = "inter_linear", .stream = scatter::inter_linear, .inter = true, .mpich = "linear"},
    {.kind = Scatter,
     .name = "remote_send_local_scatter",
     .stream = scatter::remote_send_local_scatter,
     .inter = true,
     .mpich = "remote_send_local_scatter"},
    {.kind = Scatter, .name = "linear_nb", .stream = scatter::linear_nb, .openmpi = "linear_nb"},
    {.kind = Scatterv, .name = "linear", .stream = scatterv::linear, .mpich = "linear"},
    {.kind = Scatterv, .name = "inter_linear", .stream = scatterv::inter_linear, .inter = true, .mpich = "linear"},
    {.kind = Allgather,
     .name = "recursive_doubling",
     .stream = allgather::recursive_doubling,
     .power_of_two_only = true,
     .openmpi = "recursive_doubling",
     .mpich = "recursive_doubling",
     .otherwise = "bruck",
     .source = thakur_2005},
    {.kind = Allgather,
     .name = "bruck",
     .stream = allgather::bruck,
     .openmpi = "bruck",
     .mpich = "brucks",
     .source = bruck_1997},
    {.kind = Allgather,
     .name = "ring",
     .stream = allgather::ring,
     .openmpi = "ring",
     .mpich = "ring",
     .source = thakur_2005},
    {.kind = Allgather,
     .name = "neighbor_exchange",
     .stream = allgather::neighbor_exchange,
     .even_only = true,
     .openmpi = "neighbor",
     .otherwise = "ring",
     .source = chen_2005},
    {.kind = Allgather,
     .name = "local_gather_remote_bcast",
     .stream = allgather::local_gather_remote_bcast,
     .inter = true,
     .mpich = "local_gather_remote_bcast"},
    {.kind = Allgather, .name = "gather_bcast", .stream = allgather::gather_bcast, .openmpi = "linear"},
    {.kind = Allgather, .name = "two_proc", .stream = allgather::two_proc, .two_only = true, .openmpi = "two_proc"},
    {.kind = Allgatherv,
     .name = "bruck",
     .stream = allgatherv::bruck,
     .openmpi = "bruck",
     .mpich = "brucks",
     .source = bruck_1997},
    {.kind = Allgatherv,
     .name = "ring",
     .stream = allgatherv::ring,
     .openmpi = "ring",
     .mpich = "ring",
     .source = thakur_2005},
    {.kind = Allgatherv, .name = "linear", .stream = allgatherv::linear},
    {.kind = Allgatherv,
     .name = "remote_gather_local_bcast",
     .stream = allgatherv::remote_gather_local_bcast,
     .inter = true,
     .mpich = "remote_gather_local_bcast"},
    {.kind = Allgatherv,
     .name = "neighbor_exchange",
     .stream = allgatherv::neighbor_exchange,
     .even_only = true,
     .openmpi = "neighbor",
     .otherwise = "ring",
     .source = chen_2005},
    {.kind = Allgatherv, .name = "gather_bcast", .stream = allgatherv::gather_bcast, .openmpi = "default"},
    {.kind = Allgatherv, .name = "two_proc", .stream = allgatherv::two_proc, .two_only = true, .openmpi = "two_proc"},
    {.kind = Alltoall,
     .name = "bruck",
     .stream = alltoall::bruck,
     .openmpi = "modified_bruck",
     .mpich = "brucks",
     .source = bruck_1997},
    {.kind = Alltoall,
     .name = "linear",
     .stream = alltoall::linear,
     .openmpi = "linear",
     .mpich = "scattered",
     .source = thakur_2005},
    {.kind = Alltoall,
     .name = "pairwise",
     .stream = alltoall::pairwise,
     .openmpi = "pairwise",
     .mpich = "pairwise",
     .source = thakur_2005},
    {.kind = Alltoall,
     .name = "pairwise_exchange",
     .stream = alltoall::pairwise_exchange,
     .inter = true,
     .mpich = "pairwise_exchange"},
    {.kind = Alltoall, .name = "linear_sync", .stream = alltoall::linear, .openmpi = "linear_sync"},
    {.kind = Alltoall, .name = "two_proc", .stream = alltoall::two_proc, .two_only = true, .openmpi = "two_proc"},
    {.kind = Alltoallv, .name = "linear", .stream = alltoallv::linear, .mpich = "scattered"},
    {.kind = Alltoallv, .name = "basic_linear", .stream = alltoallv::basic_linear, .openmpi = "basic_linear"},
    {.kind = Alltoallv, .name = "pairwise", .stream = alltoallv::pairwise, .openmpi = "pairwise"},
    {.kind = Alltoallv,
     .name = "pairwise_exchange",
     .stream = alltoallv::pairwise_exchange,
     .inter = true,
     .mpich = "pairwise_exchange"},
    {.kind = Alltoallw, .name = "linear", .stream = alltoallv::linear, .mpich = "scattered"},
    {.kind = Alltoallw, .name = "basic_linear", .stream = alltoallv::basic_linear, .openmpi = "linear"},
    {.kind = Alltoallw, .name = "pairwise", .stream = alltoallv::pairwise},
    {.kind = Alltoallw,
     .name = "pairwise_exchange",
     .stream = alltoallv::pairwise_exchange,
     .inter = true,
     .mpich = "pairwise_exchange"},
    {.kind = NeighborAllgather, .name = "linear", .stream = neighbor_allgather::linear, .mpich = "linear"},
    {.kind = NeighborAllgatherv, .name = "linear", .stream = neighbor_allgather::linear, .mpich = "linear"},
    {.kind = NeighborAlltoall, .name = "linear", .stream = neighbor_alltoall::linear, .mpich = "linear"},
    {.kind = NeighborAlltoallv, .name = "linear", .stream = neighbor_alltoall::linear, .mpich = "linear"},
    {.kind = NeighborAlltoallw, .name = "linear", .stream = neighbor_alltoall::linear, .mpich = "linear"},
});
static_assert(std::ranges::is_sorted(registry, {}, &Algorithm::kind));

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
};

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

bool Algorithm::accepts(const Call& call) const {
  if (call.kind != kind || inter != (call.remote_size > 0) || call.counts.size() < counts_needed(call)) return false;
  if (power_of_two_only && !std::has_single_bit(static_cast<unsigned>(call.size))) return false;
  if (even_only && call.size % 2 != 0) return false;
  if (two_only && call.size != 2) return false;
  if (kind >= NeighborAllgather && !Neighborhood::of(call)) return false;
  return call.commutative || !commutative_only;
}

std::span<const Algorithm> algorithms() { return registry; }

const Algorithm* find(CollectiveKind kind, std::string_view name) {
  const auto* found =
      std::ranges::find_if(registry, [&](const Algorithm& a) { return a.kind == kind && a.name == name; });
  return found == registry.end() ? nullptr : found;
}

const Algorithm* find_openmpi(CollectiveKind kind, std::string_view name) {
  const auto* found =
      std::ranges::find_if(registry, [&](const Algorithm& a) { return a.kind == kind && a.openmpi == name; });
  return found == registry.end() ? nullptr : found;
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
