// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstring>
#include <string_view>

#include "abi/fortran/convert.hpp"

/// What Open MPI's modules leave in its libraries, under the names that gfortran gives them: sizes of types, operators
/// and functions of mpi_f08, and what polymorphic variables (class(*)) need of its derived types.
namespace orrery::abi::fortran {

namespace {

/// How gfortran describes a derived type to polymorphic variables.
struct TypeTable {
  unsigned hash;
  std::int64_t size;
  const void* extends;
  const void* initial;
  void (*copy)(const void* from, void* to);
  void (*finalize)(void*);
  void (*deallocate)(void*);
};

/// gfortran's number of a derived type.
constexpr unsigned hash(std::string_view module, std::string_view type) {
  unsigned sum = 0;
  const auto add = [&](std::string_view text) {
    for (const char c : text) sum = (sum << 6) + (sum << 16) - sum + static_cast<unsigned char>(c);
  };
  add(module);
  add("_");
  add(type);
  return sum % 100'000'000;
}
static_assert(hash("mpi_f08_types", "Mpi_status") == 3'872'507);  // as in Open MPI's library

}  // namespace

}  // namespace orrery::abi::fortran

using namespace orrery::abi::fortran;

#pragma GCC visibility push(default)
extern "C" {

// --- MPI_Sizeof
// --------------------------------------------------------------------------------------------------------

#define ORRERY_SIZEOF_RANK(type, bytes, rank)                                \
  void pmpi_sizeof_##type##_##rank##_(const void*, int* size, int* ierror) { \
    *size = bytes;                                                           \
    done(ierror, MPI_SUCCESS);                                               \
  }                                                                          \
  ORRERY_NAME(pmpi_sizeof_##type##_##rank##_)                                \
  void mpi_sizeof_##type##_##rank##_(const void* variable, int* size, int* ierror);

#define ORRERY_SIZEOF(type, bytes)        \
  ORRERY_SIZEOF_RANK(type, bytes, scalar) \
  ORRERY_SIZEOF_RANK(type, bytes, r1)     \
  ORRERY_SIZEOF_RANK(type, bytes, r2)     \
  ORRERY_SIZEOF_RANK(type, bytes, r3)     \
  ORRERY_SIZEOF_RANK(type, bytes, r4)     \
  ORRERY_SIZEOF_RANK(type, bytes, r5)     \
  ORRERY_SIZEOF_RANK(type, bytes, r6)     \
  ORRERY_SIZEOF_RANK(type, bytes, r7)     \
  ORRERY_SIZEOF_RANK(type, bytes, r8)     \
  ORRERY_SIZEOF_RANK(type, bytes, r9)     \
  ORRERY_SIZEOF_RANK(type, bytes, r10)    \
  ORRERY_SIZEOF_RANK(type, bytes, r11)    \
  ORRERY_SIZEOF_RANK(type, bytes, r12)    \
  ORRERY_SIZEOF_RANK(type, bytes, r13)    \
  ORRERY_SIZEOF_RANK(type, bytes, r14)    \
  ORRERY_SIZEOF_RANK(type, bytes, r15)

ORRERY_SIZEOF(character, 1)
ORRERY_SIZEOF(logical, 4)
ORRERY_SIZEOF(int8, 1)
ORRERY_SIZEOF(int16, 2)
ORRERY_SIZEOF(int32, 4)
ORRERY_SIZEOF(int64, 8)
ORRERY_SIZEOF(real32, 4)
ORRERY_SIZEOF(real64, 8)
ORRERY_SIZEOF(real128, 16)
ORRERY_SIZEOF(complex32, 8)
ORRERY_SIZEOF(complex64, 16)
ORRERY_SIZEOF(complex128, 32)

// --- mpi_f08: derived types
// ------------------------------------------------------------------------------------------

#define ORRERY_DERIVED_TYPE(name, C)                                                                                 \
  extern const C __mpi_f08_types_MOD___def_init_mpi_f08_types_##name;                                                \
  const C __mpi_f08_types_MOD___def_init_mpi_f08_types_##name{};                                                     \
  void __mpi_f08_types_MOD___copy_mpi_f08_types_##name(const void* from, void* to) {                                 \
    std::memcpy(to, from, sizeof(C));                                                                                \
  }                                                                                                                  \
  extern TypeTable __mpi_f08_types_MOD___vtab_mpi_f08_types_##name;                                                  \
  TypeTable __mpi_f08_types_MOD___vtab_mpi_f08_types_##name = {hash("mpi_f08_types", #name),                         \
                                                               sizeof(C),                                            \
                                                               nullptr,                                              \
                                                               &__mpi_f08_types_MOD___def_init_mpi_f08_types_##name, \
                                                               __mpi_f08_types_MOD___copy_mpi_f08_types_##name,      \
                                                               nullptr,                                              \
                                                               nullptr};

#define ORRERY_DERIVED_HANDLE(name, type)                                                                  \
  ORRERY_DERIVED_TYPE(type, int)                                                                           \
  Logical __mpi_f08_types_MOD_ompi_##name##_op_eq(const int* a, const int* b) { return *a == *b ? 1 : 0; } \
  Logical __mpi_f08_types_MOD_ompi_##name##_op_ne(const int* a, const int* b) { return *a != *b ? 1 : 0; }

ORRERY_DERIVED_TYPE(Mpi_status, MPI_Status)
ORRERY_DERIVED_HANDLE(comm, Mpi_comm)
ORRERY_DERIVED_HANDLE(datatype, Mpi_datatype)
ORRERY_DERIVED_HANDLE(errhandler, Mpi_errhandler)
ORRERY_DERIVED_HANDLE(file, Mpi_file)
ORRERY_DERIVED_HANDLE(group, Mpi_group)
ORRERY_DERIVED_HANDLE(info, Mpi_info)
ORRERY_DERIVED_HANDLE(message, Mpi_message)
ORRERY_DERIVED_HANDLE(op, Mpi_op)
ORRERY_DERIVED_HANDLE(request, Mpi_request)
ORRERY_DERIVED_HANDLE(win, Mpi_win)
}
#pragma GCC visibility pop
