// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/token_buckets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::sharing {

TokenBuckets::TokenBuckets(std::span<const double> capacities, double burst) : burst_(burst) {
  if (burst_ <= 0) return;
  buckets_.reserve(capacities.size());
  for (const double capacity : capacities) buckets_.push_back({.capacity = capacity, .tokens = burst_});
}

double TokenBuckets::tokens(const Bucket& bucket, double now_s) const {
  // By rounding, the load may slightly exceed the capacity: the number of tokens must not become negative.
  return std::clamp(bucket.tokens + (bucket.capacity - bucket.load) * (now_s - bucket.since_s), 0.0, burst_);
}

double TokenBuckets::tokens(std::span<const Link> links, double now_s) const {
  double passes = std::numeric_limits<double>::infinity();
  for (const Link link : links)
    if (!std::isinf(buckets_[link].capacity)) passes = std::min(passes, tokens(buckets_[link], now_s));
  return passes;
}

void TokenBuckets::bring_up_to(Bucket& bucket, double now_s) const {
  bucket.tokens = tokens(bucket, now_s);
  bucket.since_s = now_s;
}

double TokenBuckets::take(std::span<const Link> links, double now_s, double bytes) {
  double passes = bytes;
  for (const Link link : links) {
    Bucket& bucket = buckets_[link];
    if (std::isinf(bucket.capacity)) continue;
    bring_up_to(bucket, now_s);
    passes = std::min(passes, bucket.tokens);
  }
  for (const Link link : links)
    if (!std::isinf(buckets_[link].capacity)) buckets_[link].tokens -= passes;
  return passes;
}

void TokenBuckets::set_load(Link link, double now_s, double load) {
  Bucket& bucket = buckets_[link];
  bring_up_to(bucket, now_s);
  bucket.load = std::max(0.0, load);
}

}  // namespace orrery::sharing
