// SPDX-License-Identifier: BSD-3-Clause
#include "replay/workload/draws.hpp"
#include "replay/workload/workload.hpp"

namespace orrery::replay::workload {

op::Script random(const Random* random, Turn turn) {
  const auto self = static_cast<std::uint32_t>(turn.self);
  std::array<op::RequestId, 2> requests{1, 2};
  for (std::int32_t round = 0; round < random->messages; ++round) {
    const std::uint64_t seed = draw(random->seed, turn.time, static_cast<std::uint64_t>(round));
    const Permutation partner(static_cast<std::uint32_t>(turn.size), seed);
    const std::uint32_t to = partner(self), from = partner.inverse(self);
    if (to == self) continue;
    const auto choices = static_cast<std::uint64_t>(random->most_bytes - random->least_bytes) + 1;
    const auto bytes_of = [&](std::uint32_t sender) {
      return random->least_bytes + static_cast<std::int64_t>(draw(seed, sender, 1) % choices);
    };
    op::Operation operation;
    operation.kind = op::Kind::Irecv;
    operation.flags = op::FirstOfCall;
    operation.routine = turn.routines->sendrecv;
    operation.peer = static_cast<std::int32_t>(from);
    operation.tag = 32;
    operation.bytes.count = bytes_of(from);
    operation.request = 1;
    co_yield operation;
    operation.kind = op::Kind::Isend;
    operation.flags = 0;
    operation.peer = static_cast<std::int32_t>(to);
    operation.bytes.count = bytes_of(self);
    operation.request = 2;
    co_yield operation;
    operation.kind = op::Kind::WaitAll;
    operation.bytes.count = 0;
    operation.request = 0;
    operation.requests = requests;
    co_yield operation;
  }
}

}  // namespace orrery::replay::workload
