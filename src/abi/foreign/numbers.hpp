// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "foreign_values.hpp"

/// Numbers, addresses and texts of another interface as those of the standard one, and back.
namespace orrery::abi::foreign {

/// What a routine returns.
[[nodiscard]] inline int code(int standard) {
  return standard == MPI_SUCCESS ? standard : static_cast<int>(category::error::foreign(standard));
}

/// A number that the routine sets, or reads and sets.
template <class Category, class Number>
class NumberOut {
 public:
  explicit NumberOut(Number* number)
      : number_(number),
        before_(number != nullptr ? static_cast<Number>(Category::standard(*number)) : 0),
        local_(before_) {}
  NumberOut(const NumberOut&) = delete;
  NumberOut& operator=(const NumberOut&) = delete;
  ~NumberOut() {
    // A number that was left alone may be none of the category.
    if (number_ != nullptr && local_ != before_) *number_ = static_cast<Number>(Category::foreign(local_));
  }
  operator Number*() { return number_ != nullptr ? &local_ : nullptr; }

 private:
  Number* number_;
  Number before_;
  Number local_;
};

/// A number that the routine sets, whose type is the standard's own and an int elsewhere.
template <class Category, class Enumeration>
class EnumerationOut {
 public:
  explicit EnumerationOut(int* number) : number_(number) {}
  EnumerationOut(const EnumerationOut&) = delete;
  EnumerationOut& operator=(const EnumerationOut&) = delete;
  ~EnumerationOut() {
    if (number_ != nullptr) *number_ = static_cast<int>(Category::foreign(local_));
  }
  operator Enumeration*() { return number_ != nullptr ? &local_ : nullptr; }

 private:
  int* number_;
  Enumeration local_{};
};

template <class Category>
class NumbersIn {
 public:
  NumbersIn(const int* numbers, std::int64_t length) : given_(numbers != nullptr) {
    if (!given_ || length <= 0) return;
    numbers_.assign(numbers, numbers + length);
    for (int& number : numbers_) number = static_cast<int>(Category::standard(number));
  }
  operator const int*() const { return given_ ? numbers_.data() : nullptr; }

 private:
  bool given_;
  std::vector<int> numbers_;
};

template <class Category>
class NumbersOut {
 public:
  NumbersOut(int* numbers, std::int64_t length) : numbers_(numbers), length_(std::max<std::int64_t>(length, 0)) {}
  NumbersOut(const NumbersOut&) = delete;
  NumbersOut& operator=(const NumbersOut&) = delete;
  ~NumbersOut() {
    for (std::int64_t i = 0; numbers_ != nullptr && i < length_; ++i) {
      numbers_[i] = static_cast<int>(Category::foreign(numbers_[i]));
    }
  }
  operator int*() { return numbers_; }

 private:
  int* numbers_;
  std::int64_t length_;
};

/// A buffer: MPI_IN_PLACE and MPI_BUFFER_AUTOMATIC have other values.
[[nodiscard]] inline const void* address(const void* buffer) {
  if (buffer == reinterpret_cast<void*>(in_place)) return MPI_IN_PLACE;
  if (buffer == reinterpret_cast<void*>(buffer_automatic)) return MPI_BUFFER_AUTOMATIC;
  return buffer;
}
[[nodiscard]] inline void* address(void* buffer) {
  return const_cast<void*>(address(static_cast<const void*>(buffer)));
}

/// Where a routine puts the address of a buffer that was attached, which may be MPI_BUFFER_AUTOMATIC.
class BufferOut {
 public:
  explicit BufferOut(void* place) : place_(static_cast<void**>(place)) {}
  BufferOut(const BufferOut&) = delete;
  BufferOut& operator=(const BufferOut&) = delete;
  ~BufferOut() {
    if (buffer_ == untouched || place_ == nullptr) return;
    *place_ = buffer_ == MPI_BUFFER_AUTOMATIC ? reinterpret_cast<void*>(buffer_automatic) : buffer_;
  }
  operator void*() { return place_ != nullptr ? &buffer_ : nullptr; }

 private:
  /// An address that no buffer has: after an error the place is left alone.
  inline static void* const untouched = reinterpret_cast<void*>(-1);

  void** place_;
  void* buffer_ = untouched;
};

/// A text that the standard gives more room than this interface: what does not fit is cut off.
template <int room, int standard_room>
class TextOut {
 public:
  static_assert(room <= standard_room);
  explicit TextOut(char* text) : text_(text) {}
  TextOut(const TextOut&) = delete;
  TextOut& operator=(const TextOut&) = delete;
  ~TextOut() {
    if (text_ == nullptr || local_[0] == '\0') return;
    const std::size_t length = std::min(std::strlen(local_), std::size_t{room - 1});
    std::memcpy(text_, local_, length);
    text_[length] = '\0';
  }
  operator char*() { return text_ != nullptr ? local_ : nullptr; }

 private:
  char* text_;
  char local_[standard_room] = "";
};

/// The length of such a text.
template <int room>
class LengthOut {
 public:
  explicit LengthOut(int* length) : length_(length) {}
  LengthOut(const LengthOut&) = delete;
  LengthOut& operator=(const LengthOut&) = delete;
  ~LengthOut() {
    if (length_ != nullptr && *length_ >= room) *length_ = room - 1;
  }
  operator int*() { return length_; }

 private:
  int* length_;
};

}  // namespace orrery::abi::foreign
