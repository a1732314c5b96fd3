// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/best.hpp"

#include <bit>
#include <utility>
#include <vector>

namespace orrery::kernel {
namespace {

using collective::Choice;
using collective::WholeCall;
using enum op::CollectiveKind;

constexpr std::int64_t smallest_segment = 1024, largest_segment = 1 << 20;  ///< bytes; each four times the one before
constexpr std::int64_t most_segments = 64;

bool searchable(const collective::Call& call) {
  if (call.remote_size > 0) return false;
  switch (call.kind) {
    case Barrier:
    case Bcast:
    case Reduce:
    case Allreduce:
    case ReduceScatterBlock:
    case Scan:
    case Exscan:
    case Gather:
    case Scatter:
    case Allgather:
    case Alltoall: return true;
    default: return false;
  }
}

/// The power of two from which the class of a size goes down.
std::int64_t size_class(std::int64_t bytes) {
  return bytes <= 0 ? 0 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
}

/// The choice as it is, and with the segment sizes that make sense for it.
std::vector<Choice> with_segments(const Choice& choice, Bytes bytes) {
  std::vector<Choice> all{choice};
  if (!choice.algorithm->segments) return all;
  for (std::int64_t segment = smallest_segment; segment <= largest_segment; segment *= 4) {
    if (segment >= bytes.count || bytes.count > most_segments * segment) continue;
    all.push_back(choice);
    all.back().segment = {segment};
  }
  return all;
}

}  // namespace

Best::Best(Config config, MakeTransport make_transport, std::shared_ptr<const collective::Selector> otherwise)
    : config_(std::move(config)), make_transport_(std::move(make_transport)), otherwise_(std::move(otherwise)) {
  for (const op::CollectiveKind kind : otherwise_->asked(collective::Decider::Fixed))
    fixed_.set(static_cast<std::size_t>(kind));
}

Choice Best::choose(const collective::Call& call) const {
  if (fixed_.test(static_cast<std::size_t>(call.kind)) || !searchable(call) ||
      static_cast<std::size_t>(call.size) > config_.host_of_rank.size())
    return otherwise_->choose(call);
  const std::int64_t bytes = size_class(call.bytes.count);
  const Key key{call.kind, call.size, bytes, call.element, call.extent, call.commutative};
  auto found = found_.find(key);
  if (found == found_.end()) {
    const std::int64_t elements = (bytes + call.element - 1) / call.element;
    const WholeCall whole{.kind = call.kind,
                          .size = call.size,
                          .bytes = {elements * call.element},
                          .element = call.element,
                          .extent = call.extent,
                          .commutative = call.commutative};
    found = found_.emplace(key, search(whole)).first;
  }
  const Choice& choice = found->second;
  // Where its ranks are may differ from where the search took them to be.
  const bool serves = choice.algorithm != nullptr && choice.algorithm->accepts(choice.applied_to(call));
  return serves ? collective::after_hand_overs(choice, call) : otherwise_->choose(call);
}

Choice Best::search(const WholeCall& call) const {
  const Config config = places_for(call.size);
  const collective::Places places(call.size, config.levels);
  WholeCall placed = call;
  if (!config.levels.empty()) placed.places = &places;
  Choice best;
  Duration shortest;
  for (const Choice& algorithm : collective::accepting(placed)) {
    for (const Choice& choice : with_segments(algorithm, call.bytes)) {
      if (collective::estimated_messages(placed, choice) > most_messages) continue;
      const auto transport = make_transport_();
      const Duration time = cost_of_call(placed, choice, config, *transport).time;
      if (best.algorithm != nullptr && !(time < shortest)) continue;
      best = choice;
      shortest = time;
    }
  }
  return best;
}

/// The first ranks of the world.
Config Best::places_for(int size) const {
  const auto ranks = static_cast<std::size_t>(size);
  Config config = config_;
  config.host_of_rank.resize(ranks);
  if (!config.place_of_rank.empty()) config.place_of_rank.resize(ranks);
  if (!config.seats.empty()) config.seats.resize(ranks);
  config.compute_factor.assign(ranks, 1);
  config.initial_ranks = 0;
  config.services = nullptr;
  for (collective::Places::Level& level : config.levels) level.part_of_rank.resize(ranks);
  return config;
}

}  // namespace orrery::kernel
