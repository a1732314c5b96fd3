// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/functions.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <utility>

#include "abi/fortran/handles.hpp"

namespace orrery::abi::fortran {

namespace {

/// Functions of the program in a row of places; the same one always gets the same. `Row` tells rows apart.
template <class Row>
class Places {
 public:
  static constexpr std::size_t count = 256;

  /// The place of a function; `count` when there is none left.
  static std::size_t of(Function* function) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::size_t i = 0;
    while (i < count && functions[i] != nullptr && functions[i] != function) ++i;
    if (i < count) functions[i] = function;
    return i;
  }

  static inline std::array<Function*, count> functions{};
};

/// `Row::call<place>` for every place.
template <class Row, std::size_t... place>
auto* at_place(std::size_t wanted, std::index_sequence<place...>) {
  static constexpr std::array calls{&Row::template call<place>...};
  return wanted < calls.size() ? calls[wanted] : nullptr;
}

template <class Row>
auto* given_to_c(Function* function) {
  auto* const given = at_place<Row>(Places<Row>::of(function), std::make_index_sequence<Places<Row>::count>());
  if (given == nullptr) {
    std::fprintf(stderr, "orrery: more than %zu different Fortran functions of one kind were given to MPI\n",
                 Places<Row>::count);
    MPI_Abort(MPI_COMM_WORLD, MPI_ERR_INTERN);
  }
  return given;
}

template <class Count>
struct Operations {
  template <std::size_t place>
  static void call(void* in, void* inout, Count* length, MPI_Datatype* datatype) {
    int number = number_of(*datatype);
    reinterpret_cast<void (*)(void*, void*, Count*, int*)>(Places<Operations>::functions[place])(in, inout, length,
                                                                                                 &number);
  }
};

template <class C>
struct Errhandlers {
  template <std::size_t place>
  static void call(C* handle, int* code, ...) {
    int number = number_of(*handle);
    reinterpret_cast<void (*)(int*, int*)>(Places<Errhandlers>::functions[place])(&number, code);
  }
};

}  // namespace

MPI_User_function* user_function(Function* function) { return given_to_c<Operations<int>>(function); }
MPI_User_function_c* user_function_c(Function* function) { return given_to_c<Operations<MPI_Count>>(function); }

MPI_Comm_errhandler_function* comm_errhandler(Function* function) {
  return given_to_c<Errhandlers<MPI_Comm>>(function);
}
MPI_Win_errhandler_function* win_errhandler(Function* function) { return given_to_c<Errhandlers<MPI_Win>>(function); }
MPI_File_errhandler_function* file_errhandler(Function* function) {
  return given_to_c<Errhandlers<MPI_File>>(function);
}
MPI_Session_errhandler_function* session_errhandler(Function* function) {
  return given_to_c<Errhandlers<MPI_Session>>(function);
}

}  // namespace orrery::abi::fortran
