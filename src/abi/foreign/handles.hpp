// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "abi/foreign/handle_table.hpp"
#include "foreign_values.hpp"

/// Handles of another interface as those of the standard one, and back. What goes out is written when the converter is
/// destroyed, at the end of the call.
namespace orrery::abi::foreign {

/// Below this, values of the standard interface's handles are predefined.
inline constexpr std::uintptr_t first_object = 0x1000;

template <class Standard>
using ForeignOf = typename Predefined<Standard>::C;

/// Requests and messages are handed out once.
template <class Standard>
inline constexpr bool repeats = true;
template <>
inline constexpr bool repeats<MPI_Request> = false;
template <>
inline constexpr bool repeats<MPI_Message> = false;

template <class Standard>
HandleTable& handle_table() {
  static auto* const table = new HandleTable(Predefined<Standard>::first, repeats<Standard>);  // outlives all
  return *table;
}

template <class Standard>
Standard standard_value(std::uintptr_t value) {
  return reinterpret_cast<Standard>(value);
}

/// @return a handle that no object has for a value that is none
template <class Standard>
[[nodiscard]] Standard handle_in(ForeignOf<Standard> handle) {
  constexpr std::uintptr_t no_handle = 1;
  using Known = Predefined<Standard>;
  if constexpr (Known::is_pointer) {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    const std::uintptr_t predefined = Known::standard(value);
    return standard_value<Standard>(predefined != 0 ? predefined : value);
  } else {
    const auto value = static_cast<std::uint32_t>(handle);
    if (value >= Known::first) {
      if (void* const pointer = handle_table<Standard>().pointer(value)) return static_cast<Standard>(pointer);
    }
    const std::uintptr_t predefined = Known::standard(value);
    return standard_value<Standard>(predefined != 0 ? predefined : no_handle);
  }
}

template <class Standard>
[[nodiscard]] ForeignOf<Standard> handle_out(Standard handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  using Known = Predefined<Standard>;
  if constexpr (Known::is_pointer) {
    if (value >= first_object) return reinterpret_cast<ForeignOf<Standard>>(value);
    return reinterpret_cast<ForeignOf<Standard>>(static_cast<std::uintptr_t>(Known::foreign(value)));
  } else {
    if (value >= first_object) return static_cast<int>(handle_table<Standard>().number(handle));
    return static_cast<int>(Known::foreign(value));
  }
}

/// The program has given a handle back.
template <class Standard>
void forget(ForeignOf<Standard> handle) {
  if constexpr (!Predefined<Standard>::is_pointer) {
    handle_table<Standard>().release(static_cast<std::uint32_t>(handle));
  }
}

/// A handle that the routine makes; left alone when it fails before it comes so far.
template <class Standard>
class HandleOut {
 public:
  explicit HandleOut(ForeignOf<Standard>* out) : out_(out), local_(untouched()) {}
  HandleOut(const HandleOut&) = delete;
  HandleOut& operator=(const HandleOut&) = delete;
  ~HandleOut() {
    if (out_ != nullptr && local_ != untouched()) *out_ = handle_out(local_);
  }
  operator Standard*() { return out_ != nullptr ? &local_ : nullptr; }

 private:
  static Standard untouched() { return standard_value<Standard>(2); }
  ForeignOf<Standard>* out_;
  Standard local_;
};

/// A handle that the routine may change or dispose of.
template <class Standard>
class HandleInOut {
 public:
  explicit HandleInOut(ForeignOf<Standard>* handle)
      : handle_(handle), before_(handle != nullptr ? handle_in<Standard>(*handle) : Standard{}), local_(before_) {}
  HandleInOut(const HandleInOut&) = delete;
  HandleInOut& operator=(const HandleInOut&) = delete;
  ~HandleInOut() { finish(handle_, before_, local_); }
  operator Standard*() { return handle_ != nullptr ? &local_ : nullptr; }

  static void finish(ForeignOf<Standard>* handle, Standard before, Standard after) {
    if (handle == nullptr || before == after) return;
    forget<Standard>(*handle);
    *handle = handle_out(after);
  }

 private:
  ForeignOf<Standard>* handle_;
  Standard before_;
  Standard local_;
};

/// Room for `length` handles, without allocation when they are few.
template <class Standard, std::size_t few = 32>
class HandleArray {
 public:
  explicit HandleArray(std::int64_t length) : length_(length > 0 ? static_cast<std::size_t>(length) : 0) {
    if (length_ > few) many_.resize(length_);
  }
  [[nodiscard]] std::size_t size() const { return length_; }
  [[nodiscard]] Standard* data() { return length_ > few ? many_.data() : few_.data(); }
  [[nodiscard]] Standard& operator[](std::size_t i) { return data()[i]; }

 private:
  std::size_t length_;
  std::array<Standard, few> few_;
  std::vector<Standard> many_;
};

template <class Standard>
class HandlesIn {
 public:
  HandlesIn(const ForeignOf<Standard>* handles, std::int64_t length)
      : given_(handles != nullptr), array_(given_ ? length : 0) {
    for (std::size_t i = 0; i < array_.size(); ++i) array_[i] = handle_in<Standard>(handles[i]);
  }
  operator const Standard*() { return given_ ? array_.data() : nullptr; }

 private:
  bool given_;
  HandleArray<Standard> array_;
};

template <class Standard>
class HandlesInOut {
 public:
  HandlesInOut(ForeignOf<Standard>* handles, std::int64_t length)
      : handles_(handles), before_(handles != nullptr ? length : 0), array_(handles != nullptr ? length : 0) {
    for (std::size_t i = 0; i < array_.size(); ++i) array_[i] = before_[i] = handle_in<Standard>(handles[i]);
  }
  HandlesInOut(const HandlesInOut&) = delete;
  HandlesInOut& operator=(const HandlesInOut&) = delete;
  ~HandlesInOut() {
    for (std::size_t i = 0; i < array_.size(); ++i) {
      HandleInOut<Standard>::finish(&handles_[i], before_[i], array_[i]);
    }
  }
  operator Standard*() { return handles_ != nullptr ? array_.data() : nullptr; }

 private:
  ForeignOf<Standard>* handles_;
  HandleArray<Standard> before_;
  HandleArray<Standard> array_;
};

/// Handles that the routine makes, perhaps fewer than there is room for.
template <class Standard>
class HandlesOut {
 public:
  HandlesOut(ForeignOf<Standard>* handles, std::int64_t length)
      : handles_(handles), array_(handles != nullptr ? length : 0) {
    for (std::size_t i = 0; i < array_.size(); ++i) array_[i] = Standard{};
  }
  HandlesOut(const HandlesOut&) = delete;
  HandlesOut& operator=(const HandlesOut&) = delete;
  ~HandlesOut() {
    for (std::size_t i = 0; i < array_.size(); ++i) {
      if (array_[i] != Standard{}) handles_[i] = handle_out(array_[i]);
    }
  }
  operator Standard*() { return handles_ != nullptr ? array_.data() : nullptr; }

 private:
  ForeignOf<Standard>* handles_;
  HandleArray<Standard> array_;
};

}  // namespace orrery::abi::foreign
