// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

/// A function of the C library that this library has in its own way; src/abi/*/exports.map name each of them.
#define ORRERY_REPLACES extern "C" __attribute__((visibility("default")))

namespace orrery::mpi {

/// The function that is replaced.
template <class Function>
Function next_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace orrery::mpi
