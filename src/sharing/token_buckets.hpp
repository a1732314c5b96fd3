// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orrery::sharing {

/// Links that let a burst pass at once after they were idle, as shapers with a token bucket do.
///
/// A link of capacity c holds at most `burst` tokens, a byte each. They grow by c − load, where load is what its flows
/// get together; a flow that begins takes what its links have and has passed so many bytes at once. A link that is full
/// has none, so that over any time t no more than burst + c·t bytes pass.
class TokenBuckets {
 public:
  using Link = std::uint32_t;

  /// @param capacities in bytes per second; infinite: the link never holds anything back   @param burst in bytes
  TokenBuckets(std::span<const double> capacities, double burst);

  [[nodiscard]] bool any() const { return burst_ > 0; }
  /// Bytes of a flow that pass at once over all these links, at most `bytes`.
  [[nodiscard]] double take(std::span<const Link> links, double now_s, double bytes);
  /// Bytes that would pass at once over all these links; infinite over links that never hold anything back.
  [[nodiscard]] double tokens(std::span<const Link> links, double now_s) const;
  /// The flows on a link get another rate together.
  void set_load(Link link, double now_s, double load);

 private:
  struct Bucket {
    double capacity = 0;
    double tokens = 0;  ///< at `since_s`
    double since_s = 0;
    double load = 0;
  };

  [[nodiscard]] double tokens(const Bucket& bucket, double now_s) const;
  void bring_up_to(Bucket& bucket, double now_s) const;

  double burst_;
  std::vector<Bucket> buckets_;  ///< by link; none without bursts
};

}  // namespace orrery::sharing
