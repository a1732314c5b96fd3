// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/convert.hpp"

/// Generalised requests and data representations: their functions get the extra state of the program by reference.
namespace orrery::abi::fortran {

namespace {

struct Grequest {
  void (*query)(MPI_Aint* extra, MPI_Status* status, int* ierror);
  void (*free)(MPI_Aint* extra, int* ierror);
  void (*cancel)(MPI_Aint* extra, Logical* complete, int* ierror);
  MPI_Aint* extra;  ///< the variable that the program gave: its functions may write to it, as with other libraries
};

int query(void* state, MPI_Status* status) {
  auto& request = *static_cast<Grequest*>(state);
  int code = MPI_SUCCESS;
  request.query(request.extra, status, &code);
  return code;
}

/// The last that is called for a request.
int free_request(void* state) {
  auto* request = static_cast<Grequest*>(state);
  int code = MPI_SUCCESS;
  request->free(request->extra, &code);
  delete request;
  return code;
}

int cancel(void* state, int complete) {
  auto& request = *static_cast<Grequest*>(state);
  int code = MPI_SUCCESS;
  Logical flag = truth(complete);
  request.cancel(request.extra, &flag, &code);
  return code;
}

/// Lives as long as the program: a representation cannot be given back.
template <class Count>
struct Representation {
  using Convert = void (*)(void* user, int* type, Count* count, void* file, MPI_Offset* position, MPI_Aint* extra,
                           int* ierror);
  Convert read;
  Convert write;
  void (*extent)(int* type, MPI_Aint* extent, MPI_Aint* extra, int* ierror);
  MPI_Aint extra;

  int call(Convert convert, void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position) {
    int number = number_of(type);
    int code = MPI_SUCCESS;
    convert(user, &number, &count, file, &position, &extra, &code);
    return code;
  }
};

template <class Count>
int read(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* state) {
  auto& representation = *static_cast<Representation<Count>*>(state);
  return representation.call(representation.read, user, type, count, file, position);
}

template <class Count>
int write(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* state) {
  auto& representation = *static_cast<Representation<Count>*>(state);
  return representation.call(representation.write, user, type, count, file, position);
}

template <class Count>
int extent(MPI_Datatype type, MPI_Aint* extent, void* state) {
  auto& representation = *static_cast<Representation<Count>*>(state);
  int number = number_of(type);
  int code = MPI_SUCCESS;
  representation.extent(&number, extent, &representation.extra, &code);
  return code;
}

}  // namespace

}  // namespace orrery::abi::fortran

using namespace orrery::abi::fortran;

#pragma GCC visibility push(default)
extern "C" {

void pmpi_grequest_start_(Function* query_fn, Function* free_fn, Function* cancel_fn, MPI_Aint* extra, int* request,
                          int* ierror) {
  auto* state = new Grequest{reinterpret_cast<decltype(Grequest::query)>(query_fn),
                             reinterpret_cast<decltype(Grequest::free)>(free_fn),
                             reinterpret_cast<decltype(Grequest::cancel)>(cancel_fn), extra};
  done(ierror, MPI_Grequest_start(query, free_request, cancel, state, HandleOut<MPI_Request>(request)));
}
ORRERY_NAMES(grequest_start,
             (Function * query_fn, Function* free_fn, Function* cancel_fn, MPI_Aint* extra, int* request, int* ierror));

/// "No conversion", for its address: nobody calls it.
void mpi_conversion_fn_null_() {}
void mpi_conversion_fn_null_c_() {}

#define ORRERY_DATAREP_PARAMETERS                                                                                 \
  (const char* datarep, Function* read_fn, Function* write_fn, Function* extent_fn, MPI_Aint* extra, int* ierror, \
   std::size_t length)

#define ORRERY_REGISTER_DATAREP(entry, Count, Register, Converter, null)                                           \
  void entry ORRERY_DATAREP_PARAMETERS {                                                                           \
    using State = Representation<Count>;                                                                           \
    auto* state = new State{reinterpret_cast<State::Convert>(read_fn), reinterpret_cast<State::Convert>(write_fn), \
                            reinterpret_cast<decltype(State::extent)>(extent_fn), *extra};                         \
    Converter* const reads = read_fn == null ? nullptr : read<Count>;                                              \
    Converter* const writes = write_fn == null ? nullptr : write<Count>;                                           \
    done(ierror, Register(StringIn(datarep, length), reads, writes, extent<Count>, state));                        \
  }

ORRERY_REGISTER_DATAREP(pmpi_register_datarep_, int, MPI_Register_datarep, MPI_Datarep_conversion_function,
                        mpi_conversion_fn_null_)
ORRERY_NAMES(register_datarep, ORRERY_DATAREP_PARAMETERS);
#if MPI_VERSION >= 4  // with which large counts came
ORRERY_REGISTER_DATAREP(pmpi_register_datarep_c_f08_, MPI_Count, MPI_Register_datarep_c,
                        MPI_Datarep_conversion_function_c, mpi_conversion_fn_null_c_)
ORRERY_NAME(pmpi_register_datarep_c_f08_) void mpi_register_datarep_c_f08_ ORRERY_DATAREP_PARAMETERS;
#endif
}
#pragma GCC visibility pop
