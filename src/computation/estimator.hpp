// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "computation/long_turns.hpp"

namespace orrery::computation {

/// What was measured of a region once.
struct Sample {
  double seconds = 0;              ///< of a processor of this host
  std::uint32_t faults = 0;        ///< pages that were touched first
  std::uint64_t instructions = 0;  ///< 0: not counted
  double computed_s = 0;           ///< by the rank so far, in all of its regions
};

/// Sums over samples, in seconds of this host.
struct Sums {
  double measured_s = 0;
  double charged_s = 0;
  double repeated_s = 0;       ///< measured of samples that were charged by others of their region
  double removed_s = 0;        ///< excess of outliers that nothing has confirmed: measured, and not charged
  double moved_s = 0;          ///< sum of |charged - measured|, each time: what was evened out or removed
  double cold_s = 0;           ///< not charged, as it was for filling caches that others had used
  std::uint64_t outliers = 0;  ///< samples that have such an excess

  Sums& operator+=(const Sums& other);
};

/// What a region costs a rank each time, from what it took so far: its work, without what disturbed its measurement.
///
/// Noise only adds to work, and rarely does so the same way several times. So a sample is charged by the mean of those
/// that are like it, its *kind*; one that is like no other is charged as the kind below it until others confirm it, and
/// what was held back is charged then. docs/design/computation.md has the equations, and the reasons of the constants.
///
/// Deterministic: the charges are a function of the samples so far. Memory: 700 bytes, 130 where the region is short, 2
/// KiB more where its samples differ much.
class Estimator {
 public:
  /// @return seconds of this host to charge for the sample
  [[nodiscard]] double charge(const Sample& sample);
  /// A sample that says nothing, as pages had to be copied back meanwhile: it is charged as what is usual, if that is
  /// less. One that is many times as long is other work, and charged as without a copy.
  [[nodiscard]] double charge_after_copy(const Sample& sample);
  /// Samples were measured with caches that others had filled; from now on work of about the usual length is charged as
  /// with its own. Nothing is known of work of quite another length.
  /// @param part of what it usually takes, above 0
  void takes_with_warm_caches(double part) {
    warm_part_ = static_cast<float>(part);
    usual_s_ = to_be_found;
    always_ = false;
  }
  /// As `takes_with_warm_caches`, where how samples differ is luck with caches: the work is charged as the part of the
  /// usual time each time, unless it is of another kind.
  void takes_always(double part) {
    warm_part_ = static_cast<float>(part);
    usual_s_ = to_be_found;
    always_ = true;
  }
  /// What is still owed of samples that others have confirmed, at the end. @return seconds of this host
  [[nodiscard]] double settle();
  [[nodiscard]] Sums sums() const;

 private:
  static constexpr std::size_t window = 32;
  static constexpr std::size_t most_kinds = 6;
  static constexpr std::size_t most_odd = 8;
  static constexpr std::size_t lengths = 20;

  /// Samples that are alike.
  struct Kind {
    double mean_s = 0;
    std::uint32_t samples = 0;  ///< that `mean_s` rests on; 0: there is no such kind
  };
  /// A sample that was like no other.
  struct Odd {
    float seconds = 0;
    float held_s = 0;  ///< of it, not charged; 0: nothing is there
    std::uint32_t number = 0;
  };
  /// Samples so far that were like no other, whether others have confirmed them since or not.
  struct Odds {
    float excess_s = 0;  ///< over what was usual, of all of them
    std::uint32_t samples = 0;
  };
  struct Group;
  /// What is remembered of the last samples.
  struct Memory {
    std::array<float, window> seconds;  ///< a ring
    std::array<Kind, most_kinds> kinds;
    std::array<Odd, most_odd> odd;        ///< the latest, a ring
    std::array<Odd, most_odd> large_odd;  ///< those before of which the most was held back
    std::uint32_t samples = 0;
    std::uint32_t odd_samples = 0;
    double owed_s = 0;                 ///< measured of samples that are believed, less what was charged for them
    float noise = 0.1F;                ///< relative deviation of a sample from its kind
    std::uint32_t period = 0;          ///< samples after which kinds come again; 0: they do not take turns
    bool out_of_turn = false;          ///< the last sample was held back for that
    float usual_high_s = 0;            ///< where the work is drawn: what is usual goes up to here; 0: it is not drawn
    double measured_s = 0;             ///< of all samples
    std::array<Odds, lengths> odds{};  ///< by the power of two of their excess in us
    std::unique_ptr<LongTurns> long_turns;  ///< null: odd samples are few
  };

  double warm(double seconds);
  double charge_short(double seconds);
  [[nodiscard]] std::unique_ptr<Memory> memory_of_short() const;
  double charge_by_instructions(const Sample& sample);
  double charge_long(const Sample& sample);
  double charge_as(Kind& kind, double seconds);
  [[nodiscard]] double overdue(const Kind& kind) const;
  double charge_as_turn(double seconds);
  double charge_and_make_up(double seconds, double instead_s);
  void pass_by(double seconds);
  double charge_odd(const Sample& sample, double instead_s);
  double hold(double seconds, double instead_s);
  double release(double low_s, double high_s);
  void learn_noise();
  void learn_period();
  void learn_long_turns();
  [[nodiscard]] double long_turn_s(double seconds) const;
  [[nodiscard]] double median_s() const;
  [[nodiscard]] const Kind* due(double seconds);
  [[nodiscard]] double sample_before(std::size_t back) const;
  void look_for_change(Kind& kind);
  [[nodiscard]] Kind* kind_of(double seconds);
  [[nodiscard]] Kind& kind_of(const Group& group);
  [[nodiscard]] double gap() const;
  [[nodiscard]] std::size_t end_of_group(const std::array<float, window>& sorted, std::size_t begin,
                                         std::size_t n) const;
  [[nodiscard]] Group group_of(double seconds) const;
  [[nodiscard]] bool is_kind(const Group& group) const;
  [[nodiscard]] bool recurs(double seconds, double below_s) const;
  [[nodiscard]] bool is_more_than_a_host_takes(const Sample& sample, double excess_s);
  void keep_if_large(const Odd& odd);
  [[nodiscard]] bool touches_memory(const Sample& sample);

  std::unique_ptr<Memory> memory_;  ///< null: all samples so far were short
  Sums sums_;
  float instructions_ = 0;  ///< that `mean_s_` rests on, if it is that of one
  float mean_s_ = 0;        ///< of short samples; of samples with instructions: seconds for each of these
  float usual_faults_ = 0;
  float warm_part_ = 1;
  static constexpr float to_be_found = -1;  ///< by the next sample
  float usual_s_ = 0;                       ///< of work that takes its part; 0: there is none
  bool always_ = false;                     ///< it takes the part of that each time
  std::uint32_t samples_ = 0;               ///< that `mean_s_` rests on
  std::uint32_t odd_in_a_row_ = 0;
  std::uint32_t short_samples_ = 0;
  std::array<float, 8> short_s_{};  ///< the last of these, a ring
};

}  // namespace orrery::computation
