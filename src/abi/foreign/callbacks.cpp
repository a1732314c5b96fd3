// SPDX-License-Identifier: BSD-3-Clause
#include "abi/foreign/callbacks.hpp"

#include <cstring>
#include <memory>

#include "abi/foreign/handles.hpp"
#include "abi/foreign/statuses.hpp"
#include "standard_entries.hpp"

namespace orrery::abi::foreign {

namespace {

/// Finds out the class of a handle, as callbacks know it.
template <class... Standard>
void* shown_among(void* handle) {
  std::uint64_t shown = 0;
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  const auto look = [&]<class S>(S*) {
    if constexpr (Predefined<S>::is_pointer) {
      const std::uintptr_t known = value < first_object ? Predefined<S>::foreign(value) : 0;
      if (known != 0 && Predefined<S>::standard(known) == value) shown = known;
    } else {
      if (value >= first_object) {
        shown = handle_table<S>().known_number(handle);
      } else if (Predefined<S>::standard(Predefined<S>::foreign(value)) == value) {
        shown = Predefined<S>::foreign(value);
      }
    }
    return shown != 0;
  };
  (void)(look(static_cast<Standard*>(nullptr)) || ...);
  return shown != 0 ? reinterpret_cast<void*>(shown) : handle;
}

void* shown(void* handle) { return shown_among<MPI_Datatype, MPI_Comm, MPI_Win, MPI_File, MPI_Session>(handle); }

int shown_code(int standard) { return code(standard); }

int standard_code(int shown) { return static_cast<int>(category::error::standard(shown)); }

constexpr mpi::Presentation presentation{shown, shown_code, standard_code};

// --- generalised requests
// ----------------------------------------------------------------------------------------------

struct Grequest {
  int (*query)(void* extra_state, Status* status);
  int (*free)(void* extra_state);
  int (*cancel)(void* extra_state, int complete);
  void* extra_state;
};

int query(void* state, MPI_Status* status) {
  const auto& request = *static_cast<Grequest*>(state);
  Status shown{};
  from_standard(*status, shown);
  const int result = request.query(request.extra_state, &shown);
  *status = to_standard(shown);
  return standard_code(result);
}

int free(void* state) {
  const std::unique_ptr<Grequest> request(static_cast<Grequest*>(state));
  return standard_code(request->free(request->extra_state));
}

int cancel(void* state, int complete) {
  const auto& request = *static_cast<Grequest*>(state);
  return standard_code(request.cancel(request.extra_state, complete));
}

// --- data representations
// ----------------------------------------------------------------------------------------------

/// One that the program has registered; it stays to the end.
template <class Count>
struct Datarep {
  int (*read)(void* user, Datatype type, Count count, void* file, MPI_Offset position, void* extra_state);
  int (*write)(void* user, Datatype type, Count count, void* file, MPI_Offset position, void* extra_state);
  int (*extent)(Datatype type, MPI_Aint* extent, void* extra_state);
  void* extra_state;
};

Datatype shown_type(MPI_Datatype type) {
  void* const handle = shown(type);
  Datatype narrow;  // an int lies in the lower half
  static_assert(sizeof narrow <= sizeof handle);
  std::memcpy(&narrow, &handle, sizeof narrow);
  return narrow;
}

template <class Count>
int read(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* state) {
  const auto& datarep = *static_cast<Datarep<Count>*>(state);
  return standard_code(datarep.read(user, shown_type(type), count, file, position, datarep.extra_state));
}

template <class Count>
int write(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* state) {
  const auto& datarep = *static_cast<Datarep<Count>*>(state);
  return standard_code(datarep.write(user, shown_type(type), count, file, position, datarep.extra_state));
}

template <class Count>
int extent(MPI_Datatype type, MPI_Aint* extent, void* state) {
  const auto& datarep = *static_cast<Datarep<Count>*>(state);
  return standard_code(datarep.extent(shown_type(type), extent, datarep.extra_state));
}

template <class Count, class Register>
int register_as(Register routine, const char* name, Function* read_function, Function* write_function,
                Function* extent_function, void* extra_state) {
  using Datarep = Datarep<Count>;
  auto datarep =
      std::make_unique<Datarep>(Datarep{reinterpret_cast<decltype(Datarep::read)>(read_function),
                                        reinterpret_cast<decltype(Datarep::write)>(write_function),
                                        reinterpret_cast<decltype(Datarep::extent)>(extent_function), extra_state});
  // A conversion that is null is none: the file's data are as in memory.
  const int result = routine(name, read_function != nullptr ? read<Count> : nullptr,
                             write_function != nullptr ? write<Count> : nullptr, extent<Count>, datarep.get());
  if (result == MPI_SUCCESS) (void)datarep.release();
  return code(result);
}

}  // namespace

const mpi::Presentation& own_presentation() { return presentation; }

namespace by_hand {

int grequest_start(Function* query_function, Function* free_function, Function* cancel_function, void* extra_state,
                   Request* request) {
  auto state = std::make_unique<Grequest>(Grequest{
      reinterpret_cast<int (*)(void*, Status*)>(query_function), reinterpret_cast<int (*)(void*)>(free_function),
      reinterpret_cast<int (*)(void*, int)>(cancel_function), extra_state});
  const int result = entries::MPI_Grequest_start(query, free, cancel, state.get(), HandleOut<MPI_Request>(request));
  if (result == MPI_SUCCESS) (void)state.release();
  return code(result);
}

int register_datarep(const char* name, Function* read_function, Function* write_function, Function* extent_function,
                     void* extra_state) {
  return register_as<int>(entries::MPI_Register_datarep, name, read_function, write_function, extent_function,
                          extra_state);
}

int register_datarep_c(const char* name, Function* read_function, Function* write_function, Function* extent_function,
                       void* extra_state) {
  return register_as<MPI_Count>(entries::MPI_Register_datarep_c, name, read_function, write_function, extent_function,
                                extra_state);
}

}  // namespace by_hand
}  // namespace orrery::abi::foreign
