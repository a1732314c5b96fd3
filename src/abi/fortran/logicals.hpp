// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// LOGICAL of Fortran: .FALSE. is 0, .TRUE. is 1 (GNU and LLVM) or -1 (Intel, which looks at the lowest bit of what it
/// gets): what is not 0 is true, and 1 is true for all.
namespace orrery::abi::fortran {

using Logical = int;

[[nodiscard]] inline int truth(Logical value) { return value != 0 ? 1 : 0; }

/// A flag that goes out; left alone if the call does not set it.
class LogicalOut {
 public:
  explicit LogicalOut(Logical* value) : out_(*value), flag_(*value) {}
  LogicalOut(const LogicalOut&) = delete;
  LogicalOut& operator=(const LogicalOut&) = delete;
  ~LogicalOut() { out_ = truth(flag_); }
  operator int*() { return &flag_; }

 private:
  Logical& out_;
  int flag_;
};

/// Flags that go in.
class LogicalsIn {
 public:
  LogicalsIn(const Logical* values, std::int64_t length) : flags_(length > 0 ? static_cast<std::size_t>(length) : 0) {
    for (std::size_t i = 0; i < flags_.size(); ++i) flags_[i] = truth(values[i]);
  }
  operator int*() { return flags_.data(); }

 protected:
  std::vector<int> flags_;
};

/// Flags that go out, perhaps not to the end of the array.
class LogicalsOut : public LogicalsIn {
 public:
  LogicalsOut(Logical* values, std::int64_t length) : LogicalsIn(values, length), out_(values) {}
  LogicalsOut(const LogicalsOut&) = delete;
  LogicalsOut& operator=(const LogicalsOut&) = delete;
  ~LogicalsOut() {
    for (std::size_t i = 0; i < flags_.size(); ++i) out_[i] = truth(flags_[i]);
  }

 private:
  Logical* out_;
};

}  // namespace orrery::abi::fortran
