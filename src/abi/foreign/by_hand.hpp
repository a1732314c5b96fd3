// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "foreign_values.hpp"

/// Routines of another interface that take more than a translation of each argument. They return its error codes.
namespace orrery::abi::foreign {

using Function = void();

namespace by_hand {

int get_version(int* version, int* subversion);
int get_library_version(char* version, int* resultlen);

// Values of predefined attributes are addresses of numbers.
int comm_get_attr(Comm comm, int keyval, void* value, int* flag);
int win_get_attr(Win win, int keyval, void* value, int* flag);
int attr_get(Comm comm, int keyval, void* value, int* flag);

// Error codes that the standard has no name for.
int error_class(int errorcode, int* errorclass);
int error_string(int errorcode, char* string, int* resultlen);

// What was given to a constructor has numbers among the counts.
int type_get_contents(Datatype type, int max_integers, int max_addresses, int max_datatypes, int* integers,
                      MPI_Aint* addresses, Datatype* datatypes);
int type_get_contents_c(Datatype type, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts,
                        MPI_Count max_datatypes, int* integers, MPI_Aint* addresses, MPI_Count* large_counts,
                        Datatype* datatypes);

// Functions of the program that are given statuses or datatypes.
int grequest_start(Function* query, Function* free, Function* cancel, void* extra_state, Request* request);
int register_datarep(const char* name, Function* read, Function* write, Function* extent, void* extra_state);
int register_datarep_c(const char* name, Function* read, Function* write, Function* extent, void* extra_state);

}  // namespace by_hand
}  // namespace orrery::abi::foreign
