// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

/// What the heaps of events have in common. They have four children per node, which touches half the cache lines of a
/// binary heap. Which child is first cannot be predicted, so nothing here branches on it.
namespace orrery {

__extension__ using OrderKey = unsigned __int128;

/// A number that is the smaller the earlier; at one time, the smaller `order` is.
/// @param time_s not negative: the bits of such doubles rise as they do
[[nodiscard]] inline OrderKey order_key(double time_s, std::uint64_t order) {
  return OrderKey{std::bit_cast<std::uint64_t>(time_s)} << 64 | order;
}
[[nodiscard]] inline OrderKey order_key(std::uint64_t time, std::uint64_t order) {
  return OrderKey{time} << 64 | order;
}

/// Place of the smallest of the children that begin at `begin`, below `size`.
template <class Event>
[[nodiscard]] std::size_t first_child(const Event* heap, std::size_t begin, std::size_t size) {
  if (begin + 4 <= size) {
    const std::size_t left = begin + (heap[begin + 1] < heap[begin] ? 1 : 0);
    const std::size_t right = begin + 2 + (heap[begin + 3] < heap[begin + 2] ? 1 : 0);
    return heap[right] < heap[left] ? right : left;
  }
  std::size_t first = begin;
  for (std::size_t child = begin + 1; child < size; ++child) first = heap[child] < heap[first] ? child : first;
  return first;
}

}  // namespace orrery
