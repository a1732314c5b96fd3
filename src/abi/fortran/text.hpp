// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

/// CHARACTER of Fortran: padded with blanks to a length that is passed besides; C's ends with a zero.
namespace orrery::abi::fortran {

/// Without the blanks that pad it.
[[nodiscard]] inline std::string_view without_padding(const char* text, std::size_t length) {
  while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\0')) --length;
  return {text, length};
}

/// A text that goes in.
class StringIn {
 public:
  StringIn(const char* text, std::size_t length) : text_(without_padding(text, length)) {}
  operator const char*() const { return text_.c_str(); }

 private:
  std::string text_;
};

/// Keys and values of an info: blanks in front do not count either (MPI-4.1, chapter 10).
[[nodiscard]] inline std::string info_text(const char* text, std::size_t length) {
  const std::string_view padded = without_padding(text, length);
  return std::string(padded.substr(std::min(padded.find_first_not_of(' '), padded.size())));
}

/// Copies a text of C into one of Fortran, cut or padded with blanks.
inline void copy_text(std::string_view from, char* to, std::size_t length) {
  const std::size_t copied = std::min(from.size(), length);
  std::memcpy(to, from.data(), copied);
  std::memset(to + copied, ' ', length - copied);
}

/// A text that goes out, of at most `capacity` characters with the zero; left alone if the call writes none.
class StringOut {
 public:
  StringOut(char* text, std::size_t length, long capacity)
      : out_(text), length_(length), text_(static_cast<std::size_t>(std::max(capacity, 0L)) + 1, untouched) {}
  StringOut(const StringOut&) = delete;
  StringOut& operator=(const StringOut&) = delete;
  ~StringOut() {
    if (text_.front() == untouched) return;
    text_.back() = '\0';
    copy_text(text_.data(), out_, length_);
  }
  operator char*() { return text_.data(); }

 private:
  static constexpr char untouched = '\1';
  char* out_;
  std::size_t length_;
  std::vector<char> text_;
};

}  // namespace orrery::abi::fortran
