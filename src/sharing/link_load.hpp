// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace orrery::sharing {

/// Bytes that each link carried in each bucket of simulated time.
///
/// Buckets have one length and begin at time 0. The length of a run is not known before: when time passes the last
/// bucket, buckets are joined in pairs, and from then on are twice as long. A flow adds its bytes to all links of its
/// route, when a bucket ends and when the flow does. So the sum over the buckets of a link is the sum of the bytes of
/// its flows, whatever their rates were meanwhile.
///
/// Cost: O(route) for each flow, and once more for each end of a bucket at which it is under way. Where many flows are
/// under way for long, buckets are joined earlier, so that this stays in proportion to the number of flows. Memory:
/// `buckets` numbers for each link that carried something, fewer where that is more than 64 MiB.
class LinkLoad {
 public:
  using Flow = std::uint32_t;
  using Link = std::uint32_t;

  /// @param links how many there are   @param bucket_ns length of a bucket at first
  /// @param buckets most of them, a power of two, at least 2
  explicit LinkLoad(std::size_t links, std::int64_t bucket_ns = 100, std::uint32_t buckets = 256);

  /// A flow begins, at the time that was reached last.
  void begin(Flow flow, double bytes);
  /// It ends there: what it had left has passed.
  void end(Flow flow, std::span<const Link> links);
  /// Bytes pass there at once.
  void pass(std::span<const Link> links, double bytes) {
    for (const Link link : links) cell(link) += bytes;
  }
  /// Goes to `now_s`; times never decrease.
  /// @param remaining `remaining(flow, time_s)`: bytes that a flow has left at the end of a bucket
  /// @param links_of `links_of(flow)`: its links
  template <class Remaining, class LinksOf>
  void reach(double now_s, Remaining&& remaining, LinksOf&& links_of) {
    while (now_s >= end_s()) {
      make_room(now_s);
      if (now_s < end_s()) return;
      for (const Flow flow : present_) keep(flow, links_of(flow), remaining(flow, end_s()));
      looks_left_ -= present_.size();
      ++at_;
    }
  }

  /// Goes to the end of a run. Flows that are still under way pass nothing more.
  void close(double now_s) {
    constexpr auto as_before = [](Flow, double) { return std::numeric_limits<double>::infinity(); };
    reach(now_s, as_before, [](Flow) { return std::span<const Link>{}; });
  }

  [[nodiscard]] std::int64_t bucket_ns() const { return bucket_ns_; }
  /// Number of buckets up to the time that was reached.
  [[nodiscard]] std::uint32_t buckets() const { return at_ + 1; }
  /// Links that carried something, in the order in which they did first.
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  /// Bytes of `links()[row]`, by bucket.
  [[nodiscard]] std::span<const double> bytes(std::size_t row) const { return {&bytes_[row * most_], buckets()}; }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  struct Present {
    double left = 0;             ///< bytes, at the last look
    std::uint32_t place = none;  ///< in `present_`
  };

  [[nodiscard]] double end_s() const { return static_cast<double>(bucket_ns_) * 1e-9 * (static_cast<double>(at_) + 1); }
  [[nodiscard]] double& cell(Link link);
  void keep(Flow flow, std::span<const Link> links, double left);
  void make_room(double now_s);
  void join();
  void store_fewer();

  std::int64_t bucket_ns_;
  std::uint32_t most_;               ///< buckets
  std::uint32_t at_ = 0;             ///< the present bucket
  std::vector<std::uint32_t> rows_;  ///< by link
  std::vector<Link> links_;          ///< by row
  std::vector<double> bytes_;        ///< `most_` for each row
  std::vector<Flow> present_;
  std::vector<Present> flows_;  ///< by flow
  std::size_t looks_left_;      ///< at flows at the ends of buckets
};

}  // namespace orrery::sharing
