// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

#include "abi/handle.hpp"
#include "abi/tool.hpp"

/// Routines that are about the binary interface itself, or whose two forms differ by more than the width of numbers:
/// the table says "by hand" of them. They take the parameters of C; errors are thrown, as everywhere.
namespace orrery::abi::by_hand {

// Addresses (MPI-4.1, section 5.1.5).
void get_address(const void* location, MPI_Aint* address);
[[nodiscard]] MPI_Aint aint_add(MPI_Aint base, MPI_Aint displacement);
[[nodiscard]] MPI_Aint aint_diff(MPI_Aint address, MPI_Aint base);

// Memory (MPI-4.1, section 9.2).
void alloc_mem(MPI_Aint size, MPI_Info info, void* address);
void free_mem(void* address);

// Decoding (MPI-4.1, section 5.1.13). The int forms fail for types that only the large-count forms can decode.
void type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* datatypes, int* combiner);
void type_get_envelope(MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses, MPI_Count* large_counts,
                       MPI_Count* datatypes, int* combiner);
void type_get_contents(MPI_Datatype type, int max_integers, int max_addresses, int max_datatypes, int* integers,
                       MPI_Aint* addresses, MPI_Datatype* datatypes);
void type_get_contents(MPI_Datatype type, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts,
                       MPI_Count max_datatypes, int* integers, MPI_Aint* addresses, MPI_Count* large_counts,
                       MPI_Datatype* datatypes);

// Fields of statuses (MPI-4.1, section 3.2.5).
void status_get_source(const MPI_Status* status, int* source);
void status_get_tag(const MPI_Status* status, int* tag);
void status_get_error(const MPI_Status* status, int* error);
void status_set_source(MPI_Status* status, int source);
void status_set_tag(MPI_Status* status, int tag);
void status_set_error(MPI_Status* status, int error);

// Generalized requests (MPI-4.1, section 13.2): their functions see statuses of this interface.
void grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                    MPI_Grequest_cancel_function* cancel, void* extra_state, MPI_Request* request);

// Several requests looked at, none disposed of (MPI-4.1, section 3.7.6).
void request_get_status_all(int count, const MPI_Request* requests, int* flag, MPI_Status* statuses);
void request_get_status_any(int count, const MPI_Request* requests, int* index, int* flag, MPI_Status* status);
void request_get_status_some(int count, const MPI_Request* requests, int* out_count, int* indices,
                             MPI_Status* statuses);

void info_create_env(int argc, char** argv, MPI_Info* info);

// The binary interface (MPI-5.0, chapter 20).
void abi_get_version(int* major, int* minor);
void abi_get_info(MPI_Info* info);
void abi_get_fortran_info(MPI_Info* info);
void abi_set_fortran_info(MPI_Info info);
void abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, int* is_set);
void abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false);

/// MPI_Comm_toint and its like (MPI-5.0, chapter 20).
template <class C>
[[nodiscard]] int toint(C handle) {
  return handle_number(handle);
}
template <class C>
[[nodiscard]] C fromint(int number) {
  return handle_of_number<C>(number);
}

/// By hand because only the root's arrays may be looked at.
void comm_spawn_multiple(int count, char* commands[], char** argvs[], const int maxprocs[], const MPI_Info infos[],
                         int root, MPI_Comm comm, MPI_Comm* intercomm, int codes[]);

}  // namespace orrery::abi::by_hand
