// SPDX-License-Identifier: BSD-3-Clause
#include "trace/collective_sums.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/decoder.hpp"

namespace orrery::trace {
namespace {

using Key = std::tuple<op::CollectiveKind, op::CommId, std::int64_t, std::int32_t, std::int64_t, std::int64_t,
                       std::uint8_t, std::uint32_t>;

struct Sum {
  CollectiveSum found;
  std::int64_t last_rank = -1;
};

/// What all blocks of a call have in common.
std::int64_t block_of(const op::Operation& o) {
  switch (o.collective) {
    case op::CollectiveKind::Gatherv:
    case op::CollectiveKind::Scatterv: return -1;  // only the root knows
    case op::CollectiveKind::ReduceScatter:
    case op::CollectiveKind::Allgatherv:
    case op::CollectiveKind::Alltoallv:
    case op::CollectiveKind::Alltoallw: break;
    default: return o.counts.empty() ? o.bytes.count : -1;
  }
  if (o.counts.empty()) return -1;
  const std::int64_t first = o.counts.front();
  if (!std::all_of(o.counts.begin(), o.counts.end(), [first](std::int64_t count) { return count == first; })) return -1;
  return o.collective == op::CollectiveKind::ReduceScatter ? o.bytes.count : first;
}

void count(const op::Operation& o, const Beside& beside, std::uint32_t rank, std::map<Key, Sum>& sums) {
  if (o.kind != op::Kind::Collective || !o.has(op::Blocking)) return;
  const std::int64_t bytes = block_of(o);
  const auto flags = static_cast<std::uint8_t>(o.flags & (op::Commutative | op::UserDefined | op::InPlace));
  Sum& sum = sums[{o.collective, o.comm, bytes, o.peer, o.element, o.extent, flags, beside.ran}];
  CollectiveSum& found = sum.found;
  found.kind = o.collective;
  found.comm = o.comm;
  found.bytes = bytes;
  found.root = o.peer;
  found.element = o.element;
  found.extent = o.extent;
  found.commutative = o.has(op::Commutative);
  found.built_in = !o.has(op::UserDefined);
  found.in_place = o.has(op::InPlace);
  found.ran = beside.ran;
  ++found.calls;
  if (sum.last_rank != rank) {
    sum.last_rank = rank;
    ++found.ranks;
  }
  if (beside.end_ns > beside.begin_ns) found.time_s += static_cast<double>(beside.end_ns - beside.begin_ns) * 1e-9;
}

}  // namespace

std::vector<CollectiveSum> collective_sums(const File& file) {
  std::map<Key, Sum> sums;
  for (std::uint32_t rank = 0; rank < file.streams(); ++rank) {
    Decoder decoder(file, rank);
    for (auto what = decoder.next(); what != Decoder::What::End; what = decoder.next())
      if (what == Decoder::What::Operation) count(decoder.operation(), decoder.beside(), rank, sums);
  }
  std::vector<CollectiveSum> found;
  found.reserve(sums.size());
  for (const auto& [key, sum] : sums) found.push_back(sum.found);
  std::stable_sort(found.begin(), found.end(),
                   [](const CollectiveSum& sum, const CollectiveSum& other) { return sum.time_s > other.time_s; });
  return found;
}

}  // namespace orrery::trace
