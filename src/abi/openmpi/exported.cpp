// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "abi/foreign/export.hpp"
#include "abi/foreign/handles.hpp"
#include "abi/foreign/statuses.hpp"
#include "special.hpp"

/// Variables and functions that Open MPI's library has besides the standard's routines.
namespace orrery::abi::foreign {

namespace {

/// Numbers of handles for Fortran, in the order of asking.
template <class Handle>
HandleTable& numbers() {
  static auto* const table = new HandleTable(1, true);
  return *table;
}

template <class Class>
int number(void* handle) {
  const std::uint32_t known = numbers<Class>().known_number(handle);
  return static_cast<int>(known != 0 ? known : numbers<Class>().number(handle));
}

template <class Class>
void* of_number(int number) {
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
