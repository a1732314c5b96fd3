// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>

#include "abi/fortran/convert.hpp"

/// Routines about memory and texts whose parameters Fortran has in another form than C.
using namespace orrery::abi::fortran;

#pragma GCC visibility push(default)
extern "C" {

// --- info
// --------------------------------------------------------------------------------------------------------------

void pmpi_info_create_env_(int* info, int* ierror) {
  done(ierror, MPI_Info_create_env(0, nullptr, HandleOut<MPI_Info>(info)));
}
ORRERY_NAMES(info_create_env, (int* info, int* ierror));

/// C counts the final zero in `buflen`, Fortran has none (MPI-4.1, section 10).
void pmpi_info_get_string_(int* info, const char* key, int* buflen, char* value, Logical* flag, int* ierror,
                           std::size_t key_length, std::size_t value_length) {
  int length = *buflen > 0 ? *buflen + 1 : 0;
  {
    StringOut out(value, value_length, length);
    const int code = MPI_Info_get_string(from<MPI_Info>(*info), info_text(key, key_length).c_str(), &length,
                                         length > 0 ? static_cast<char*>(out) : nullptr, LogicalOut(flag));
    done(ierror, code);
  }
  if (*flag != 0) *buflen = std::max(length - 1, 0);
}
ORRERY_NAMES(info_get_string, (int* info, const char* key, int* buflen, char* value, Logical* flag, int* ierror,
                               std::size_t key_length, std::size_t value_length));

void pmpi_session_get_nth_pset_(int* session, int* info, int* n, int* pset_len, char* pset_name, int* ierror,
                                std::size_t name_length) {
  int length = *pset_len > 0 ? *pset_len + 1 : 0;
  StringOut out(pset_name, name_length, length);
  const int code = MPI_Session_get_nth_pset(from<MPI_Session>(*session), from<MPI_Info>(*info), *n, &length,
                                            length > 0 ? static_cast<char*>(out) : nullptr);
  if (code == MPI_SUCCESS) *pset_len = std::max(length - 1, 0);
  done(ierror, code);
}
ORRERY_NAMES(session_get_nth_pset,
             (int* session, int* info, int* n, int* pset_len, char* pset_name, int* ierror, std::size_t name_length));

// --- buffers of buffered sends: mpif.h and `mpi` are not told the address, which they could not use
// -------------------

void pmpi_buffer_detach_(void* /*buffer*/, int* size, int* ierror) {
  void* address = nullptr;
  done(ierror, MPI_Buffer_detach(&address, size));
}
ORRERY_NAME(pmpi_buffer_detach_) void mpi_buffer_detach_(void* buffer, int* size, int* ierror);

void pmpi_buffer_detach_f08_(void** buffer, int* size, int* ierror) { done(ierror, MPI_Buffer_detach(buffer, size)); }
ORRERY_NAME(pmpi_buffer_detach_f08_) void mpi_buffer_detach_f08_(void** buffer, int* size, int* ierror);

#define ORRERY_DETACH_BUFFER(name, C, Detach)                                                        \
  void pmpi_##name##_(int* handle, void* /*buffer*/, int* size, int* ierror) {                       \
    void* address = nullptr;                                                                         \
    done(ierror, Detach(from<C>(*handle), &address, size));                                          \
  }                                                                                                  \
  ORRERY_NAME(pmpi_##name##_) void mpi_##name##_(int* handle, void* buffer, int* size, int* ierror); \
  void pmpi_##name##_f08_(int* handle, void** buffer, int* size, int* ierror) {                      \
    done(ierror, Detach(from<C>(*handle), buffer, size));                                            \
  }                                                                                                  \
  ORRERY_NAME(pmpi_##name##_f08_) void mpi_##name##_f08_(int* handle, void** buffer, int* size, int* ierror);

ORRERY_DETACH_BUFFER(comm_detach_buffer, MPI_Comm, MPI_Comm_detach_buffer)
ORRERY_DETACH_BUFFER(session_detach_buffer, MPI_Session, MPI_Session_detach_buffer)

#if MPI_VERSION >= 4  // with which large counts came
void pmpi_buffer_detach_c_f08_(void** buffer, MPI_Count* size, int* ierror) {
  done(ierror, MPI_Buffer_detach_c(buffer, size));
}
ORRERY_NAME(pmpi_buffer_detach_c_f08_) void mpi_buffer_detach_c_f08_(void** buffer, MPI_Count* size, int* ierror);

#define ORRERY_DETACH_BUFFER_C(name, C, Detach)                                         \
  void pmpi_##name##_c_f08_(int* handle, void** buffer, MPI_Count* size, int* ierror) { \
    done(ierror, Detach(from<C>(*handle), buffer, size));                               \
  }                                                                                     \
  ORRERY_NAME(pmpi_##name##_c_f08_)                                                     \
  void mpi_##name##_c_f08_(int* handle, void** buffer, MPI_Count* size, int* ierror);

ORRERY_DETACH_BUFFER_C(comm_detach_buffer, MPI_Comm, MPI_Comm_detach_buffer_c)
ORRERY_DETACH_BUFFER_C(session_detach_buffer, MPI_Session, MPI_Session_detach_buffer_c)
#endif
}
#pragma GCC visibility pop
