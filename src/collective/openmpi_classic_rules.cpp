// SPDX-License-Identifier: BSD-3-Clause
#include "collective/openmpi_classic_rules.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "collective/limits.hpp"
#include "collective/openmpi_rules.hpp"

namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

/// So many ranks, for a size in bytes: per_byte · bytes + ranks.
struct Bound {
  double per_byte = 0;
  double ranks = 0;
  [[nodiscard]] double at(std::int64_t bytes) const { return per_byte * static_cast<double>(bytes) + ranks; }
};

/// What else a line asks for.
enum class Only : std::uint8_t {
  Always,
  NotCommutative,   ///< the operation does not commute
  SingleElement,    ///< one element, or none
  ElementsToShare,  ///< more elements than ranks, and an operation that commutes
  PowerOfTwo,       ///< ranks
  EvenSize,         ///< ranks
  EmptyBlock,       ///< some rank gets nothing
};

enum class ClassicRelease : std::uint8_t { Both, V1_3, V1_6 };

/// One line of a table: the algorithm serves calls within all limits. Bytes are those of `classic_bytes`.
struct ClassicRule {
  CollectiveKind kind;
  std::string_view algorithm;  ///< by Open MPI's name
  std::int64_t segment = 0;
  std::int64_t bytes_from = 0;
  std::int64_t bytes_below = any_bytes;
  int size_from = 1;
  int size_below = any_size;
  Bound more_ranks_than = {};                    ///< above which the line is for
  Bound fewer_ranks_than = {.ranks = any_size};  ///< below which it is
  Only only = Only::Always;
  ClassicRelease release = ClassicRelease::Both;  ///< that has the line
};

/// The decision functions of 1.3 and of 1.6.5, the last 1.6, in reading order: the first line that fits decides.
constexpr auto classic_rules = std::to_array<ClassicRule>({
    {.kind = Barrier, .algorithm = "two_proc", .size_from = 2, .size_below = 3},
    {.kind = Barrier, .algorithm = "recursive_doubling", .only = Only::PowerOfTwo},
    {.kind = Barrier, .algorithm = "bruck"},

    {.kind = Bcast, .algorithm = "binomial", .bytes_below = 2048},
    {.kind = Bcast, .algorithm = "binomial", .only = Only::SingleElement},
    {.kind = Bcast, .algorithm = "split_binary_tree", .segment = KiB, .bytes_below = 370'728},
    {.kind = Bcast, .algorithm = "pipeline", .segment = 128 * KiB, .fewer_ranks_than = {1.6134e-6, 2.1102}},
    {.kind = Bcast, .algorithm = "split_binary_tree", .segment = 8 * KiB, .size_below = 13},
    {.kind = Bcast, .algorithm = "pipeline", .segment = 64 * KiB, .fewer_ranks_than = {2.3679e-6, 1.1787}},
    {.kind = Bcast, .algorithm = "pipeline", .segment = 16 * KiB, .fewer_ranks_than = {3.2118e-6, 8.7936}},
    {.kind = Bcast, .algorithm = "pipeline", .segment = 8 * KiB},

    {.kind = Reduce, .algorithm = "linear", .bytes_below = 2048, .size_below = 12, .only = Only::NotCommutative},
    {.kind = Reduce, .algorithm = "in-order_binary", .only = Only::NotCommutative},
    {.kind = Reduce, .algorithm = "linear", .bytes_below = 512, .size_below = 8},
    {.kind = Reduce, .algorithm = "binomial", .bytes_below = 20'480, .size_below = 8},
    {.kind = Reduce, .algorithm = "binomial", .bytes_below = 2048},
    {.kind = Reduce, .algorithm = "binomial", .only = Only::SingleElement},
    {.kind = Reduce, .algorithm = "binomial", .segment = KiB, .more_ranks_than = {0.6016 / 1024, 1.3496}},
    {.kind = Reduce, .algorithm = "pipeline", .segment = KiB, .more_ranks_than = {0.0410 / 1024, 9.7128}},
    {.kind = Reduce,
     .algorithm = "pipeline",
     .segment = 32 * KiB,
     .more_ranks_than = {0.0422 / 1024, 1.1614},
     .release = ClassicRelease::V1_3},
    {.kind = Reduce,
     .algorithm = "binary",
     .segment = 32 * KiB,
     .more_ranks_than = {0.0422 / 1024, 1.1614},
     .release = ClassicRelease::V1_6},
    {.kind = Reduce, .algorithm = "pipeline", .segment = 32 * KiB, .more_ranks_than = {0.0033 / 1024, 1.6761}},
    {.kind = Reduce, .algorithm = "pipeline", .segment = 64 * KiB},

    {.kind = Allreduce, .algorithm = "recursive_doubling", .bytes_below = 10'000},
    {.kind = Allreduce,
     .algorithm = "ring",
     .more_ranks_than = {1.0 / (1024 * KiB), -1e-9},
     .only = Only::ElementsToShare},
    {.kind = Allreduce, .algorithm = "segmented_ring", .segment = 1024 * KiB, .only = Only::ElementsToShare},
    {.kind = Allreduce, .algorithm = "nonoverlapping"},

    {.kind = ReduceScatter, .algorithm = "non-overlapping", .only = Only::NotCommutative},
    {.kind = ReduceScatter, .algorithm = "non-overlapping", .only = Only::EmptyBlock},
    {.kind = ReduceScatter, .algorithm = "recursive_halving", .bytes_below = 12 * KiB + 1},
    {.kind = ReduceScatter, .algorithm = "recursive_halving", .bytes_below = 256 * KiB + 1, .only = Only::PowerOfTwo},
    {.kind = ReduceScatter, .algorithm = "recursive_halving", .more_ranks_than = {0.0012, 8.0 - 1e-9}},
    {.kind = ReduceScatter, .algorithm = "ring"},

    {.kind = Allgather, .algorithm = "two_proc", .size_from = 2, .size_below = 3},
    {.kind = Allgather, .algorithm = "recursive_doubling", .bytes_below = 50'000, .only = Only::PowerOfTwo},
    {.kind = Allgather, .algorithm = "bruck", .bytes_below = 50'000},
    {.kind = Allgather, .algorithm = "neighbor", .only = Only::EvenSize},
    {.kind = Allgather, .algorithm = "ring"},

    {.kind = Allgatherv, .algorithm = "two_proc", .size_from = 2, .size_below = 3},
    {.kind = Allgatherv, .algorithm = "bruck", .bytes_below = 50'000},
    {.kind = Allgatherv, .algorithm = "neighbor", .only = Only::EvenSize},
    {.kind = Allgatherv, .algorithm = "ring"},

    {.kind = Alltoall, .algorithm = "two_proc", .size_from = 2, .size_below = 3},
    {.kind = Alltoall, .algorithm = "modified_bruck", .bytes_below = 200, .size_from = 13},
    {.kind = Alltoall, .algorithm = "linear", .bytes_below = 3000},
    {.kind = Alltoall, .algorithm = "pairwise"},
    {.kind = Alltoallv, .algorithm = "basic_linear", .release = ClassicRelease::V1_3},
    {.kind = Alltoallv, .algorithm = "pairwise", .release = ClassicRelease::V1_6},

    {.kind = Gather, .algorithm = "linear_sync", .segment = 32 * KiB, .bytes_from = 92'161},
    {.kind = Gather, .algorithm = "linear_sync", .segment = KiB, .bytes_from = 6001},
    {.kind = Gather, .algorithm = "binomial", .size_from = 61},
    {.kind = Gather, .algorithm = "binomial", .bytes_below = 1024, .size_from = 11},
    {.kind = Gather, .algorithm = "basic_linear"},

    {.kind = Scatter, .algorithm = "binomial", .bytes_below = 300, .size_from = 11},
    {.kind = Scatter, .algorithm = "basic_linear"},
});

/// What the limits are compared with: all blocks of an allgather(v), the input of a reduce-scatter, one block or the
/// vector of others.
std::int64_t classic_bytes(const Call& call) {
  if (call.kind == Allgather) return call.bytes.count * call.size;
  if (call.kind == Allgatherv) return std::accumulate(call.counts.begin(), call.counts.end(), std::int64_t{0});
  return call.bytes.count;
}

bool holds(Only only, const Call& call) {
  const std::int64_t elements = call.bytes.count / call.element;
  switch (only) {
    case Only::NotCommutative: return !call.commutative;
    case Only::SingleElement: return elements <= 1;
    case Only::ElementsToShare: return call.commutative && elements > call.size;
    case Only::PowerOfTwo: return std::has_single_bit(static_cast<unsigned>(call.size));
    case Only::EvenSize: return call.size % 2 == 0;
    case Only::EmptyBlock: return std::ranges::count(call.counts, 0) > 0;
    case Only::Always: break;
  }
  return true;
}

bool fits_classic(const ClassicRule& rule, const Call& call, std::int64_t bytes) {
  return rule.kind == call.kind && bytes >= rule.bytes_from && bytes < rule.bytes_below &&
         call.size >= rule.size_from && call.size < rule.size_below && call.size > rule.more_ranks_than.at(bytes) &&
         call.size < rule.fewer_ranks_than.at(bytes) && holds(rule.only, call);
}

Choice choice_of(ClassicRelease release, const Call& call) {
  if (call.immediate || call.in_place) return openmpi_choice(call);
  const std::int64_t bytes = classic_bytes(call);
  const auto found = std::ranges::find_if(classic_rules, [&](const ClassicRule& rule) {
    return (rule.release == ClassicRelease::Both || rule.release == release) && fits_classic(rule, call, bytes);
  });
  if (found == classic_rules.end()) return openmpi_choice(call);
  const Algorithm* algorithm = find_openmpi(call.kind, found->algorithm);
  return {.algorithm = openmpi_fallback(*algorithm, call), .segment = {found->segment}};
}

}  // namespace

Choice openmpi_1_3_choice(const Call& call) { return choice_of(ClassicRelease::V1_3, call); }
Choice openmpi_1_6_choice(const Call& call) { return choice_of(ClassicRelease::V1_6, call); }

}  // namespace orrery::collective
