// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/attribute_values.hpp"

#include <map>
#include <mutex>
#include <unordered_set>

#include "abi/fortran/handles.hpp"

namespace orrery::abi::fortran {

namespace {

struct Values {
  std::mutex mutex;
  std::map<MPI_Aint, MPI_Aint> by_value;  ///< its elements stay where they are
  std::unordered_set<const void*> addresses;
};

Values& values() {
  static Values& values = *new Values;  // attributes are deleted as late as MPI_Finalize
  return values;
}

}  // namespace

void* cached(MPI_Aint value) {
  const std::lock_guard lock(values().mutex);
  MPI_Aint& constant = values().by_value.try_emplace(value, value).first->second;
  values().addresses.insert(&constant);
  return &constant;
}

bool is_fortrans(const void* cached) {
  const std::lock_guard lock(values().mutex);
  return values().addresses.contains(cached);
}

MPI_Aint seen(const void* cached) {
  return is_fortrans(cached) ? *static_cast<const MPI_Aint*>(cached) : reinterpret_cast<MPI_Aint>(cached);
}

MPI_Aint seen(int keyval, const void* cached) {
  switch (key_of_c(keyval)) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL: return *static_cast<const int*>(cached);
    case MPI_WIN_SIZE: return *static_cast<const MPI_Aint*>(cached);
    default: return seen(cached);
  }
}

}  // namespace orrery::abi::fortran
