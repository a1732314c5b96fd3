// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

/// A function of the C library that this library has in its own way; src/abi/exports.map names each of them.
#define ORRERY_REPLACES extern "C" __attribute__((visibility("default")))

namespace orrery::mpi {

/// The function that is replaced. Where this library is not preloaded (the program was not started by orrery) it may
/// stand behind the C library: then nothing comes next, and what is found first is the right one.
template <class Function>
Function next_function(const char* name) {
  void* function = dlsym(RTLD_NEXT, name);
  if (function == nullptr) function = dlsym(RTLD_DEFAULT, name);
  return reinterpret_cast<Function>(function);
}

}  // namespace orrery::mpi
