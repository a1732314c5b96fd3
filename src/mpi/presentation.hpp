// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How functions of the program are shown handles and error codes (attributes, operations, error handlers). The library
/// knows those of the standard interface; bindings of another one put their own translation here before MPI_Init.
namespace orrery::mpi {

struct Presentation {
  /// What a pointer to a handle points to, by the handle of the standard interface. An int lies in the lower half.
  void* (*handle)(void* standard) = [](void* standard) { return standard; };
  int (*code)(int standard) = [](int standard) { return standard; };  ///< an error code, shown
  int (*code_from)(int shown) = [](int shown) { return shown; };      ///< and one that the program returned
};

[[nodiscard]] inline Presentation& presentation() {
  static Presentation of_process;
  return of_process;
}

}  // namespace orrery::mpi
