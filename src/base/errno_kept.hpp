// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>

namespace orrery {

/// Leaves errno as it was: the program that calls sees nothing of system calls that were made on its way.
class ErrnoKept {
 public:
  ErrnoKept() = default;
  ~ErrnoKept() { errno = saved_; }
  ErrnoKept(const ErrnoKept&) = delete;
  ErrnoKept& operator=(const ErrnoKept&) = delete;

 private:
  int saved_ = errno;
};

}  // namespace orrery
