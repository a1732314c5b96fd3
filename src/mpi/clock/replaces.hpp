// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A function of the C library that this library has in its own way; src/mpi/replaced.toml names each of them.
#define ORRERY_REPLACES extern "C" __attribute__((visibility("default")))

namespace orrery::mpi {

/// The function of this name that comes after this library; where nothing comes next, the first of all. (Where the
/// library is not preloaded, because the program was not started by orrery, it may stand behind the C library.)
/// A function that only this library has ends the run, with a line that names it: calling it would never return.
[[nodiscard]] void* function_behind(const char* name);

/// Whether a function lies in this library.
[[nodiscard]] bool is_own_function(const void* function);

/// The function that is replaced.
template <class Function>
Function next_function(const char* name) {
  return reinterpret_cast<Function>(function_behind(name));
}

/// Whether the program has passed null. Declarations of the C library promise for some arguments that nobody does;
/// compilers then leave out an ordinary comparison, but programs do, and get an error.
[[nodiscard]] inline bool is_null(const void* pointer) {
  __asm__("" : "+r"(pointer));
  return pointer == nullptr;
}

}  // namespace orrery::mpi
