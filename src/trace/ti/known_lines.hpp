// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "trace/ti/actions.hpp"

namespace orrery::trace::ti {

/// What a line of a send or a receive says.
struct Message {
  std::int64_t bytes = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  Action action = Action::Nothing;
};

/// Short lines of sends and receives that have been read before, without the rank that they begin with. Programs say
/// the same thing in every iteration, so nearly all are found here, and need not be taken apart again.
///
/// One place for each value of a hash: a line that is not found there costs that it is read.
class KnownLines {
 public:
  static constexpr std::size_t most_letters = 24;

  /// The letters of a line, zeros behind them.
  struct Letters {
    std::array<std::uint64_t, most_letters / sizeof(std::uint64_t)> words = {};
    std::uint32_t count = 0;  ///< 0: the line is longer than most_letters, or the last of its text
    friend bool operator==(const Letters&, const Letters&) = default;
  };

  /// Letters of the line that a text begins with.
  static Letters letters(std::string_view text) {
    Letters letters;
    if (std::endian::native != std::endian::little || text.size() < most_letters) return letters;
    for (std::size_t i = 0; i < letters.words.size(); ++i) {
      std::uint64_t& word = letters.words[i];
      std::memcpy(&word, text.data() + i * sizeof word, sizeof word);
      // The lowest byte that is a line feed becomes 0x80, those in front of it 0.
      const std::uint64_t other = word ^ each * '\n';
      const std::uint64_t ends = (other - each) & ~other & (each << 7);
      if (ends == 0) continue;
      const int bits = std::countr_zero(ends) - 7;
      word &= (std::uint64_t{1} << bits) - 1;
      letters.count = static_cast<std::uint32_t>(i * sizeof word) + static_cast<std::uint32_t>(bits) / 8;
      return letters;
    }
    return letters;
  }

  /// Null if it is not known. @param default_bytes of an element, where the line names no datatype
  [[nodiscard]] const Message* find(const Letters& letters, std::int64_t default_bytes) const {
    const Known& known = known_[place_of(letters)];
    return known.letters == letters && known.default_bytes == default_bytes ? &known.message : nullptr;
  }
  void keep(const Letters& letters, std::int64_t default_bytes, const Message& message) {
    known_[place_of(letters)] = {letters, static_cast<std::int32_t>(default_bytes), message};
  }

 private:
  static constexpr std::uint64_t each = 0x0101010101010101;  ///< times a letter: eight of it
  static constexpr int place_bits = 12;

  struct alignas(64) Known {
    Letters letters;
    std::int32_t default_bytes = 0;
    Message message;
  };

  /// Odd factors, of which the highest bits of the products depend on all letters (Knuth, TAOCP 3, section 6.4).
  static std::size_t place_of(const Letters& letters) {
    const std::uint64_t mixed = letters.words[0] * 0x9e3779b97f4a7c15 ^ letters.words[1] * 0xc2b2ae3d27d4eb4f ^
                                letters.words[2] * 0x165667b19e3779f9;
    return (mixed ^ mixed >> 29) * 0x9e3779b97f4a7c15 >> (64 - place_bits);
  }

  std::vector<Known> known_{std::size_t{1} << place_bits};
};

}  // namespace orrery::trace::ti
