// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/replaces.hpp"

#include <dlfcn.h>

#include "base/error.hpp"
#include "mpi/process/environment.hpp"

namespace orrery::mpi {
namespace {

/// Where the program or library that has an address begins; null: none has it.
const void* object_of(const void* address) {
  Dl_info object{};
  return dladdr(address, &object) == 0 ? nullptr : object.dli_fbase;
}

}  // namespace

bool is_own_function(const void* function) {
  return object_of(function) == object_of(reinterpret_cast<const void*>(&is_own_function));
}

void* function_behind(const char* name) {
  void* function = dlsym(RTLD_NEXT, name);
  if (function == nullptr) function = dlsym(RTLD_DEFAULT, name);
  if (function == nullptr || is_own_function(function)) {
    end_run(concat("orrery: the program called ", name, ", which the C library of this system does not have"), 1);
  }
  return function;
}

}  // namespace orrery::mpi
