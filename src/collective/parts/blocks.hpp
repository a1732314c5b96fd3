// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "collective/parts/slice.hpp"

namespace orrery::collective {

/// Consecutive blocks [first, last).
struct BlockRange {
  int first = 0;
  int last = 0;

  /// The half that a rank keeps in recursive halving: the upper one if `upper`.
  [[nodiscard]] constexpr BlockRange half(bool upper) const {
    const int middle = first + (last - first) / 2;
    return upper ? BlockRange{middle, last} : BlockRange{first, middle};
  }
  /// The range with which this one makes up the half's whole; its length is a power of two, its first block a multiple.
  [[nodiscard]] constexpr BlockRange sibling() const {
    const int length = last - first;
    const int start = first ^ length;
    return {start, start + length};
  }
  [[nodiscard]] constexpr BlockRange parent() const {
    const BlockRange other = sibling();
    return first < other.first ? BlockRange{first, other.last} : BlockRange{other.first, last};
  }
};

/// How a buffer is cut into consecutive blocks. Offsets of listed blocks are found by walking from the block asked for
/// before: no memory per block, and neighbours cost nothing.
class Blocks {
 public:
  /// `count` blocks of the same size.
  static Blocks equal(Bytes block, int count);
  /// `whole` cut at multiples of `element` bytes into `count` blocks that differ by at most one element, larger ones
  /// first; blocks are empty when there are fewer elements.
  static Blocks split(Bytes whole, std::int64_t element, int count);
  /// `whole` cut into `count` equal blocks of whole elements, the last of which takes the rest too.
  static Blocks rest_to_last(Bytes whole, std::int64_t element, int count);
  /// `whole` cut into `count` blocks of ⌈n/count⌉ elements; the last ones are shorter or empty.
  static Blocks rounded_up(Bytes whole, std::int64_t element, int count);
  /// `whole` cut into pipeline segments of `segment` bytes, rounded down to whole elements but at least one; the last
  /// may be shorter. One segment if `segment` is 0.
  static Blocks segments(Bytes whole, std::int64_t element, Bytes segment);
  /// Pipeline segments with the shorter one first, and the vector whole where a segment would hold no element.
  static Blocks segments_short_first(Bytes whole, std::int64_t element, Bytes segment);
  /// `whole` cut into as many fragments as make at most `fragment` bytes each on average, all of as many whole elements
  /// but the last, which has what remains.
  static Blocks fragments(Bytes whole, std::int64_t element, Bytes fragment);
  /// Blocks of the given sizes in bytes; `counts` must outlive this.
  static Blocks listed(std::span<const std::int64_t> counts);

  [[nodiscard]] int count() const { return count_; }
  /// Where a block begins; `block` in [0, count].
  [[nodiscard]] std::int64_t offset(int block) const;
  [[nodiscard]] Bytes bytes(int block) const { return {offset(block + 1) - offset(block)}; }
  [[nodiscard]] Bytes total() const { return {offset(count_)}; }

  /// One block, or some, of the buffer whose block 0 begins at `base`.
  [[nodiscard]] Slice at(Region base, int block) const { return range(base, {block, block + 1}); }
  [[nodiscard]] Slice range(Region base, BlockRange blocks) const {
    const std::int64_t begin = offset(blocks.first);
    return {base + begin, {offset(blocks.last) - begin}};
  }
  [[nodiscard]] Slice all(Region base) const { return {base, total()}; }

 private:
  int count_ = 0;
  int larger_ = 0;            ///< blocks that are one element larger than the others
  std::int64_t block_ = 0;    ///< bytes of the others
  std::int64_t element_ = 0;  ///< bytes
  std::int64_t total_ = 0;    ///< bytes; the last segment ends there
  std::int64_t missing_ = 0;  ///< bytes by which the first segment is shorter
  std::span<const std::int64_t> listed_;
  mutable int known_block_ = 0;  ///< listed blocks: offset of one block
  mutable std::int64_t known_offset_ = 0;
};

}  // namespace orrery::collective
