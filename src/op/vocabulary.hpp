// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

#include "op/op.hpp"

/// What is known of each word of operations (vocabulary.inc).
namespace orrery::op {

/// What a kind of operation has to do with.
enum class Group : std::uint8_t { Compute, Send, Receive, Completion, Collective, OneSided, File, Phase, Other };

/// When the kernel answers an operation.
enum class Answer : std::uint8_t {
  Never,
  Always,
  IfMatched,  ///< where it is `Blocking` and `WantsMatch`
};

struct KindEntry {
  std::string_view word;  ///< its name in dumps and in Python
  Group group;
  std::string_view fields;  ///< names, with blanks between
  Answer answer;
  std::string_view about;
};

struct CollectiveEntry {
  std::string_view word;
  bool rooted;
  bool reduces;
};

struct FlagEntry {
  std::string_view name;
  int bit;
  std::string_view kinds;  ///< words of kinds, with blanks between; "all"
  std::string_view about;
};

inline constexpr auto kinds = std::to_array<KindEntry>({
#define KIND(name, word, group, fields, answer, about) {#word, Group::group, fields, Answer::answer, about},
#include "op/vocabulary.inc"
});

inline constexpr auto collectives = std::to_array<CollectiveEntry>({
#define COLLECTIVE(name, word, rooted, reduces, about) {#word, rooted, reduces},
#include "op/vocabulary.inc"
});

inline constexpr auto flags = std::to_array<FlagEntry>({
#define FLAG(name, bit, kinds, about) {#name, bit, kinds, about},
#include "op/vocabulary.inc"
});

[[nodiscard]] constexpr const KindEntry& entry_of(Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }
[[nodiscard]] constexpr const CollectiveEntry& entry_of(CollectiveKind kind) {
  return collectives[static_cast<std::size_t>(kind)];
}

/// Whether a call of this kind names a root.
[[nodiscard]] constexpr bool is_rooted(CollectiveKind kind) { return entry_of(kind).rooted; }
/// Whether it combines what ranks have.
[[nodiscard]] constexpr bool reduces(CollectiveKind kind) { return entry_of(kind).reduces; }

/// A bit for each kind with that answer.
[[nodiscard]] consteval std::uint64_t kinds_answered(Answer answer) {
  std::uint64_t found = 0;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    if (kinds[kind].answer == answer) found |= std::uint64_t{1} << kind;
  return found;
}

}  // namespace orrery::op
