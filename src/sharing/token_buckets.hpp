// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orrery::sharing {

/// Token buckets: links that let a burst pass at once after idleness, as traffic shapers do.
///
/// A link of capacity c has at most `burst` tokens, one for each byte. Their number grows at the rate c − load, where
/// load is the sum of the rates of its flows. A flow that starts takes as many tokens from each of its links as all of
/// them have; that many of its bytes pass at once. A full link gets no tokens, so in any time t at most burst + c·t
/// bytes pass.
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
  /// Sets the sum of the rates of the flows on a link.
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
  std::vector<Bucket> buckets_;  ///< by link; empty without bursts
};

}  // namespace orrery::sharing
