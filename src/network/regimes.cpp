// SPDX-License-Identifier: BSD-3-Clause
#include "network/regimes.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace orrery::network {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// Refuses a negative overhead. A fitted overhead per byte may be negative, as long as the overhead of the smallest and
/// of the largest message of the regime is not; it is linear in between.
void require_overhead(const std::string& where, std::string_view name, double constant_s, double per_byte_s,
                      std::int64_t first, std::int64_t last) {
  for (const std::int64_t size : {first, last}) {
    const double overhead = constant_s + per_byte_s * static_cast<double>(size);
    if (!(overhead >= 0 && std::isfinite(overhead)))
      throw InputError(concat(where, ": ", name, " is ", overhead, " s for a message of ", size,
                              " bytes, but must not be negative"));
  }
}

void check(const std::string& where, const Regime& regime, std::int64_t first, std::int64_t end) {
  settings::check(regime, where);
  if (end <= first)
    throw InputError(concat(where, ": ends at ", end, " bytes, but must end after ", first, " bytes, where it begins"));
  require_overhead(where, "send overhead", regime.send_overhead_s, regime.send_overhead_s_per_byte, first, end - 1);
  require_overhead(where, "receive overhead", regime.recv_overhead_s, regime.recv_overhead_s_per_byte, first, end - 1);
}

}  // namespace

Regimes::Regimes(std::string_view set, std::vector<Regime> regimes) : regimes_(std::move(regimes)) {
  if (regimes_.empty()) throw InputError(concat(set, " has no regime; give one at least"));
  std::int64_t first = 0;
  for (std::size_t i = 0; i < regimes_.size(); ++i) {
    const std::string where = concat(set, " regime ", i + 1);
    const std::optional<std::int64_t> end = regimes_[i].end_bytes;
    const bool last = i + 1 == regimes_.size();
    if (end.has_value() == last)
      throw InputError(concat(where, last ? ": the last one must have no end" : ": only the last one has no end"));
    ends_.push_back(end.value_or(largest));
    check(where, regimes_[i], first, ends_.back());
    first = ends_.back();
  }
}

}  // namespace orrery::network
