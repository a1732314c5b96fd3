// SPDX-License-Identifier: BSD-3-Clause
#include "abi/foreign/handle_table.hpp"

#include <new>

namespace orrery::abi::foreign {

std::uint32_t HandleTable::new_number(void* pointer) {
  if (!free_.empty()) {
    const std::uint32_t i = free_.back();
    free_.pop_back();
    slot(i).store(pointer, std::memory_order_release);
    return first_ + i;
  }
  const std::uint32_t i = used_.load(std::memory_order_relaxed);
  if (i == chunk_size * chunk_count) throw std::bad_alloc();
  if (i % chunk_size == 0) {
    owned_.push_back(std::make_unique<Chunk>());
    chunks_[i / chunk_size].store(owned_.back().get(), std::memory_order_release);
  }
  slot(i).store(pointer, std::memory_order_release);
  used_.store(i + 1, std::memory_order_release);
  return first_ + i;
}

std::uint32_t HandleTable::number(void* pointer) {
  const std::lock_guard lock(mutex_);
  if (!repeats_) return new_number(pointer);
  const auto [entry, is_new] = known_.try_emplace(pointer);
  if (is_new) entry->second = {new_number(pointer), 0};
  ++entry->second.times;
  return entry->second.number;
}

std::uint32_t HandleTable::known_number(void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto entry = known_.find(pointer);
  return entry != known_.end() ? entry->second.number : 0;
}

void HandleTable::release(std::uint32_t number) {
  void* const gone = pointer(number);
  if (gone == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (const auto entry = known_.find(gone); entry != known_.end()) {
    if (entry->second.times > 1) {
      --entry->second.times;
      return;
    }
    known_.erase(entry);
  }
  slot(number - first_).store(nullptr, std::memory_order_release);
  free_.push_back(number - first_);
}

}  // namespace orrery::abi::foreign
