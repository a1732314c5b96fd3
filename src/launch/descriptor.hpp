// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <utility>

namespace orrery::launch {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }

  void reset() {
    if (number_ >= 0) close(std::exchange(number_, -1));
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// Two connected descriptors: the near end stays here, the far end goes to a child.
struct Pair {
  Descriptor near, far;
};

/// A pipe from children to here; the near end does not block. Both are closed by exec, and neither is 0, 1 or 2.
/// @throws InputError when no more files may be opened
[[nodiscard]] Pair make_pipe();

/// A socket on which children send records to here; the near end does not block. As `make_pipe`.
[[nodiscard]] Pair make_record_socket();

/// An event that threads wait for with poll: becomes readable when `raise` is called and stays so until `lower`.
class Event {
 public:
  Event();
  void raise() const;
  void lower() const;
  [[nodiscard]] int number() const { return descriptor_.number(); }

 private:
  Descriptor descriptor_;
};

/// Lets this process have `more` open files in addition to those that it has.
/// @throws InputError when the hard limit does not allow it; `why` is the user's word for what needs them
void allow_open_files(std::size_t more, const char* why);

/// One more than the largest descriptor in use.
[[nodiscard]] int first_unused_descriptor();

}  // namespace orrery::launch
