// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace orrery::trace {

/// A file as memory, for reading. The system loads what is looked at, and may drop it again.
class Mapped {
 public:
  /// @throws InputError naming the file and why it cannot be read
  explicit Mapped(const std::string& path);
  Mapped(Mapped&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapped& operator=(Mapped&&) = delete;
  ~Mapped();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace orrery::trace
