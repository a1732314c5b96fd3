// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/blocks.hpp"

#include <algorithm>

namespace orrery::collective {

Blocks Blocks::equal(Bytes block, int count) {
  Blocks blocks;
  blocks.count_ = count;
  blocks.block_ = block.count;
  blocks.total_ = block.count * count;
  return blocks;
}

Blocks Blocks::split(Bytes whole, std::int64_t element, int count) {
  const std::int64_t elements = whole.count / element;
  Blocks blocks;
  blocks.count_ = count;
  blocks.larger_ = static_cast<int>(elements % count);
  blocks.block_ = elements / count * element;
  blocks.element_ = element;
  blocks.total_ = elements * element;
  return blocks;
}

Blocks Blocks::rest_to_last(Bytes whole, std::int64_t element, int count) {
  const std::int64_t elements = whole.count / element;
  Blocks blocks;
  blocks.count_ = count;
  blocks.block_ = elements / count * element;
  blocks.total_ = elements * element;
  return blocks;
}

Blocks Blocks::rounded_up(Bytes whole, std::int64_t element, int count) {
  const std::int64_t elements = whole.count / element;
  Blocks blocks;
  blocks.count_ = count;
  blocks.block_ = (elements + count - 1) / count * element;
  blocks.total_ = whole.count;
  return blocks;
}

Blocks Blocks::segments(Bytes whole, std::int64_t element, Bytes segment) {
  Blocks blocks;
  blocks.block_ = segment.count > 0 ? std::max(segment.count / element, std::int64_t{1}) * element : whole.count;
  blocks.count_ = whole.count > 0 ? static_cast<int>((whole.count + blocks.block_ - 1) / blocks.block_) : 0;
  blocks.total_ = whole.count;
  return blocks;
}

Blocks Blocks::segments_short_first(Bytes whole, std::int64_t element, Bytes segment) {
  Blocks blocks = segments(whole, element, segment.count < element ? Bytes{} : segment);
  blocks.missing_ = blocks.block_ * blocks.count_ - whole.count;
  return blocks;
}

Blocks Blocks::fragments(Bytes whole, std::int64_t element, Bytes fragment) {
  Blocks blocks;
  blocks.count_ = static_cast<int>((whole.count + fragment.count - 1) / fragment.count);
  if (blocks.count_ > 0) blocks.block_ = whole.count / element / blocks.count_ * element;
  blocks.total_ = whole.count;
  return blocks;
}

Blocks Blocks::listed(std::span<const std::int64_t> counts) {
  Blocks blocks;
  blocks.count_ = static_cast<int>(counts.size());
  blocks.listed_ = counts;
  return blocks;
}

std::int64_t Blocks::offset(int block) const {
  if (listed_.empty() && block >= count_) return total_;
  if (listed_.empty() && missing_ > 0) return block > 0 ? block * block_ - missing_ : 0;
  if (listed_.empty()) return std::min(block * block_ + std::min(block, larger_) * element_, total_);
  if (block < known_block_ / 2) known_block_ = 0, known_offset_ = 0;
  while (known_block_ < block) known_offset_ += listed_[static_cast<std::size_t>(known_block_++)];
  while (known_block_ > block) known_offset_ -= listed_[static_cast<std::size_t>(--known_block_)];
  return known_offset_;
}

}  // namespace orrery::collective
