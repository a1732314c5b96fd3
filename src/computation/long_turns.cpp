// SPDX-License-Identifier: BSD-3-Clause
#include "computation/long_turns.hpp"

namespace orrery::computation {
namespace {

/// Samples of the same turn differ by less than that many times.
constexpr double same_length_again = 1.5;
/// So many pairs of long samples that are alike, with at least so much of the time, are no accident.
constexpr std::size_t enough_pairs = 4;
constexpr double common_part = 0.5;
/// So many periods are tried.
constexpr int most_tried = 32;
/// What a turn takes is the mean of so many before.
constexpr std::size_t most_before = 3;

}  // namespace

/// The period lies between the longest of the last samples and one that is like it: few have to be tried.
void LongTurns::learn(double usual_s) {
  period_ = 0;
  const std::size_t half = known() / 2;
  if (half < 2 * enough_pairs) return;
  std::size_t longest = 0;
  for (std::size_t back = 1; back < half; ++back) {
    if (before_s(back) > before_s(longest)) longest = back;
  }
  double best = common_part;
  int tried = 0;
  for (std::size_t period = 2; period < half && tried < most_tried; ++period) {
    const double times = before_s(longest) / before_s(longest + period);
    if (times > same_length_again || times * same_length_again < 1) continue;
    ++tried;
    const Agreement found = agreement(period, usual_s);
    if (found.pairs < enough_pairs || found.part <= best) continue;
    best = found.part;
    period_ = static_cast<std::uint32_t>(period);
  }
}

LongTurns::Agreement LongTurns::agreement(std::size_t period, double usual_s) const {
  Agreement found;
  double common_s = 0, all_s = 0;
  for (std::size_t back = 0; back + period < known(); ++back) {
    const double later_s = std::max(0.0, before_s(back) - usual_s);
    const double earlier_s = std::max(0.0, before_s(back + period) - usual_s);
    common_s += std::min(later_s, earlier_s);
    all_s += std::max(later_s, earlier_s);
    if (later_s > 0 && later_s < same_length_again * earlier_s && earlier_s < same_length_again * later_s)
      ++found.pairs;
  }
  if (all_s > 0) found.part = common_s / all_s;
  return found;
}

double LongTurns::mean_s(std::size_t of_last) const {
  if (period_ == 0) return 0;
  double sum = of_last > 0 ? before_s(0) : 0;
  std::size_t n = of_last;
  for (std::size_t turn = 1; turn <= most_before && turn * period_ < known(); ++turn, ++n)
    sum += before_s(turn * period_);
  return n == of_last ? 0 : sum / static_cast<double>(n);
}

}  // namespace orrery::computation
