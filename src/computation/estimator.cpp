// SPDX-License-Identifier: BSD-3-Clause
#include "computation/estimator.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/one_kind.hpp"

namespace orrery::computation {
namespace {

/// Samples below are charged as they are, unless they are many times their mean: all of them together are little.
constexpr double short_s = 2e-6;
/// Samples further apart than by so many deviations of the noise are not alike, if nothing lies between; in parts of
/// them, at least and at most.
constexpr double gap_deviations = 4;
constexpr double least_gap = 0.12;
constexpr double most_gap = 0.35;
/// A sample so near to its kind, in gaps, needs no look at the others.
constexpr double near = 0.7;
/// So many of the window's samples that are alike, and so far from those below, are no accident; nearer ones, where
/// noise spreads samples, are none if they are a good part of a full window.
constexpr double far_apart = 2;
constexpr double compact = 1.5;
constexpr std::size_t several = 4;
constexpr double good_part = 0.2;
/// Nor are so many in a row, wherever they lie, nor so many at equal distances.
constexpr std::size_t in_a_row = 4;
constexpr std::size_t at_equal_distances = 3;
/// Nor are so many, or three at about equal distances, that take so nearly the same time, and so many times what is
/// usual: long disturbances are of all lengths.
constexpr std::size_t of_one_length = 4;
constexpr double same_length = 1.08;
constexpr double much_longer = 5;
constexpr double about_equal = 0.1;
/// Kinds take turns if at most one sample in so many is an exception.
constexpr std::size_t few_of = 7;
/// A mean of so many samples says something.
constexpr std::uint32_t confirming = 3;
/// The largest part of a kind's mean that is added or taken off to make up for what is owed, and how quickly.
constexpr double most_made_up = 0.5;
constexpr double making_up = 1.0 / 32;
/// What noise leaves owed, in standard deviations of the sum of the samples that a mean rests on: that is not made up.
constexpr double owed_by_chance = 2;
/// By how many standard errors less a kind is charged than its mean.
constexpr double mean_error = 1;
/// Samples that the mean of a kind rests on at most.
constexpr std::uint32_t longest_mean = 256;
/// How many samples show a change, and by how many standard errors of their mean.
constexpr std::size_t change_samples = 8;
constexpr double change_errors = 3.5;
/// Noise adds to work. Where samples differ by so much (relative to their median) from the one before, and many lie so
/// far below the median, the work is another each time; unless there are so many more above, as noise has it.
constexpr float drawn_apart = 0.16F;
constexpr float drawn_below = 0.2F;
constexpr float drawn_far_below = 0.35F;
constexpr float drawn_skew = 1.6F;
/// An outlier of drawn work lies above its 90 % quantile by more than so many times the way from the median to
/// there.
constexpr float drawn_tail = 1;
/// What a kind of work takes with warm caches says something of samples up to so many times as long or short; their
/// mean follows work that grows by one in so many.
constexpr double about_as_long = 2.5;
constexpr float followed_by = 8;
/// A larger excess is kept: only time on the processor is measured, so that no interruption explains it.
constexpr double longest_disturbance_s = 0.05;
/// What a page costs that is touched first, at least.
constexpr double fault_s = 0.5e-6;
constexpr double touching = 0.1;
/// Disturbances of about one length, within a factor, take no larger part of the time than that, and so much for each
/// sample, as ranks that are woken up find their caches cold; one that is a larger part of all that the rank has
/// computed so far is none.
constexpr double one_length = 2;
constexpr double host_takes = 0.2;
constexpr double per_sample_s = 5e-6;
constexpr double most_at_once = 0.67;
/// Where odd samples are such a part of the time, long turns are looked for.
constexpr double odd_part = 0.05;
/// Long turns are those of samples that take so many times what is usual, and differ by less than that from those
/// before.
constexpr double longer_than_usual = 2;
constexpr double same_turn = 1.5;

}  // namespace

Sums& Sums::operator+=(const Sums& other) {
  measured_s += other.measured_s;
  charged_s += other.charged_s;
  repeated_s += other.repeated_s;
  removed_s += other.removed_s;
  moved_s += other.moved_s;
  cold_s += other.cold_s;
  outliers += other.outliers;
  return *this;
}

/// Samples of the window without a gap between them, one of which is the latest.
struct Estimator::Group {
  double low_s = 0, high_s = 0, mean_s = 0;
  std::size_t samples = 0;
  double below_s = 0;   ///< the mean of the largest group below; 0: there is none
  bool latest = false;  ///< all of the last `in_a_row` samples are in it
};

double Estimator::charge(const Sample& sample) {
  double charged_s = sample.seconds;
  bool repeated = samples_ > 0 || memory_ != nullptr;
  const bool touches = touches_memory(sample);
  if (touches) {
    repeated = false;
    pass_by(sample.seconds);
  } else if (sample.instructions > 0) {
    charged_s = charge_by_instructions(sample);
  } else if (memory_ == nullptr && sample.seconds < short_s) {
    charged_s = charge_short(sample.seconds);
  } else {
    charged_s = charge_long(sample);
  }
  sums_.measured_s += sample.seconds;
  sums_.moved_s += std::abs(charged_s - sample.seconds);
  if (!touches) charged_s = warm(charged_s);
  sums_.charged_s += charged_s;
  if (repeated) sums_.repeated_s += sample.seconds;
  return charged_s;
}

double Estimator::charge_after_copy(const Sample& sample) {
  const double seconds = sample.seconds;
  const double usual_s =
      memory_ == nullptr ? static_cast<double>(mean_s_) : mean_of_one_kind(memory_->seconds, memory_->samples);
  const bool is_other_work = seconds > much_longer * usual_s;
  if (usual_s == 0 || usual_s >= seconds || is_other_work) return charge(sample);
  pass_by(seconds);
  sums_.measured_s += seconds;
  sums_.repeated_s += seconds;
  sums_.moved_s += seconds - usual_s;
  sums_.removed_s += seconds - usual_s;
  ++sums_.outliers;
  const double charged_s = warm(usual_s);
  sums_.charged_s += charged_s;
  return charged_s;
}

/// A sample that says nothing of others has had its turn.
void Estimator::pass_by(double seconds) {
  if (memory_ != nullptr && memory_->long_turns != nullptr) memory_->long_turns->add(seconds);
}

Sums Estimator::sums() const {
  Sums sums = sums_;
  if (memory_ == nullptr) return sums;
  for (const auto* some : {&memory_->odd, &memory_->large_odd}) {
    for (const Odd& odd : *some) {
      sums.removed_s += static_cast<double>(odd.held_s);
      if (odd.held_s > 0) ++sums.outliers;
    }
  }
  return sums;
}

double Estimator::warm(double seconds) {
  if (usual_s_ == to_be_found)
    usual_s_ = static_cast<float>(memory_ == nullptr ? mean_of_one_kind(short_s_, short_samples_)
                                                     : mean_of_one_kind(memory_->seconds, memory_->samples));
  const auto usual_s = static_cast<double>(usual_s_);
  const auto is_usual = [&](double times) { return seconds < times * usual_s && seconds * times > usual_s; };
  double warm_s = seconds;
  if (always_ && is_usual(longest_of_one_kind)) {
    warm_s = usual_s * static_cast<double>(warm_part_);
  } else if (is_usual(about_as_long)) {
    // Short work fills a few lines, and no more of them when it takes longer.
    const bool is_short = usual_s * static_cast<double>(warm_part_) < short_s;
    const double fills_s = is_short ? std::min(usual_s, seconds) : seconds;
    warm_s = seconds - fills_s * (1 - static_cast<double>(warm_part_));
    if (!always_) usual_s_ += (static_cast<float>(seconds) - usual_s_) / followed_by;
  }
  sums_.cold_s += seconds - warm_s;
  return warm_s;
}

/// More pages than usual, whose cost is a good part of the sample.
bool Estimator::touches_memory(const Sample& sample) {
  const auto faults = static_cast<float>(sample.faults);
  const bool more = faults > 1.5F * usual_faults_ && fault_s * faults > touching * sample.seconds;
  usual_faults_ += (faults - usual_faults_) / 4;
  return more;
}

double Estimator::charge_short(double seconds) {
  constexpr std::uint32_t enough = 8;
  constexpr double times = 4;
  const auto mean = static_cast<double>(mean_s_);
  const bool host_may_take_it = sums_.removed_s + seconds - mean <= host_takes * sums_.measured_s + per_sample_s;
  if (samples_ >= enough && seconds > times * mean && host_may_take_it && ++odd_in_a_row_ < confirming) {
    ++sums_.outliers;
    sums_.removed_s += seconds - mean;
    return mean;
  }
  if (std::exchange(odd_in_a_row_, 0) >= confirming) samples_ = 0;
  short_s_[short_samples_++ % short_s_.size()] = static_cast<float>(seconds);
  samples_ = std::min(samples_ + 1, longest_mean);
  mean_s_ += static_cast<float>((seconds - mean) / samples_);
  return seconds;
}

/// A region that has been short until now begins with the last of its samples: a first long one is odd beside them.
std::unique_ptr<Estimator::Memory> Estimator::memory_of_short() const {
  auto memory = std::make_unique<Memory>();
  if (short_samples_ < short_s_.size()) return memory;
  std::ranges::copy(short_s_, memory->seconds.begin());
  memory->samples = static_cast<std::uint32_t>(short_s_.size());
  for (const float seconds : short_s_) memory->measured_s += static_cast<double>(seconds);
  return memory;
}

/// The work is known; what differs is how long an instruction took.
double Estimator::charge_by_instructions(const Sample& sample) {
  const auto instructions = static_cast<double>(sample.instructions);
  const double rate = sample.seconds / instructions;
  const auto mean = static_cast<double>(mean_s_);
  const bool odd = samples_ >= confirming && rate > (1 + most_gap) * mean && ++odd_in_a_row_ < in_a_row;
  if (odd) {
    ++sums_.outliers;
    sums_.removed_s += sample.seconds - mean * instructions;
    return mean * instructions;
  }
  if (std::exchange(odd_in_a_row_, 0) >= in_a_row) samples_ = 0;
  if (samples_++ == 0) instructions_ = 0;
  instructions_ = instructions_ * (1 - 1.0F / longest_mean) + static_cast<float>(instructions);
  mean_s_ += static_cast<float>((rate - mean) * instructions / static_cast<double>(instructions_));
  return static_cast<double>(mean_s_) * instructions;
}

double Estimator::charge_long(const Sample& sample) {
  const double seconds = sample.seconds;
  if (memory_ == nullptr) memory_ = memory_of_short();
  Memory& m = *memory_;
  // What the first took longer than the second is what the first time takes.
  if (m.samples == 1 && static_cast<double>(m.seconds[0]) > (1 + most_gap) * seconds) m.samples = 0;
  m.seconds[m.samples++ % window] = static_cast<float>(seconds);
  m.measured_s += seconds;
  if (m.long_turns != nullptr) m.long_turns->add(seconds);
  if (m.samples % change_samples == 0) {
    learn_noise();
    learn_period();
  }
  if (m.samples % (2 * change_samples) == 0) learn_long_turns();
  if (m.samples == 1) return seconds;
  if (m.usual_high_s > 0 && seconds <= static_cast<double>(m.usual_high_s)) return seconds;
  if (const double expected_s = long_turn_s(seconds); expected_s > 0) {
    if (seconds > same_turn * expected_s) return charge_odd(sample, expected_s);
    Kind* const kind = kind_of(seconds);
    return kind != nullptr ? charge_as(*kind, seconds) : charge_as_turn(seconds);
  }
  if (const Kind* kind = due(seconds)) return charge_odd(sample, kind->mean_s);
  if (Kind* kind = kind_of(seconds)) return charge_as(*kind, seconds);
  if (m.usual_high_s > 0) return charge_odd(sample, static_cast<double>(m.usual_high_s));
  const Group group = group_of(seconds);
  if (is_kind(group)) {  // what was held back is paid bit by bit: others of its kind come at another step elsewhere
    m.owed_s += release(group.low_s, group.high_s);
    return charge_as(kind_of(group), seconds);
  }
  if (group.below_s == 0) return seconds;
  return charge_odd(sample, group.below_s);
}

/// What long work of this turn took before, unless the sample is much shorter; 0: none is known.
double Estimator::long_turn_s(double seconds) const {
  const Memory& m = *memory_;
  if (m.long_turns == nullptr) return 0;
  const double expected_s = m.long_turns->expected_s();
  return expected_s > longer_than_usual * median_s() && seconds * same_turn > expected_s ? expected_s : 0;
}

double Estimator::median_s() const {
  const Memory& m = *memory_;
  std::array<float, window> some = m.seconds;
  const auto n = static_cast<std::ptrdiff_t>(std::min<std::size_t>(m.samples, window));
  std::nth_element(some.begin(), some.begin() + n / 2, some.begin() + n);
  return static_cast<double>(some[static_cast<std::size_t>(n / 2)]);
}

void Estimator::learn_long_turns() {
  Memory& m = *memory_;
  if (m.long_turns != nullptr) return m.long_turns->learn(longer_than_usual * median_s());
  double odd_s = 0;
  for (const Odds& odds : m.odds) odd_s += static_cast<double>(odds.excess_s);
  if (odd_s > odd_part * m.measured_s) m.long_turns = std::make_unique<LongTurns>();
}

/// By the mean of those of its turn.
double Estimator::charge_as_turn(double seconds) {
  memory_->owed_s += release(seconds / same_turn, seconds * same_turn);
  return charge_and_make_up(seconds, memory_->long_turns->mean_with_last_s());
}

/// Charges `instead_s` for a sample, and bit by bit what is owed.
double Estimator::charge_and_make_up(double seconds, double instead_s) {
  const double most = most_made_up * instead_s;
  const double charged_s = instead_s + std::clamp(making_up * memory_->owed_s, -most, most);
  memory_->owed_s += seconds - charged_s;
  return charged_s;
}

/// Where kinds take turns: the kind whose turn it is, if the sample is longer, and the one before was not so.
const Estimator::Kind* Estimator::due(double seconds) {
  Memory& m = *memory_;
  if (m.period == 0) return nullptr;
  const Kind* const kind = kind_of(sample_before(m.period));
  if (kind == nullptr || kind != kind_of(sample_before(2 * m.period)) || seconds < gap() * kind->mean_s) {
    m.out_of_turn = false;
    return nullptr;
  }
  if (!std::exchange(m.out_of_turn, true)) return kind;
  m.period = 0;  // they do not, any more
  m.out_of_turn = false;
  return nullptr;
}

double Estimator::sample_before(std::size_t back) const {
  return static_cast<double>(memory_->seconds[(memory_->samples - 1 - back) % window]);
}

/// After how many samples the kinds of a full window come again, with a few exceptions; 0: there is one kind, or no
/// turn.
void Estimator::learn_period() {
  Memory& m = *memory_;
  m.period = 0;
  const auto is_known = [](const Kind& kind) { return kind.samples >= confirming; };
  if (m.samples < window || std::ranges::count_if(m.kinds, is_known) < 2) return;
  std::array<const Kind*, window> kinds;
  for (std::size_t back = 0; back < window; ++back) kinds[back] = kind_of(sample_before(back));
  if (std::ranges::count(kinds, kinds[0]) == window) return;
  for (std::size_t period = 1; 2 * period < window; ++period) {
    std::size_t exceptions = 0;
    for (std::size_t back = 0; back + period < window; ++back)
      exceptions += kinds[back] != kinds[back + period] ? 1 : 0;
    if (exceptions * few_of > window - period) continue;
    m.period = period == 1 ? 0 : static_cast<std::uint32_t>(period);
    return;
  }
}

/// The kind that a sample is near to.
Estimator::Kind* Estimator::kind_of(double seconds) {
  const double reach = near * (gap() - 1);
  for (Kind& kind : memory_->kinds) {
    if (kind.samples >= confirming && std::abs(seconds - kind.mean_s) < reach * kind.mean_s) return &kind;
  }
  return nullptr;
}

/// How many times as long as the next shorter one a sample of the same group is at most.
double Estimator::gap() const {
  return 1 + std::clamp(gap_deviations * static_cast<double>(memory_->noise), least_gap, most_gap);
}

/// End of the group that begins at `begin`, in sorted samples.
std::size_t Estimator::end_of_group(const std::array<float, window>& sorted, std::size_t begin, std::size_t n) const {
  std::size_t end = begin + 1;
  while (end < n && static_cast<double>(sorted[end]) <= gap() * static_cast<double>(sorted[end - 1])) ++end;
  return end;
}

Estimator::Group Estimator::group_of(double seconds) const {
  const Memory& m = *memory_;
  const std::size_t n = std::min<std::size_t>(m.samples, window);
  std::array<float, window> sorted;
  std::copy_n(m.seconds.begin(), n, sorted.begin());
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(n));
  Group group;
  std::size_t largest_below = 0;
  for (std::size_t begin = 0; begin < n;) {
    const std::size_t end = end_of_group(sorted, begin, n);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += static_cast<double>(sorted[i]);
    const double mean = sum / static_cast<double>(end - begin);
    if (static_cast<float>(seconds) <= sorted[end - 1]) {
      group.low_s = static_cast<double>(sorted[begin]);
      group.high_s = static_cast<double>(sorted[end - 1]);
      group.mean_s = mean;
      group.samples = end - begin;
      break;
    }
    if (end - begin >= largest_below) {
      largest_below = end - begin;
      group.below_s = mean;
    }
    begin = end;
  }
  group.latest = n >= in_a_row;
  for (std::size_t i = 1; i <= std::min(in_a_row, n); ++i) {
    const auto last = static_cast<double>(m.seconds[(m.samples - i) % window]);
    group.latest &= last >= group.low_s && last <= group.high_s;
  }
  return group;
}

/// Whether a group is a kind, and not what noise has put there.
bool Estimator::is_kind(const Group& group) const {
  if (group.below_s == 0) return group.samples >= confirming;
  if (group.latest || recurs(group.mean_s, group.below_s)) return true;
  const bool apart = group.low_s > far_apart * group.below_s && group.high_s < compact * group.low_s;
  if (apart && group.samples >= several) return true;
  return memory_->samples >= window && static_cast<double>(group.samples) >= good_part * window;
}

/// Whether odd samples like this one came before as noise does not make them come: the last two at equal distances, or
/// much longer ones of the same length.
bool Estimator::recurs(double seconds, double below_s) const {
  const Memory& m = *memory_;
  std::array<std::uint32_t, 2 * most_odd> alike{}, same{};
  std::size_t n_alike = 0, n_same = 0;
  for (const auto* some : {&m.odd, &m.large_odd}) {
    for (const Odd& odd : *some) {
      const auto of_odd = static_cast<double>(odd.seconds);
      const double apart = std::max(of_odd / seconds, seconds / of_odd);
      if (odd.held_s <= 0 || odd.number == m.samples) continue;
      if (apart < gap()) alike[n_alike++] = odd.number;
      if (apart < same_length) same[n_same++] = odd.number;
    }
  }
  const auto distances = [&m](std::span<std::uint32_t> numbers) {
    std::ranges::sort(numbers, std::ranges::greater{});
    return std::pair{m.samples - numbers[0], numbers[0] - numbers[1]};
  };
  if (n_alike + 1 >= at_equal_distances) {
    const auto [last, first] = distances(std::span(alike).first(n_alike));
    if (last == first) return true;
  }
  if (seconds < much_longer * below_s || n_same + 1 < at_equal_distances) return false;
  const auto [last, first] = distances(std::span(same).first(n_same));
  const double apart = std::abs(static_cast<double>(last) - static_cast<double>(first));
  return n_same + 1 >= of_one_length || apart <= about_equal * static_cast<double>(std::max(last, first));
}

/// The kind of a group: one that is known, or a new one in the place of that which the fewest samples speak for.
Estimator::Kind& Estimator::kind_of(const Group& group) {
  Memory& m = *memory_;
  for (Kind& kind : m.kinds) {
    if (kind.samples > 0 && kind.mean_s >= group.low_s && kind.mean_s <= group.high_s) return kind;
  }
  Kind& made = *std::ranges::min_element(m.kinds, {}, &Kind::samples);
  made = {.mean_s = group.mean_s, .samples = std::max(confirming, static_cast<std::uint32_t>(group.samples))};
  return made;
}

/// By the mean of its kind, a little less as long as that rests on few samples, since ranks wait for the one whose mean
/// errs the most; and what is owed, bit by bit.
double Estimator::charge_as(Kind& kind, double seconds) {
  Memory& m = *memory_;
  kind.samples = std::min(kind.samples + 1, longest_mean);
  kind.mean_s += (seconds - kind.mean_s) / kind.samples;
  if (m.samples % (change_samples / 2) == 0) look_for_change(kind);
  const double error =
      std::min(0.15, mean_error * static_cast<double>(m.noise) / std::sqrt(static_cast<double>(kind.samples)));
  const double most = most_made_up * kind.mean_s;
  const double charged_s = kind.mean_s * (1 - error) + std::clamp(making_up * overdue(kind), -most, most);
  m.owed_s += seconds - charged_s;
  return charged_s;
}

/// What is owed beyond what chance leaves owed.
double Estimator::overdue(const Kind& kind) const {
  const Memory& m = *memory_;
  const double deviation_s = static_cast<double>(m.noise) * kind.mean_s;
  const double chance_s = owed_by_chance * deviation_s * std::sqrt(static_cast<double>(kind.samples));
  return std::copysign(std::max(0.0, std::abs(m.owed_s) - chance_s), m.owed_s);
}

double Estimator::settle() {
  if (memory_ == nullptr || memory_->owed_s <= 0) return 0;
  const Kind& usual = *std::ranges::max_element(memory_->kinds, {}, &Kind::samples);
  const double overdue_s = overdue(usual);
  memory_->owed_s -= overdue_s;
  const double charged_s = warm(overdue_s);
  sums_.charged_s += charged_s;
  return charged_s;
}

/// The latest samples of a kind differ from those before by more than noise makes: its mean is theirs from now on.
void Estimator::look_for_change(Kind& kind) {
  const Memory& m = *memory_;
  if (kind.samples < 2 * change_samples) return;
  double sum = 0;
  std::size_t found = 0;
  for (std::size_t back = 1; back <= std::min<std::size_t>(m.samples, window) && found < change_samples; ++back) {
    const auto sample_s = static_cast<double>(m.seconds[(m.samples - back) % window]);
    if (sample_s > kind.mean_s * (1 + most_gap) || sample_s * (1 + most_gap) < kind.mean_s) continue;
    sum += sample_s;
    ++found;
  }
  if (found < change_samples) return;
  const double mean_s = sum / static_cast<double>(change_samples);
  const double error = static_cast<double>(m.noise) / std::sqrt(static_cast<double>(change_samples));
  if (std::abs(mean_s - kind.mean_s) > change_errors * error * kind.mean_s) kind = {mean_s, change_samples};
}

/// Charges a sample that is like no other as what is usual, or as it was measured where such samples are too many, or
/// it is too long, to be disturbances.
double Estimator::charge_odd(const Sample& sample, double instead_s) {
  const double seconds = sample.seconds;
  if (seconds - instead_s > longest_disturbance_s) return seconds;
  if (!is_more_than_a_host_takes(sample, seconds - instead_s)) return hold(seconds, instead_s);
  memory_->owed_s += release(seconds / one_length, seconds * one_length);
  return charge_and_make_up(seconds, seconds);
}

/// Whether samples with about such an excess have come so often that disturbances of this host would take a good part
/// of its time.
bool Estimator::is_more_than_a_host_takes(const Sample& sample, double excess_s) {
  Memory& m = *memory_;
  constexpr double shortest_s = 1e-6;
  const auto power =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(0, std::ilogb(excess_s / shortest_s))), 1, lengths - 2);
  m.odds[power].excess_s += static_cast<float>(excess_s);
  ++m.odds[power].samples;
  double sum_s = 0;
  std::size_t samples = 0;
  for (std::size_t near_by = power - 1; near_by <= power + 1; ++near_by) {
    sum_s += static_cast<double>(m.odds[near_by].excess_s);
    samples += m.odds[near_by].samples;
  }
  if (sum_s <= host_takes * m.measured_s + per_sample_s * m.samples) return false;
  return samples >= several || excess_s > most_at_once * std::max(sample.computed_s, m.measured_s);
}

/// Charges less for a sample that is like no other. What falls out of memory unconfirmed was a disturbance.
double Estimator::hold(double seconds, double instead_s) {
  Memory& m = *memory_;
  Odd& odd = m.odd[m.odd_samples++ % most_odd];
  keep_if_large(odd);
  odd = {static_cast<float>(seconds), static_cast<float>(seconds - instead_s), m.samples};
  return instead_s;
}

/// Remembers an odd sample that is no longer among the latest, if more of it was held back than of others.
void Estimator::keep_if_large(const Odd& odd) {
  Odd& smallest = *std::ranges::min_element(memory_->large_odd, {}, &Odd::held_s);
  const Odd forgotten = odd.held_s > smallest.held_s ? std::exchange(smallest, odd) : odd;
  if (forgotten.held_s <= 0) return;
  sums_.removed_s += static_cast<double>(forgotten.held_s);
  ++sums_.outliers;
}

/// What was held back of samples that are about as long.
double Estimator::release(double low_s, double high_s) {
  double sum = 0;
  for (auto* some : {&memory_->odd, &memory_->large_odd}) {
    for (Odd& odd : *some) {
      const auto seconds = static_cast<double>(odd.seconds);
      if (seconds * gap() < low_s || seconds > gap() * high_s) continue;
      sum += static_cast<double>(std::exchange(odd.held_s, 0.0F));
    }
  }
  return sum;
}

/// From the differences of samples of the largest group to the one of it before, so that a trend is none.
void Estimator::learn_noise() {
  Memory& m = *memory_;
  const std::size_t n = std::min<std::size_t>(m.samples, window);
  std::array<float, window> sorted;
  std::copy_n(m.seconds.begin(), n, sorted.begin());
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(n));
  std::span<const float> largest;
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    end = end_of_group(sorted, begin, n);
    if (end - begin > largest.size()) largest = {&sorted[begin], end - begin};
  }
  std::array<float, window> apart;
  std::size_t found = 0;
  float later = 0;
  for (std::size_t back = 1; back <= n; ++back) {
    const float sample_s = m.seconds[(m.samples - back) % window];
    if (sample_s < largest.front() || sample_s > largest.back()) continue;
    if (later > 0) apart[found++] = std::abs(sample_s - later);
    later = sample_s;
  }
  if (found + 1 < change_samples) return;
  const auto middle = apart.begin() + static_cast<std::ptrdiff_t>(found / 2);
  std::nth_element(apart.begin(), middle, apart.begin() + static_cast<std::ptrdiff_t>(found));
  const std::size_t tenth = largest.size() / 10;
  const float median = largest[largest.size() / 2], top = largest[largest.size() - 1 - tenth];
  // The median difference of two normal draws is 0.95 of their deviation.
  m.noise = std::max(0.01F, *middle / (0.95F * median));
  if (found < window / 2) return;
  const float low = median - largest[tenth], high = top - median;
  const bool wide = low > drawn_far_below * median || (low > drawn_below * median && high < drawn_skew * low);
  const float usual = sorted[n - 1 - n / 10];  // of all groups: those above may be few of the same draws
  m.usual_high_s = *middle > drawn_apart * median && wide ? usual + drawn_tail * (usual - median) : 0;
}

}  // namespace orrery::computation
