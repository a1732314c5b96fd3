// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/profile.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace orrery::kernel {

std::vector<ProfileRow> Profiles::rows() const {
  std::vector<ProfileRow> rows;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    std::vector<RankProfile::Line> lines = ranks_[rank].profile.lines();
    std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
      return std::pair(a.phase, a.routine) < std::pair(b.phase, b.routine);
    });
    for (const auto& line : lines) {
      rows.push_back({rank, line.phase, line.routine, line.calls, line.time, line.messages, line.bytes});
    }
  }
  return rows;
}

std::vector<AlgorithmUse> AlgorithmUses::sorted() const {
  std::vector<AlgorithmUse> uses = uses_;
  const auto order = [](const AlgorithmUse& use) {
    const collective::Unserved& missed = use.choice.instead_of;
    return std::tuple(use.routine, use.choice.algorithm, use.choice.segment.count, use.choice.fanout, missed.algorithm,
                      missed.why);
  };
  std::sort(uses.begin(), uses.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return uses;
}

}  // namespace orrery::kernel
