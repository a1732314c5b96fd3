// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "collective/algorithms.hpp"
#include "collective/parts/hand_over.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/ring.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::allreduce {
namespace {

/// How often the ring is gone around: as often as whole segments of all ranks fit, and once more for a large rest.
int phases(std::int64_t elements, std::int64_t segment, int size) {
  const std::int64_t round = segment * size;
  const std::int64_t rest = elements % round;
  return static_cast<int>(elements / round + (rest >= size && rest > round / 2 ? 1 : 0));
}

std::int64_t segment_elements(const Call& call) { return segments_of(call).bytes(0).count / call.element; }

}  // namespace

HandOver segmented_ring_hands_over(const Call& call) {
  const std::int64_t elements = elements_of(call);
  const bool short_blocks = elements == 0 || elements < segment_elements(call) * call.size;
  return call.size == 1 || short_blocks ? HandOver{"ring", "there is less than a segment per rank"} : HandOver{};
}

/// Stream of one rank in an allreduce around a ring whose reduce-scatter goes around once per segment of the blocks, so
/// that operands stay in the cache; any size, commutative operation. Vectors with less than a segment per rank take the
/// plain ring. The rest is as there.
/// Cost, s segments: (s + 1)(p − 1) · α + (p − 1)/p · n(2β + γ), n in bytes.
op::Script segmented_ring(Call call) {
  if (segmented_ring_hands_over(call)) {
    co_yield ring(call);
    co_return;
  }
  const std::int64_t elements = elements_of(call);
  const std::int64_t segment = segment_elements(call);
  const int next = after(call.self, 1, call.size);
  const int previous = before(call.self, 1, call.size);
  const Blocks blocks = Blocks::split(call.bytes, call.element, call.size);
  const int rounds = phases(elements, segment, call.size);
  co_yield copy(output, {input, call.bytes});
  const Bytes longest = Blocks::split(blocks.bytes(0), call.element, rounds).bytes(0);
  const std::array<Region, 2> places{scratch, scratch + longest};
  for (int round = 0; round < rounds; ++round) {
    const auto part = [&](int block) {
      const Slice whole = blocks.at(output, block);
      return Blocks::split(whole.bytes, call.element, rounds).at(whole.region, round);
    };
    const auto arrived = [&](int step) {
      return Slice{places[static_cast<std::size_t>(step % 2)], part(before(call.self, step, call.size)).bytes};
    };
    co_yield receive_ahead(1, previous, arrived(1));
    co_yield send(next, part(call.self));
    for (int step = 1; step < call.size; ++step) {
      if (step + 1 < call.size) co_yield receive_ahead((step + 1) % 2, previous, arrived(step + 1));
      co_yield await_ahead(step % 2);
      const Slice reduced = part(before(call.self, step, call.size));
      co_yield combine(reduced.region, arrived(step));
      if (step + 1 < call.size) co_yield send(next, reduced);
    }
  }
  co_yield ring_allgather(call.self, {call.size, call.size - 1}, blocks, output);
}

}  // namespace orrery::collective::allreduce
