// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "collective/collective.hpp"

namespace orrery::collective {

/// The thresholds of a library's decision functions, read from a text: blocks of a kind, in which lines
/// "communicator sizes below this: algorithm <bytes algorithm <bytes ... algorithm"; the last algorithm of a line has
/// no limit, nor has the size "*". A block may be for calls of the kind "not_commutative", or with "few_elements"
/// (fewer than the largest power of two in the communicator's size); other calls have the block without such a word.
class RuleTable {
 public:
  /// How a name becomes a choice.
  using Named = Choice (*)(CollectiveKind, std::string_view name);
  RuleTable(std::string_view text, Named named);

  /// @param bytes what is compared with the limits. No algorithm if there is no block of the kind.
  [[nodiscard]] Choice choose(const Call& call, std::int64_t bytes) const;

 private:
  enum class When : std::uint8_t { Always, NotCommutative, FewElements };
  struct Key {
    CollectiveKind kind;
    When when;
    auto operator<=>(const Key&) const = default;
  };
  struct Range {
    std::int64_t bytes_below;
    Choice choice;
  };
  struct Line {
    std::int64_t size_below;
    std::vector<Range> ranges;
  };
  using Block = std::vector<Line>;

  void read_line(CollectiveKind kind, std::string_view text, Named named, Block& block) const;
  [[nodiscard]] const Block* block_for(const Call& call) const;

  std::map<Key, Block> blocks_;
};

}  // namespace orrery::collective
