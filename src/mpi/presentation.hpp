// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How functions of the program are shown handles and error codes (attributes, operations, error handlers). The library
/// knows those of the standard interface; bindings of another one bring their own translation. One process may use
/// several interfaces, so each function remembers that of the routine by which the program handed it over.
namespace orrery::mpi {

struct Presentation {
  /// What a pointer to a handle points to, by the handle of the standard interface. An int lies in the lower half.
  void* (*handle)(void* standard) = [](void* standard) { return standard; };
  int (*code)(int standard) = [](int standard) { return standard; };  ///< an error code, shown
  int (*code_from)(int shown) = [](int shown) { return shown; };      ///< and one that the program returned
};

/// The one of the interface whose routine the calling thread is in; it lives as long as the process.
[[nodiscard, gnu::visibility("default")]] const Presentation& presentation();

/// As long as it lives, functions that the calling thread hands over are shown things by `other`.
class [[gnu::visibility("default")]] Presenting {
 public:
  explicit Presenting(const Presentation& other);
  ~Presenting();
  Presenting(const Presenting&) = delete;
  Presenting& operator=(const Presenting&) = delete;

 private:
  const Presentation* before_;
};

}  // namespace orrery::mpi
