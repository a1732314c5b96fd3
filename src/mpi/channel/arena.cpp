// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/channel.hpp"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <new>

namespace orrery::mpi::channel {
namespace {

/// Heads of free lists: offset / 64 in the low bits, above them a counter, so that a head that came back is told from
/// one that stayed.
constexpr std::uint64_t offset_mask = (std::uint64_t{1} << 40) - 1;

/// Size classes of the arena: 64, 128, 192, 256, then four per doubling.
struct SizeClass {
  std::size_t index;
  std::size_t bytes;
};

SizeClass size_class(std::size_t bytes) {
  const std::size_t units = std::max<std::size_t>(1, (bytes + 63) / 64);
  if (units <= 4) return {units - 1, units * 64};
  const auto doubling = static_cast<std::size_t>(std::bit_width(units - 1)) - 3;  // 5..8 units: 0
  const std::size_t step = std::size_t{1} << doubling;
  const std::size_t quarter = (units - 1) / step - 4;
  return {4 + 4 * doubling + quarter, (5 + quarter) * step * 64};
}

}  // namespace

Offset Memory::allocate(std::size_t bytes) {
  const SizeClass wanted = size_class(bytes);
  auto& list = header().free_lists[wanted.index];
  std::uint64_t head = list.load(std::memory_order_acquire);
  while ((head & offset_mask) != 0) {
    const Offset block = (head & offset_mask) * 64;
    // Another process may have taken the block meanwhile and be writing to it: then the counter differs and the
    // exchange fails.
    const std::uint64_t next = as<std::atomic<std::uint64_t>>(block)->load(std::memory_order_relaxed);
    const std::uint64_t replacement = (next & offset_mask) | ((head & ~offset_mask) + (offset_mask + 1));
    if (list.compare_exchange_weak(head, replacement, std::memory_order_acq_rel)) return block;
  }
  const Offset block = header().arena_top.fetch_add(wanted.bytes, std::memory_order_relaxed);
  if (block + wanted.bytes > header().mapped_bytes.load(std::memory_order_relaxed)) throw std::bad_alloc();
  return block;
}

void Memory::release(Offset offset, std::size_t bytes) {
  auto& list = header().free_lists[size_class(bytes).index];
  auto& link = *as<std::atomic<std::uint64_t>>(offset);
  std::uint64_t head = list.load(std::memory_order_relaxed);
  std::uint64_t replacement = 0;
  do {
    link.store(head & offset_mask, std::memory_order_relaxed);
    replacement = (offset / 64) | ((head & ~offset_mask) + (offset_mask + 1));
  } while (!list.compare_exchange_weak(head, replacement, std::memory_order_acq_rel));
}

void Memory::discard(Offset offset, std::size_t bytes) {
  const std::size_t first = round_up(offset, page_bytes);
  const std::size_t last = (offset + bytes) / page_bytes * page_bytes;
  if (first >= last) return;
  (void)fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                  static_cast<off_t>(last - first));
}

}  // namespace orrery::mpi::channel
