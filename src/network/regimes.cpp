// SPDX-License-Identifier: BSD-3-Clause
#include "network/regimes.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace orrery::network {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// Written so that NaN fails every test.
bool is_positive(double value) { return value > 0 && std::isfinite(value); }
bool is_not_negative(double value) { return value >= 0 && std::isfinite(value); }

/// A fitted slope may be negative as long as no size of the regime pays a negative overhead.
void require_overhead(const std::string& where, std::string_view name, double constant_s, double per_byte_s,
                      std::int64_t first, std::int64_t last) {
  for (const std::int64_t size : {first, last}) {
    const double overhead = constant_s + per_byte_s * static_cast<double>(size);
    if (!is_not_negative(overhead))
      throw InputError(concat(where, ": ", name, " is ", overhead, " s for a message of ", size,
                              " bytes, but must not be negative"));
  }
}

void check(const std::string& where, const Regime& regime, std::int64_t first) {
  if (regime.end <= first)
    throw InputError(
        concat(where, ": ends at ", regime.end, " bytes, but must end after ", first, " bytes, where it begins"));
  require_overhead(where, "send overhead", regime.send_overhead_s, regime.send_overhead_s_per_byte, first,
                   regime.end - 1);
  require_overhead(where, "receive overhead", regime.recv_overhead_s, regime.recv_overhead_s_per_byte, first,
                   regime.end - 1);
  if (!is_not_negative(regime.latency_factor))
    throw InputError(concat(where, ": latency_factor is ", regime.latency_factor, ", but must not be negative"));
  if (!std::isfinite(regime.latency_s))
    throw InputError(concat(where, ": latency_s is ", regime.latency_s, ", but must be finite"));
  if (!is_positive(regime.bandwidth_factor))
    throw InputError(concat(where, ": bandwidth_factor is ", regime.bandwidth_factor, ", but must be positive"));
}

}  // namespace

Regimes::Regimes(std::string_view set, std::vector<Regime> regimes) : regimes_(std::move(regimes)) {
  if (regimes_.empty()) throw InputError(concat("the ", set, " model has no regime; give one at least"));
  std::int64_t first = 0;
  for (std::size_t i = 0; i < regimes_.size(); ++i) {
    check(concat(set, " regime ", i + 1), regimes_[i], first);
    first = regimes_[i].end;
  }
  if (first != kLargest)
    throw InputError(concat("the last ", set, " regime ends at ", first, " bytes, but must have no end"));
}

}  // namespace orrery::network
