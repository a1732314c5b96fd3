// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/language.hpp"

#include <cstddef>
#include <cstring>
#include <new>

#include "abi/foreign/handles.hpp"
#include "abi/foreign/numbers.hpp"
#include "abi/handle.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/file/file_object.hpp"
#include "mpi/topology/topology.hpp"
#include "special.hpp"
#include "standard_entries.hpp"
#include "symbols.hpp"

/// What Open MPI's bindings of C++ (libmpi_cxx.so.40), which are a library on top of C's, look for in that library.
/// Programs of C++ need them even if they call C's routines alone: mpi.h says so to their compiler. The bindings have
/// functions of the program called by functions of theirs, and they know where some things lie in Open MPI 4.
namespace orrery::abi::foreign {
namespace {

using Function = void();

// --- operations
// -----------------------------------------------------------------------------------------------------------

/// The bindings' own, which op_create was given.
using OpIntercept = void (*)(void* in, void* inout, int* length, void** type, Function* function);

// --- error handlers
// -----------------------------------------------------------------------------------------------------------

/// Calls the program's function; `handle` is the address of one.
using ErrorDispatch = void (*)(void* handle, int* code, const char* message, Function* function);
using ErrorFunction = void (*)(void* handle, int* code, ...);

/// What Open MPI's handle of an error handler points to, as far as the bindings look: they write `dispatch` when they
/// have made one, and `functions`, by the class of object, of the handler that throws.
struct ErrhandlerView {
  std::byte own[0x58];
  Function* functions[3];  ///< of communicators, files, windows
  Function* of_fortran;
  ErrorDispatch dispatch;
};
static_assert(offsetof(ErrhandlerView, dispatch) == 0x78);
static_assert(sizeof(mpi::Errhandler) <= sizeof(ErrhandlerView::own));  // it lies there

/// @param function address of the view
void dispatch_error(int of, void* handle, int* code, Function* function) {
  const auto& view = *reinterpret_cast<const ErrhandlerView*>(function);
  view.dispatch(handle, code, "", view.functions[of]);
}

/// MPI::ERRORS_THROW_EXCEPTIONS: the bindings have put functions that throw where it lies, if the program has them.
void throw_error(int of, void* handle, int* code, Function* /*function*/) {
  ErrhandlerView view;
  std::memcpy(&view, ompi_mpi_errors_throw_exceptions, sizeof view);
  if (view.functions[of] != nullptr) reinterpret_cast<ErrorFunction>(view.functions[of])(handle, code);
}

[[gnu::constructor]] void let_errors_throw() {
  mpi::Errhandler& handler = *mpi::predefined_errhandler(errors_throw_exceptions);
  handler.action = mpi::Errhandler::Action::Call;
  handler.caller = throw_error;
}

/// Open MPI's names for classes of objects.
mpi::Errhandler::Of class_of(int type) {
  constexpr int window = 2, file = 3;
  if (type == file) return mpi::Errhandler::Of::File;
  return type == window ? mpi::Errhandler::Of::Window : mpi::Errhandler::Of::Comm;
}

// --- attributes
// -----------------------------------------------------------------------------------------------------------

/// Functions of a key value of communicators; they stay to the end.
struct CommFunctions {
  mpi::CopyAttribute copy;
  mpi::DeleteAttribute destroy;
  void* extra;
};

/// The bindings read the kind of a communicator where Open MPI has it. Predefined ones are all 0 there, as they should.
void show_kind(void* handle) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  static_assert(offsetof(mpi::Comm, openmpi_flags) == 0xe8);
#pragma GCC diagnostic pop
  constexpr std::uint32_t inter = 0x1, cartesian = 0x100, graph = 0x200;
  if (standard_of_symbol(reinterpret_cast<std::uintptr_t>(handle)) != 0) return;
  mpi::Comm& comm = *static_cast<mpi::Comm*>(handle);
  int topology = MPI_UNDEFINED;
  mpi::topo_test(comm, topology);
  comm.openmpi_flags = comm.is_inter() ? inter : 0;
  if (topology == MPI_CART) comm.openmpi_flags |= cartesian;
  if (topology == MPI_GRAPH) comm.openmpi_flags |= graph;
}

int copy_of_comm(void* handle, int key, void* extra, void* value, void* copied, int* flag) {
  show_kind(handle);
  const auto& functions = *static_cast<const CommFunctions*>(extra);
  return functions.copy(handle, key, functions.extra, value, copied, flag);
}

int destroy_of_comm(void* handle, int key, void* value, void* extra) {
  show_kind(handle);
  const auto& functions = *static_cast<const CommFunctions*>(extra);
  return functions.destroy(handle, key, value, functions.extra);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// No program has error codes without a class.
int ompi_errcode_intern_lastused = 0;
alignas(16) char ompi_errcodes_intern[0x78] = {};

/// The bindings append their data representations to it: a list with a sentinel, empty.
struct {
  void* object[2];
  void* sentinel[2];
  void* next;
  void* previous;
  void* more;
  std::size_t length;
} ompi_registered_datareps = {
    .object = {},
    .sentinel = {},
    .next = ompi_registered_datareps.sentinel,
    .previous = ompi_registered_datareps.sentinel,
    .more = nullptr,
    .length = 0,
};
static_assert(sizeof ompi_registered_datareps == 0x40);

/// @param function of the program; that of the bindings calls it
void ompi_op_set_cxx_callback(void* op, Function* function) {
  mpi::Op* const object = Handle<mpi::Op>::object(handle_in<MPI_Op>(op));
  if (object == nullptr) return;
  const auto intercept = reinterpret_cast<OpIntercept>(mpi::op_function(*object));
  mpi::op_call_through(*object, [intercept, function](void* in, void* inout, int length, void* type) {
    intercept(in, inout, &length, &type, function);
  });
}

/// @param type class of object @return its handle
void* ompi_errhandler_create(int type, Function* function, int /*language*/) {
  const mpi::Errhandler::Of of = class_of(type);
  auto* const view = new (::operator new(sizeof(ErrhandlerView))) ErrhandlerView{};
  view->functions[static_cast<int>(of)] = function;
  new (view->own) mpi::Errhandler{.action = mpi::Errhandler::Action::Call,
                                  .function = reinterpret_cast<Function*>(view),
                                  .of = of,
                                  .caller = dispatch_error};
  return view;
}

/// A mistake that the bindings have found themselves. What they pass of the handler and of the class of the object was
/// read where Open MPI would have it.
int ompi_errhandler_invoke(void* /*errhandler*/, void* object, int /*type*/, int code_of_error,
                           const char* /*message*/) {
  const auto file = handle_in<MPI_File>(object);
  const int standard = static_cast<int>(category::error::standard(code_of_error));
  if (mpi::is_open(reinterpret_cast<mpi::File*>(file))) return code(entries::MPI_File_call_errhandler(file, standard));
  (void)entries::MPI_Comm_call_errhandler(handle_in<MPI_Comm>(object), standard);
  return code_of_error;
}

/// @param type class of object @param copy, destroy functions of C that the bindings have
int ompi_attr_create_keyval(int type, Function* copy, Function* destroy, int* key, void* extra, int /*flags*/,
                            void* /*bindings*/) {
  constexpr int comms = 1, windows = 3;
  if (type == comms) {
    auto* const functions = new CommFunctions{reinterpret_cast<mpi::CopyAttribute>(copy),
                                              reinterpret_cast<mpi::DeleteAttribute>(destroy), extra};
    return code(entries::MPI_Comm_create_keyval(reinterpret_cast<MPI_Comm_copy_attr_function*>(copy_of_comm),
                                                reinterpret_cast<MPI_Comm_delete_attr_function*>(destroy_of_comm), key,
                                                functions));
  }
  if (type == windows) {
    return code(entries::MPI_Win_create_keyval(reinterpret_cast<MPI_Win_copy_attr_function*>(copy),
                                               reinterpret_cast<MPI_Win_delete_attr_function*>(destroy), key, extra));
  }
  return code(entries::MPI_Type_create_keyval(reinterpret_cast<MPI_Type_copy_attr_function*>(copy),
                                              reinterpret_cast<MPI_Type_delete_attr_function*>(destroy), key, extra));
}
}
#pragma GCC visibility pop

}  // namespace orrery::abi::foreign
