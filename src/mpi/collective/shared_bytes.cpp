// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/shared_bytes.hpp"

#include <atomic>
#include <new>

namespace orrery::mpi {

namespace {

/// Start of a block; the bytes follow on the next cache line.
struct alignas(channel::cache_line) BlockHead {
  std::atomic<std::uint32_t> readers;  ///< who have not read yet
  std::size_t size;                    ///< of the whole block
};

}  // namespace

std::optional<SharedBytes> SharedBytes::allocate(channel::Memory& memory, std::int64_t bytes, std::uint32_t readers) {
  const auto size = sizeof(BlockHead) + static_cast<std::size_t>(bytes);
  try {
    const auto block = memory.allocate(size);
    new (memory.at(block)) BlockHead{readers, size};
    return SharedBytes{block, {memory.at(block) + sizeof(BlockHead), static_cast<std::size_t>(bytes)}};
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

void give_back_share(channel::Memory& memory, channel::Offset block) {
  auto& head = *memory.as<BlockHead>(block);
  // The last reader must not release what another still reads: its reads come before its decrement.
  if (head.readers.fetch_sub(1, std::memory_order_acq_rel) == 1) memory.release(block, head.size);
}

}  // namespace orrery::mpi
