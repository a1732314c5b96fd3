// SPDX-License-Identifier: BSD-3-Clause
#include "op/script.hpp"

#include <array>
#include <cstdlib>

namespace orrery::op {
namespace {

constexpr std::size_t granule = 64;
constexpr std::size_t classes = 64;  // frames below 4 KiB are pooled

/// Free frames of one thread, by size class; given back to the system when the thread ends.
struct FreeLists {
  struct Free {
    Free* next;
  };
  std::array<Free*, classes> heads{};

  ~FreeLists() {
    for (Free* head : heads) {
      while (head != nullptr) std::free(std::exchange(head, head->next));
    }
  }
};

thread_local FreeLists free_lists;

}  // namespace

void* FramePool::allocate(std::size_t bytes) {
  const std::size_t cls = (bytes + granule - 1) / granule;
  if (cls >= classes) return ::operator new(bytes);
  if (auto*& head = free_lists.heads[cls]; head != nullptr) return std::exchange(head, head->next);
  if (void* frame = std::malloc(cls * granule)) return frame;
  throw std::bad_alloc();
}

void FramePool::release(void* frame, std::size_t bytes) noexcept {
  const std::size_t cls = (bytes + granule - 1) / granule;
  if (cls >= classes) return ::operator delete(frame);
  auto* entry = static_cast<FreeLists::Free*>(frame);
  entry->next = std::exchange(free_lists.heads[cls], entry);
}

}  // namespace orrery::op
