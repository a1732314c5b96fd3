// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace orrery::sharing {

/// A sum to which terms are added and from which they are subtracted again, any number of times, without drift: the
/// rounding error of each addition is kept in a second number. The load of a link that a million flows have crossed
/// must not contain their rounding errors.
///
/// Source: Neumaier 1974, doi:10.1002/zamm.19740540106; the error of one addition: Knuth, TAOCP 2, section 4.2.2.
class CompensatedSum {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    const double rounded_term = sum - sum_;
    lost_ += (sum_ - (sum - rounded_term)) + (term - rounded_term);
    sum_ = sum;
  }
  void subtract(double term) { add(-term); }
  void reset(double value = 0) {
    sum_ = value;
    lost_ = 0;
  }

  [[nodiscard]] double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace orrery::sharing
