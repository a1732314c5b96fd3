// SPDX-License-Identifier: BSD-3-Clause
#include "replay/ti_source.hpp"

#include <numeric>

namespace orrery::replay {

TiSource::TiSource(const std::vector<std::string>& paths, const Options& options, const RoutineNumbers& routine_number)
    : files_(paths), world_(files_.ranks()), scale_(options.bytes_factor) {
  terms_.flops_per_s = options.flops_per_s;
  for (std::size_t i = 0; i < trace::ti::actions; ++i) {
    const std::string_view name = trace::ti::routine_of(static_cast<trace::ti::Action>(i));
    terms_.routine[i] = name.empty() ? op::RoutineId{0} : routine_number(name);
  }
  readers_.reserve(files_.ranks());
  for (std::uint32_t rank = 0; rank < files_.ranks(); ++rank) readers_.emplace_back(files_, terms_, known_, rank);
  std::iota(world_.begin(), world_.end(), 0);
}

op::Pull TiSource::next(WorldRank rank, op::Operation& operation) {
  const op::Pull pull = reader(rank).next(operation);
  if (pull != op::Pull::Ready) return pull;
  constexpr std::uint64_t often = 1024;
  if (++operations_ % often == 0) given_.store(operations_, std::memory_order_relaxed);
  scale_.apply(index(rank), operation);
  return pull;
}

std::span<const std::int32_t> TiSource::members(op::CommId comm) {
  return comm == 0 ? std::span<const std::int32_t>(world_) : std::span<const std::int32_t>();
}

}  // namespace orrery::replay
