// SPDX-License-Identifier: BSD-3-Clause
#include "collective/rule_table.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace orrery::collective {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// The next word, which is removed from the text.
std::string_view word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  const std::string_view found = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return found;
}

std::int64_t number(std::string_view text) {
  std::int64_t value = no_limit;
  if (text != "*") std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

RuleTable::RuleTable(std::string_view text, Named named) {
  Block* block = nullptr;
  auto kind = CollectiveKind::Barrier;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (line.front() == ' ') {
      read_line(kind, line, named, *block);
      continue;
    }
    kind = *kind_named(word(line));
    const std::string_view when = word(line);
    block = &blocks_[{kind, when == "not_commutative" ? When::NotCommutative
                            : when == "few_elements"  ? When::FewElements
                                                      : When::Always}];
  }
}

void RuleTable::read_line(CollectiveKind kind, std::string_view text, Named named, Block& block) const {
  const std::string_view size = word(text);
  Line line{number(size.substr(0, size.size() - 1)), {}};
  for (std::string_view next = word(text); !next.empty();) {
    const Choice choice = named(kind, next);
    next = word(text);
    const bool limited = next.starts_with('<');
    line.ranges.push_back({limited ? number(next.substr(1)) : no_limit, choice});
    if (limited) next = word(text);
  }
  block.push_back(std::move(line));
}

const RuleTable::Block* RuleTable::block_for(const Call& call) const {
  const auto find = [&](When when) {
    const auto found = blocks_.find({call.kind, when});
    return found == blocks_.end() ? nullptr : &found->second;
  };
  const Block* block = nullptr;
  if (!call.commutative) block = find(When::NotCommutative);
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<unsigned>(call.size)));
  if (block == nullptr && call.bytes.count / call.element < power) block = find(When::FewElements);
  return block != nullptr ? block : find(When::Always);
}

Choice RuleTable::choose(const Call& call, std::int64_t bytes) const {
  const Block* block = block_for(call);
  if (block == nullptr) return {};
  for (const Line& line : *block) {
    if (call.size >= line.size_below) continue;
    for (const Range& range : line.ranges)
      if (bytes < range.bytes_below) return range.choice;
  }
  return {};
}

}  // namespace orrery::collective
