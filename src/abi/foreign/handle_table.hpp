// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace orrery::abi::foreign {

/// Numbers for handles that are pointers in the standard interface and ints in another: those of one class.
///
/// A number is good until its handle is given back. Any thread may ask: look-ups take no lock, since a slot is written
/// before its number is known to anyone.
class HandleTable {
 public:
  /// @param first the number of the first handle; the others follow
  /// @param repeats whether the same pointer can be handed out again while its handle lives, as by
  /// MPI_Comm_get_errhandler: it then has the same number, which is good until it was given back as often.
  HandleTable(std::uint32_t first, bool repeats) : first_(first), repeats_(repeats) {}

  /// The number of a pointer that is handed out.
  [[nodiscard]] std::uint32_t number(void* pointer);
  /// The number of a pointer that has been handed out, for showing it to a callback; 0 if it has none.
  [[nodiscard]] std::uint32_t known_number(void* pointer);
  /// The pointer of a number; null for one that is not in use.
  [[nodiscard]] void* pointer(std::uint32_t number) const {
    const std::uint32_t i = number - first_;
    if (i >= used_.load(std::memory_order_acquire)) return nullptr;
    return (*chunks_[i / chunk_size].load(std::memory_order_acquire))[i % chunk_size].load(std::memory_order_acquire);
  }
  /// The program gives a handle back.
  void release(std::uint32_t number);

 private:
  static constexpr std::uint32_t chunk_size = 4096;
  static constexpr std::uint32_t chunk_count = 4096;
  using Chunk = std::array<std::atomic<void*>, chunk_size>;
  struct Known {
    std::uint32_t number;
    std::uint32_t times;  ///< handed out and not given back
  };

  std::uint32_t new_number(void* pointer);
  std::atomic<void*>& slot(std::uint32_t i) { return (*chunks_[i / chunk_size].load())[i % chunk_size]; }

  const std::uint32_t first_;
  const bool repeats_;
  std::mutex mutex_;
  std::atomic<std::uint32_t> used_{0};
  std::array<std::atomic<Chunk*>, chunk_count> chunks_{};
  std::vector<std::unique_ptr<Chunk>> owned_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<void*, Known> known_;
};

}  // namespace orrery::abi::foreign
