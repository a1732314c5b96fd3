// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/warm_parts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <span>

namespace orrery::mpi::channel {
namespace {

/// So many whose parts, or times, are so near to each other are enough; otherwise all first turns are waited for.
constexpr std::size_t enough = 3;
constexpr double near = 0.06;
/// Times of one kind of work differ by less, as logarithms.
constexpr double one_kind = 0.3;
/// Parts of work whose usual times differ by more say nothing of each other: calls from one place may have anything
/// between them.
constexpr double about_as_long = 0.92;
/// Work is the same each time if two thirds of the warm times are near to their median, and deviate by so little, or
/// usual times do not go with them.
constexpr double little = 0.015;
constexpr double goes_with = 0.6;        ///< correlation
constexpr std::size_t to_correlate = 5;  ///< that of fewer says nothing
/// A usual time is explained by those of the others up to so many of their deviations from their mean.
constexpr double explained_deviations = 1.5;
constexpr double least_deviation = 0.02;
/// So often a rank measures that it takes another time than the others: noise makes one longer.
constexpr std::uint32_t sure_times = 2;

/// Mean and variance of logarithms, whose differences are relative ones.
struct Moments {
  std::size_t n = 0;
  double mean = 0, sum_of_squares = 0, least = INFINITY, most = -INFINITY;

  void add(double x) {
    const double before = x - mean;
    mean += before / static_cast<double>(++n);
    sum_of_squares += before * (x - mean);
    least = std::min(least, x);
    most = std::max(most, x);
  }
  [[nodiscard]] double variance() const { return n < 2 ? 0 : sum_of_squares / static_cast<double>(n - 1); }
  [[nodiscard]] double deviation() const { return std::sqrt(variance()); }
  [[nodiscard]] bool agree() const { return n >= enough && most - least <= near; }
};

/// What part of a time work takes with warm caches, by the ranks that have measured it: of its usual time, or of what
/// the same work took once. Noise makes that one longer, and where work is another each time, the usual time is that of
/// other work: the parts that are nearer to each other count.
class Parts {
 public:
  /// Logarithms. @param of_one none: it is not known what the same work took
  void add(double of_usual, std::optional<double> of_one) {
    of_usual_.add(of_usual);
    if (of_one) of_one_[ones_++] = *of_one;
  }
  [[nodiscard]] std::size_t size() const { return of_usual_.n; }
  [[nodiscard]] bool agree() const { return of_usual_.agree(); }
  /// @return a logarithm
  [[nodiscard]] double part() const {
    if (ones_ == 0) return of_usual_.mean;
    const double of_one = median(of_one_);
    if (ones_ < enough) return std::max(of_usual_.mean, *std::max_element(of_one_.begin(), of_one_.begin() + ones_));
    auto apart = of_one_;
    std::ranges::transform(apart, apart.begin(), [of_one](double part) { return std::abs(part - of_one); });
    const double nearer = std::max(little, much_nearer * of_usual_.deviation());
    return deviation_of_median * median(apart) < nearer ? of_one : std::max(of_usual_.mean, of_one);
  }

 private:
  using Ones = std::array<double, WarmPart::most_times>;
  static constexpr double deviation_of_median = 1.48;  ///< of normal noise, from the median deviation
  static constexpr double much_nearer = 0.35;

  [[nodiscard]] double median(Ones values) const {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(ones_ / 2);
    std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(ones_));
    return *middle;
  }

  Moments of_usual_;
  Ones of_one_{};
  std::size_t ones_ = 0;
};

struct Logs {
  double warm = 0, usual = 0;
};

Logs logs_of(const WarmTime& time) {
  return {std::log(static_cast<double>(time.warm_ns)), std::log(static_cast<double>(time.usual_ns))};
}

/// Times of one kind of work, most of which are the same with warm caches, but for few.
class SameWork {
 public:
  explicit SameWork(std::span<const Logs> times) : all_(times.size()) {
    std::array<double, WarmPart::most_times> sorted;
    std::ranges::transform(times, sorted.begin(), &Logs::warm);
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(times.size()));
    median_ = *middle;
    for (const Logs& time : times) {
      if (!is_same(time)) continue;
      warm_.add(time.warm);
      usual_.add(time.usual);
      sum_.add(time.warm + time.usual);
    }
    for (const Logs& time : times) {
      if (std::abs(time.usual - usual_.mean) <= reach()) continue;
      ++far_;
      if (is_same(time)) ++far_and_same_;
    }
  }

  /// Whether it is the same work each time.
  explicit operator bool() const {
    if (warm_.n < enough || 3 * warm_.n < 2 * all_) return false;
    return warm_.deviation() <= little || (warm_.n >= to_correlate && correlation() < goes_with);
  }
  [[nodiscard]] double warm() const { return warm_.mean; }
  [[nodiscard]] double usual() const { return usual_.mean; }
  [[nodiscard]] bool is_same(const Logs& time) const { return std::abs(time.warm - median_) <= near; }
  /// How far from theirs a usual time is that is explained by the luck with caches.
  [[nodiscard]] double reach() const { return explained_deviations * std::max(least_deviation, usual_.deviation()); }
  /// Whether those that are further away have done the same work nevertheless, but for one in five.
  [[nodiscard]] bool so_are_those_far_away() const { return far_ >= enough && 5 * far_and_same_ >= 4 * far_; }

 private:
  /// From the variance of the sum.
  [[nodiscard]] double correlation() const {
    const double product = warm_.deviation() * usual_.deviation();
    return product == 0 ? 0 : (sum_.variance() - warm_.variance() - usual_.variance()) / (2 * product);
  }

  std::size_t all_, far_ = 0, far_and_same_ = 0;
  double median_;
  Moments warm_, usual_, sum_;
};

}  // namespace

bool WarmPart::take_turn(std::uint32_t most) {
  if (turns_.load(std::memory_order_relaxed) >= most) return false;
  return turns_.fetch_add(1, std::memory_order_relaxed) < most;
}

void WarmPart::say(WarmTime time, std::uint32_t took_ns) {
  const auto bits = std::bit_cast<std::uint64_t>(time);
  for (std::size_t i = 0; time.warm_ns != 0 && i < most_times; ++i) {
    std::uint64_t free = 0;
    if (!times_[i].compare_exchange_strong(free, bits, std::memory_order_relaxed)) continue;
    took_[i].store(took_ns, std::memory_order_relaxed);
    break;
  }
  over_.fetch_add(1, std::memory_order_release);
}

bool WarmPart::complete() const { return over_.load(std::memory_order_acquire) >= first_turns; }

void OwnWarmTime::add(const WarmTime& another) {
  const bool same_kind = times > 0 && std::abs(logs_of(time).usual - logs_of(another).usual) <= one_kind;
  times = same_kind ? times + 1 : 1;
  if (!same_kind || another.warm_ns < time.warm_ns) time = another;
}

std::optional<WarmPart::Said> WarmPart::said(double usual_ns, const OwnWarmTime& own) const {
  const double usual = std::log(usual_ns);
  const auto is_of_kind = [usual](const Logs& time) { return std::abs(time.usual - usual) <= one_kind; };
  Parts parts;
  Moments warm;
  std::array<Logs, most_times> of_kind;
  std::size_t n = 0;
  for (std::size_t i = 0; i < most_times; ++i) {
    const auto time = std::bit_cast<WarmTime>(times_[i].load(std::memory_order_relaxed));
    if (time.warm_ns == 0) continue;
    const Logs logs = logs_of(time);
    if (std::abs(logs.usual - usual) <= about_as_long) {
      const std::uint32_t took_ns = took_[i].load(std::memory_order_relaxed);
      parts.add(logs.warm - logs.usual, took_ns == 0 ? std::nullopt : std::optional(logs.warm - std::log(took_ns)));
    }
    if (!is_of_kind(logs)) continue;
    warm.add(logs.warm);
    of_kind[n++] = logs;
  }
  if (parts.size() < 2 || !(complete() || parts.agree() || warm.agree())) return std::nullopt;
  Said said{.part = std::exp(std::min(0.0, parts.part()))};
  if (n < enough) return said;
  const SameWork same(std::span(of_kind.data(), n));
  const bool has_own = own.times > 0 && is_of_kind(logs_of(own.time));
  const bool is_another = has_own && !same.is_same(logs_of(own.time));
  const bool is_sure = own.times >= sure_times;
  const double explained_by = has_own ? logs_of(own.time).usual : same.usual();
  said.explained = std::abs(usual - explained_by) <= (has_own ? std::numbers::sqrt2 : 1) * same.reach();
  const bool no_turns = turns_.load(std::memory_order_relaxed) >= most_turns;
  said.constant = same && (said.explained || (no_turns && same.so_are_those_far_away()));
  said.explained &= !is_another || is_sure;
  if (!said.constant) return said;
  const double warm_ln = is_another && is_sure ? logs_of(own.time).warm : same.warm();
  said.part = std::exp(std::min(0.0, warm_ln - usual));
  return said;
}

WarmPart* WarmParts::of(std::uint64_t region) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15u;
  constexpr std::size_t tries = 16;
  std::size_t at = region * odd >> 32;
  for (std::size_t i = 0; i < tries; ++i, ++at) {
    WarmPart& part = parts_[at % most];
    std::uint64_t there = part.region_.load(std::memory_order_relaxed);
    if (there == 0 && part.region_.compare_exchange_strong(there, region, std::memory_order_relaxed)) return &part;
    if (there == region) return &part;
  }
  return nullptr;
}

}  // namespace orrery::mpi::channel
