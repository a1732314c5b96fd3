// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "kernel/index.hpp"

namespace orrery::kernel {

/// Objects by index, reused, at addresses that never move. Allocates only when more are alive than ever before.
template <class T>
class Pool {
 public:
  [[nodiscard]] Index<T> take() {
    if (free_.empty()) grow();
    const Index<T> index = free_.back();
    free_.pop_back();
    T& object = (*this)[index];
    if constexpr (requires { object.reset(); }) {
      object.reset();  // keeps the memory that the object owns
    } else if constexpr (std::is_trivially_destructible_v<T>) {
      ::new (static_cast<void*>(&object)) T;  // in its place: assigned, it would be made elsewhere and copied
    } else {
      object = T{};
    }
    return index;
  }
  void give_back(Index<T> index) { free_.push_back(index); }

  [[nodiscard]] T& operator[](Index<T> index) { return chunks_[index.value / chunk_size][index.value % chunk_size]; }
  [[nodiscard]] const T& operator[](Index<T> index) const {
    return chunks_[index.value / chunk_size][index.value % chunk_size];
  }
  [[nodiscard]] std::size_t alive() const { return chunks_.size() * chunk_size - free_.size(); }

 private:
  static constexpr std::size_t chunk_size = 256;

  void grow() {
    const auto first = static_cast<std::uint32_t>(chunks_.size() * chunk_size);
    chunks_.push_back(std::make_unique<T[]>(chunk_size));
    free_.reserve(chunks_.size() * chunk_size);
    for (std::uint32_t i = chunk_size; i-- > 0;) free_.emplace_back(first + i);
  }

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<Index<T>> free_;
};

}  // namespace orrery::kernel
