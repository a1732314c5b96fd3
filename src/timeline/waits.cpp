// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/waits.hpp"

#include <algorithm>
#include <tuple>

namespace orrery::timeline {
namespace {

/// Sums of what a damaged file says may be too large for a number.
std::int64_t plus(std::int64_t sum, std::int64_t length_ns) {
  return sum > INT64_MAX - length_ns ? INT64_MAX : sum + length_ns;
}

bool is_longer(const Wait& a, const Wait& b) {
  const auto length = [](const Wait& wait) { return wait.begin_ns - wait.end_ns; };
  return std::tuple(length(a), a.begin_ns, a.rank) < std::tuple(length(b), b.begin_ns, b.rank);
}

}  // namespace

void Waits::add(const Wait& wait) {
  const std::int64_t length_ns = wait.end_ns - wait.begin_ns;
  WaitSum& sum = sums_[std::uint64_t{wait.rank} << 16 | wait.routine][static_cast<std::size_t>(wait.cause)];
  sum = {wait.rank, wait.routine, wait.cause, sum.waits + 1, plus(sum.total_ns, length_ns)};
  caused_ns_[wait.by] = plus(caused_ns_[wait.by], length_ns);
  if (longest_.size() < most_) {
    longest_.push_back(wait);
  } else if (longest_.empty() || !is_longer(wait, longest_.front())) {
    return;
  } else {
    std::pop_heap(longest_.begin(), longest_.end(), is_longer);
    longest_.back() = wait;
  }
  std::push_heap(longest_.begin(), longest_.end(), is_longer);
}

std::vector<WaitSum> Waits::sums() const {
  std::vector<WaitSum> sums;
  for (const auto& [key, by_cause] : sums_)
    for (const WaitSum& sum : by_cause)
      if (sum.waits > 0) sums.push_back(sum);
  std::sort(sums.begin(), sums.end(), [](const WaitSum& a, const WaitSum& b) {
    return std::tie(a.rank, a.routine, a.cause) < std::tie(b.rank, b.routine, b.cause);
  });
  return sums;
}

std::vector<Wait> Waits::longest() const {
  std::vector<Wait> longest = longest_;
  std::sort(longest.begin(), longest.end(), is_longer);
  return longest;
}

}  // namespace orrery::timeline
