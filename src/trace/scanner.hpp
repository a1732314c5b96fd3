// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace orrery::trace {

/// Reads numbers from bytes that nobody vouches for: what is not there reads as 0, and `failed` says so from then on.
/// The counterpart of bytes.h.
class Scanner {
 public:
  Scanner() = default;
  explicit Scanner(std::span<const std::byte> bytes)
      : at_(reinterpret_cast<const unsigned char*>(bytes.data())), end_(at_ + bytes.size()) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] const unsigned char* place() const { return at_; }

  std::uint8_t byte() {
    if (at_ == end_) return static_cast<std::uint8_t>(fail());
    return *at_++;
  }

  std::uint64_t number() {
    if (at_ != end_ && *at_ < 128) return *at_++;
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const std::uint64_t next = *at_++;
      value |= (next & 127) << shift;
      if (next < 128) return value;
    }
    return fail();
  }

  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }

  /// A number that must not be above `most`.
  std::uint64_t number_up_to(std::uint64_t most) {
    const std::uint64_t value = number();
    return value <= most ? value : fail();
  }

  /// Little-endian.
  template <class T>
  T fixed() {
    if (left() < sizeof(T)) return static_cast<T>(fail());
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<T>(at_[i]) << (8 * i));
    at_ += sizeof(T);
    return value;
  }

  double real() { return std::bit_cast<double>(fixed<std::uint64_t>()); }

  std::string_view text() {
    const std::uint64_t length = number();
    if (length > left()) fail();
    if (failed_) return {};
    const std::string_view found(reinterpret_cast<const char*>(at_), length);
    at_ += length;
    return found;
  }

  std::uint64_t fail() {
    failed_ = true;
    at_ = end_;
    return 0;
  }

 private:
  const unsigned char* at_ = nullptr;
  const unsigned char* end_ = nullptr;
  bool failed_ = false;
};

}  // namespace orrery::trace
