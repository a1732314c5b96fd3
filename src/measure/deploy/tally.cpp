// SPDX-License-Identifier: BSD-3-Clause
#include "tally.hpp"

#include "base/error.hpp"
#include "next.hpp"

namespace orrery::deploy {

std::string Tally::of_all() const {
  std::vector<std::int64_t> sums(counts_.size());
  ORRERY_NEXT(Reduce)
  (counts_.data(), sums.data(), static_cast<int>(sums.size()), MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  std::string lines;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == 0) continue;
    const std::size_t outcome = i % (rules_ + lefts);
    const auto kind = static_cast<CollectiveKind>(i / (rules_ + lefts));
    const bool ruled = outcome < rules_;
    lines += concat("calls ", collective::name(kind), ruled ? " rule " : " left ", ruled ? outcome : outcome - rules_,
                    " ", sums[i], "\n");
  }
  return lines;
}

}  // namespace orrery::deploy
