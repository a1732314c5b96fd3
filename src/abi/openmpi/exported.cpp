// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <type_traits>

#include "abi/foreign/export.hpp"
#include "abi/foreign/handles.hpp"
#include "abi/foreign/statuses.hpp"
#include "abi/fortran/bounds.hpp"
#include "special.hpp"

/// Variables and functions that Open MPI's library has besides the standard's routines.
namespace orrery::abi::foreign {

namespace {

/// Numbers of handles for Fortran that mpif.h does not name, in the order of asking, above all that it does.
template <class Handle>
HandleTable& numbers() {
  constexpr std::uint32_t first = 0x100;
  static auto* const table = new HandleTable(first, true);
  return *table;
}

/// The number that mpif.h has for a handle; -1 for others.
template <class Class>
int predefined_number(const void* handle) {
  if (std::is_same_v<Class, MPI_Datatype> && handle == ompi_mpi_lb) return fortran::lower_bound;
  if (std::is_same_v<Class, MPI_Datatype> && handle == ompi_mpi_ub) return fortran::upper_bound;
  const std::uintptr_t standard = standard_of_symbol(reinterpret_cast<std::uintptr_t>(handle));
  return standard != 0 ? Predefined<Class>::fortran(standard) : -1;
}

template <class Class>
int number(void* handle) {
  if (const int predefined = predefined_number<Class>(handle); predefined >= 0) return predefined;
  const std::uint32_t known = numbers<Class>().known_number(handle);
  return static_cast<int>(known != 0 ? known : numbers<Class>().number(handle));
}

/// Null for a number that was never given.
template <class Class>
void* of_number(int number) {
  if (std::is_same_v<Class, MPI_Datatype> && number == fortran::lower_bound) return ompi_mpi_lb;
  if (std::is_same_v<Class, MPI_Datatype> && number == fortran::upper_bound) return ompi_mpi_ub;
  if (const std::uintptr_t standard = Predefined<Class>::standard_of_fortran(number)) {
    return reinterpret_cast<void*>(symbol_of_standard(standard));
  }
  return numbers<Class>().pointer(static_cast<std::uint32_t>(number));
}

constexpr std::size_t status_ints = sizeof(Status) / sizeof(int);

int copy_value(void* value, void* made, int* flag) {
  *static_cast<void**>(made) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

MPI_Fint* MPI_F_STATUS_IGNORE = nullptr;
MPI_Fint* MPI_F_STATUSES_IGNORE = nullptr;
char ompi_mpi_lb[512] = {};
char ompi_mpi_ub[512] = {};
char ompi_mpi_errors_throw_exceptions[1024] = {};

// The three classes of objects with attributes; handles are pointers in all.
#define ORRERY_ATTRIBUTE_FUNCTIONS(CLASS)                                                  \
  int OMPI_C_MPI_##CLASS##_DUP_FN(void*, int, void*, void* value, void* made, int* flag) { \
    return copy_value(value, made, flag);                                                  \
  }                                                                                        \
  int OMPI_C_MPI_##CLASS##_NULL_COPY_FN(void*, int, void*, void*, void*, int* flag) {      \
    *flag = 0;                                                                             \
    return MPI_SUCCESS;                                                                    \
  }                                                                                        \
  int OMPI_C_MPI_##CLASS##_NULL_DELETE_FN(void*, int, void*, void*) { return MPI_SUCCESS; }
ORRERY_ATTRIBUTE_FUNCTIONS(COMM)
ORRERY_ATTRIBUTE_FUNCTIONS(TYPE)
ORRERY_ATTRIBUTE_FUNCTIONS(WIN)
#undef ORRERY_ATTRIBUTE_FUNCTIONS

#define ORRERY_FORTRAN_NUMBERS(CLASS, STANDARD)                               \
  ORRERY_EXPORT(int, CLASS##_c2f, (void*));                                   \
  int export_##CLASS##_c2f(void* handle) { return number<STANDARD>(handle); } \
  ORRERY_EXPORT(void*, CLASS##_f2c, (int));                                   \
  void* export_##CLASS##_f2c(int number) { return of_number<STANDARD>(number); }
ORRERY_FORTRAN_NUMBERS(Comm, MPI_Comm)
ORRERY_FORTRAN_NUMBERS(Errhandler, MPI_Errhandler)
ORRERY_FORTRAN_NUMBERS(File, MPI_File)
ORRERY_FORTRAN_NUMBERS(Group, MPI_Group)
ORRERY_FORTRAN_NUMBERS(Info, MPI_Info)
ORRERY_FORTRAN_NUMBERS(Message, MPI_Message)
ORRERY_FORTRAN_NUMBERS(Op, MPI_Op)
ORRERY_FORTRAN_NUMBERS(Request, MPI_Request)
ORRERY_FORTRAN_NUMBERS(Session, MPI_Session)
ORRERY_FORTRAN_NUMBERS(Type, MPI_Datatype)
ORRERY_FORTRAN_NUMBERS(Win, MPI_Win)
#undef ORRERY_FORTRAN_NUMBERS

ORRERY_EXPORT(int, Status_c2f, (const Status*, int*));
int export_Status_c2f(const Status* status, int* fortran) {
  std::memcpy(fortran, status, status_ints * sizeof(int));
  return MPI_SUCCESS;
}

ORRERY_EXPORT(int, Status_f2c, (const int*, Status*));
int export_Status_f2c(const int* fortran, Status* status) {
  std::memcpy(status, fortran, status_ints * sizeof(int));
  return MPI_SUCCESS;
}
}
#pragma GCC visibility pop

}  // namespace orrery::abi::foreign
