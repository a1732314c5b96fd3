// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace orrery::launch {

/// Cuts what is read from a pipe into whole lines.
///
/// A line longer than `longest` is handed over in pieces, so that a stream without newlines needs no more memory than
/// that.
class Lines {
 public:
  enum class Unit {
    Line,   ///< each line alone
    Block,  ///< as many whole lines as there are
  };
  using Deliver = std::function<void(std::string_view)>;
  static constexpr std::size_t longest = 256 * 1024;

  explicit Lines(Unit unit) : unit_(unit) {}

  void feed(std::string_view text, const Deliver& deliver);
  void flush(const Deliver& deliver);  ///< hands over the beginning of a line, if there is one
  [[nodiscard]] bool has_beginning() const { return !beginning_.empty(); }

 private:
  Unit unit_;
  std::string beginning_;  ///< of a line whose end has not come
};

}  // namespace orrery::launch
