// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "trace/mapped.hpp"

namespace orrery::trace::ti {

/// The files of a time-independent trace: one per rank, in the order of the ranks, or one of all ranks, whose lines
/// begin with the rank's number.
///
/// Memory: the files themselves, which the system loads as they are read; of a file of all ranks, 16 bytes for each run
/// of lines of one rank.
class Files {
 public:
  /// @throws InputError when one cannot be read, or a line of a file of all ranks begins with no rank
  explicit Files(const std::vector<std::string>& paths);

  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(pieces_.size()); }
  /// What is to be read for a rank, in order; whole lines.
  [[nodiscard]] const std::vector<std::string_view>& pieces(std::uint32_t rank) const { return pieces_[rank]; }
  [[nodiscard]] std::uint64_t size() const;  ///< bytes of all files
  /// "FILE:LINE" of a place in a piece.
  [[nodiscard]] std::string describe(const char* place) const;

 private:
  struct One {
    std::string path;
    Mapped mapped;
  };
  void divide(const One& file);

  std::deque<One> files_;
  std::vector<std::vector<std::string_view>> pieces_;
};

}  // namespace orrery::trace::ti
