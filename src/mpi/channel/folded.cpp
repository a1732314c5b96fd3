// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/folded.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace orrery::mpi::channel {
namespace {

constexpr std::size_t whole_pages(std::size_t bytes) { return std::max(page_bytes, round_up(bytes, page_bytes)); }

}  // namespace

void FoldedUse::ask(std::uint64_t bytes) {
  const std::uint64_t now = asked.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::uint64_t most = most_asked.load(std::memory_order_relaxed);
  while (most < now && !most_asked.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

Offset make_folded_block(Memory& memory) {
  const Offset room = memory.allocate(folded_block + page_bytes);
  return round_up(room, page_bytes);
}

void* map_folded(int descriptor, Offset block, std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  if (size < bytes) return nullptr;  // more than there can be
  void* const room = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::byte*>(room);
  for (std::size_t done = 0; done < size; done += folded_block) {
    void* const piece = mmap(first + done, std::min(folded_block, size - done), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_FIXED, descriptor, static_cast<off_t>(block));
    if (piece == MAP_FAILED) {
      munmap(room, size);
      return nullptr;
    }
  }
  return room;
}

void unmap_folded(void* first, std::size_t bytes) { munmap(first, whole_pages(bytes)); }

}  // namespace orrery::mpi::channel
