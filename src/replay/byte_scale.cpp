// SPDX-License-Identifier: BSD-3-Clause
#include "replay/byte_scale.hpp"

#include <algorithm>
#include <cmath>

#include "op/stream.hpp"

namespace orrery::replay {
namespace {

bool counts_are_bytes(const op::Operation& operation) {
  return operation.kind == op::Kind::Collective && operation.collective < op::CollectiveKind::NeighborAllgather;
}

}  // namespace

void ByteScale::apply(std::int32_t rank, op::Operation& operation) {
  if (factor_ == 1) return;
  const bool collective = operation.kind == op::Kind::Collective;
  const bool message = operation.kind == op::Kind::Isend || operation.kind == op::Kind::Irecv ||
                       operation.kind == op::Kind::Psend || operation.kind == op::Kind::Precv ||
                       op::is_one_sided(operation.kind);
  if (!collective && !message) return;
  const std::int64_t element = collective ? std::max<std::int64_t>(1, operation.element) : 1;
  const auto scaled = [&](std::int64_t bytes) {
    if (bytes == 0) return bytes;
    const double elements = static_cast<double>(bytes) / static_cast<double>(element) * factor_;
    return std::max<std::int64_t>(1, std::llround(std::min(elements, 1e15))) * element;
  };
  operation.bytes.count = scaled(operation.bytes.count);
  if (!counts_are_bytes(operation) || operation.counts.empty()) return;
  std::vector<std::int64_t>& counts = counts_[rank];
  counts.assign(operation.counts.begin(), operation.counts.end());
  std::transform(counts.begin(), counts.end(), counts.begin(), scaled);
  operation.counts = counts;
}

}  // namespace orrery::replay
