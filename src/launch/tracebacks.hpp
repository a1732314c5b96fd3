// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::launch {

/// Shows a traceback that several ranks write once, with the numbers of these ranks.
///
/// Python writes a traceback to standard error when it ends by an exception, and all ranks of a program mostly end by
/// the same one. What a rank writes from the first line of a traceback on is held back for `held_for`, or until the run
/// is over; then equal texts are delivered as one, "ranks 0-7: Traceback (most recent call last): ...", and what these
/// ranks wrote after that follows it. All other text goes through at once, and no text of one rank overtakes
/// another.
class Tracebacks {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Deliver = std::function<void(std::string_view)>;
  static constexpr std::chrono::milliseconds held_for{2000};
  static constexpr std::size_t longest = 64 * 1024;       ///< text of one rank that is held back, bytes
  static constexpr std::size_t most_known = 1024 * 1024;  ///< text that is remembered as delivered, bytes

  explicit Tracebacks(Deliver deliver) : deliver_(std::move(deliver)) {}

  /// Delivers what a rank has written, or holds it back. @param text whole lines, or the beginning of one
  void feed(std::int32_t rank, std::string_view text, Time now);

  /// When the text that has been held back longest is to be delivered; nothing: none is held back.
  [[nodiscard]] std::optional<Time> due() const;

  /// Delivers the texts that are due, each with all others that are equal to it.
  void deliver_due(Time now);

  /// Nothing more comes: delivers all. A traceback that lacks its end, and is another one's beginning, is counted as
  /// equal to it: its rank was ended while it wrote.
  void finish();

 private:
  struct Held {
    std::int32_t rank;
    std::string text;
    Time due;
  };
  void deliver_with_equals(std::string text);
  void remember(const std::string& text);
  void complete_cut_off();

  Deliver deliver_;
  std::vector<Held> held_;  ///< in the order in which they began
  std::set<std::string, std::less<>> known_;
  std::size_t known_bytes_ = 0;
};

}  // namespace orrery::launch
