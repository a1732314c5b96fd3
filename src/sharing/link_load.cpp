// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/link_load.hpp"

#include <algorithm>
#include <cassert>

namespace orrery::sharing {
namespace {

constexpr std::size_t most_values = std::size_t{1} << 23;  ///< 64 MiB
constexpr std::uint32_t fewest_buckets = 32;
/// Looks at flows at the ends of buckets: for each flow; for all of them besides; for each flow that is under way when
/// all have been used, and buckets are joined. With the last, buckets become no fewer than about as many.
constexpr std::size_t looks = 8, looks_besides = std::size_t{1} << 20, looks_after_join = 16;

}  // namespace

LinkLoad::LinkLoad(std::size_t links, std::int64_t bucket_ns, std::uint32_t buckets)
    : bucket_ns_(bucket_ns), most_(buckets), rows_(links, none), looks_left_(looks_besides) {}

void LinkLoad::begin(Flow flow, double bytes) {
  if (flow >= flows_.size()) flows_.resize(std::max<std::size_t>(std::size_t{flow} + 1, 2 * flows_.size()));
  assert(flows_[flow].place == none);
  flows_[flow] = {bytes, static_cast<std::uint32_t>(present_.size())};
  present_.push_back(flow);
  looks_left_ += looks;
}

void LinkLoad::end(Flow flow, std::span<const Link> links) {
  keep(flow, links, 0);
  Present& ended = flows_[flow];
  present_[ended.place] = present_.back();
  flows_[present_.back()].place = ended.place;
  present_.pop_back();
  ended.place = none;
}

/// Adds to the present bucket what a flow has passed since the last look at it.
void LinkLoad::keep(Flow flow, std::span<const Link> links, double left) {
  double& before = flows_[flow].left;
  left = std::min(left, before);
  pass(links, before - left);
  before = left;
}

double& LinkLoad::cell(Link link) {
  if (rows_[link] == none) {
    if ((links_.size() + 1) * most_ > most_values && most_ > fewest_buckets) store_fewer();
    rows_[link] = static_cast<std::uint32_t>(links_.size());
    links_.push_back(link);
    bytes_.resize(links_.size() * most_);
  }
  return bytes_[std::size_t{rows_[link]} * most_ + at_];
}

/// Joins buckets until there is one for `now_s`, and there are looks left for the end of the present one.
void LinkLoad::make_room(double now_s) {
  while (now_s >= static_cast<double>(bucket_ns_) * 1e-9 * most_) join();
  if (now_s < end_s() || looks_left_ >= present_.size()) return;
  join();
  looks_left_ += looks_after_join * present_.size();
}

void LinkLoad::join() {
  for (std::size_t row = 0; row < links_.size(); ++row) {
    double* const bytes = &bytes_[row * most_];
    for (std::uint32_t i = 0; i < most_ / 2; ++i) bytes[i] = bytes[2 * i] + bytes[2 * i + 1];
    std::fill(bytes + most_ / 2, bytes + most_, 0);
  }
  bucket_ns_ *= 2;
  at_ /= 2;
}

/// Halves the number of buckets of each link.
void LinkLoad::store_fewer() {
  if (at_ >= most_ / 2) join();
  const std::uint32_t fewer = most_ / 2;
  for (std::size_t row = 1; row < links_.size(); ++row) std::copy_n(&bytes_[row * most_], fewer, &bytes_[row * fewer]);
  most_ = fewer;
  bytes_.resize(links_.size() * most_);
}

}  // namespace orrery::sharing
