// SPDX-License-Identifier: BSD-3-Clause
#include "handle_numbers.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "handles.hpp"

namespace orrery::abi {

namespace {

/// Handles that have been asked for as ints. Threads may ask at once.
class HandleNumbers {
 public:
  int number(void* handle) {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = numbers_.try_emplace(handle, static_cast<int>(first_object + handles_.size()));
    if (is_new) handles_.push_back(handle);
    return entry->second;
  }

  void* handle(int number) {
    const std::lock_guard lock(mutex_);
    const auto i = static_cast<std::size_t>(number) - first_object;
    return i < handles_.size() ? handles_[i] : nullptr;
  }

 private:
  std::mutex mutex_;
  std::vector<void*> handles_;
  std::unordered_map<void*, int> numbers_;
};

HandleNumbers& handle_numbers() {
  static HandleNumbers numbers;
  return numbers;
}

}  // namespace

int handle_number(const void* handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < first_object ? static_cast<int>(value) : handle_numbers().number(const_cast<void*>(handle));
}

void* pointer_of_number(int number) {
  const bool is_predefined = number >= 0 && static_cast<std::uintptr_t>(number) < first_object;
  return is_predefined ? reinterpret_cast<void*>(static_cast<std::uintptr_t>(number)) : handle_numbers().handle(number);
}

}  // namespace orrery::abi
