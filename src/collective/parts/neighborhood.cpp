// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/neighborhood.hpp"

#include <vector>

#include "collective/parts/messages.hpp"

namespace orrery::collective {

bool Neighborhood::valid(Pairs pairs, int size) {
  if (pairs.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i] < 0 || pairs[i] >= size || pairs[i + 1] < 0) return false;
  }
  return true;
}

std::optional<Neighborhood> Neighborhood::of(const Call& call) {
  if (call.counts.empty()) return std::nullopt;
  const auto pairs = call.counts.subspan(1);
  if (call.counts[0] < 0 || call.counts[0] > static_cast<std::int64_t>(pairs.size() / 2)) return std::nullopt;
  const auto destinations = static_cast<std::size_t>(call.counts[0]);
  Neighborhood all;
  all.destinations_ = pairs.first(2 * destinations);
  all.sources_ = pairs.subspan(2 * destinations);
  if (!valid(all.destinations_, call.size) || !valid(all.sources_, call.size)) return std::nullopt;
  return all;
}

op::Script linear_exchange(int self, Neighborhood neighbors, bool one_block) {
  Started started;
  std::vector<Region> own;  // blocks that come from oneself
  Region block = output;
  for (std::size_t i = 0; i < neighbors.sources(); ++i) {
    const auto [from, bytes] = neighbors.source(i);
    if (from == self) {
      own.push_back(block);
    } else {
      co_yield started.irecv(from, {block, bytes});
    }
    block = block + bytes;
  }
  block = input;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < neighbors.destinations(); ++i) {
    const auto [to, bytes] = neighbors.destination(i);
    if (to != self) {
      co_yield started.isend(to, {block, bytes});
    } else if (copied < own.size()) {
      co_yield copy(own[copied++], {block, bytes});
    }
    if (!one_block) block = block + bytes;
  }
  co_yield started.wait_all();
}

}  // namespace orrery::collective
