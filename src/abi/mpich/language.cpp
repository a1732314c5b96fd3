// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/language.hpp"
#include "abi/foreign/callbacks.hpp"
#include "abi/foreign/handles.hpp"
#include "abi/handle.hpp"

/// What MPICH's bindings of C++ (libmpicxx.so.12, libmpichcxx.so.12), which are a library on top of C's, ask for
/// besides the standard's routines: that functions of the program are called by functions of theirs.
namespace orrery::abi::foreign {
namespace {

using Function = void();

/// How they are told that an attribute is a pointer, as those of the library always are.
constexpr int is_pointer = 0;

using OpCaller = void (*)(void* in, void* inout, int length, void* type, Function* function);
using CopyCaller = int (*)(Function* function, int handle, int key, void* extra, int kind, void* value, void** copy,
                           int* flag);
using DeleteCaller = int (*)(Function* function, int handle, int key, int kind, void* value, void* extra);

/// The functions of a key value, and who calls them; it stays to the end.
struct Called {
  Function* copy;
  Function* destroy;
  void* extra;
  CopyCaller copy_caller;
  DeleteCaller delete_caller;
};

int copy(int handle, int key, void* extra, void* value, void* copied, int* flag) {
  const auto& called = *static_cast<const Called*>(extra);
  return called.copy_caller(called.copy, handle, key, called.extra, is_pointer, value, static_cast<void**>(copied),
                            flag);
}

int destroy(int handle, int key, void* value, void* extra) {
  const auto& called = *static_cast<const Called*>(extra);
  return called.delete_caller(called.destroy, handle, key, is_pointer, value, called.extra);
}

bool is_function(Function* copy_or_delete) { return reinterpret_cast<std::uintptr_t>(copy_or_delete) > mpi::dup_value; }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void MPII_Op_set_cxx(Op op, OpCaller caller) {
  mpi::Op* const object = Handle<mpi::Op>::object(handle_in<MPI_Op>(op));
  if (object == nullptr) return;
  const mpi::Presenting presenting(own_presentation());
  const auto call = [caller, function = mpi::op_function(*object)](void* in, void* inout, int length, void* type) {
    caller(in, inout, length, type, function);
  };
  mpi::op_call_through(*object, call);
}

/// @param caller void (int of, int* handle, int* code, void (*function)(void)), `of` as mpi::Errhandler::Of
void MPII_Errhandler_set_cxx(Errhandler errhandler, Function* caller) {
  mpi::Errhandler* const object = Handle<mpi::Errhandler>::object(handle_in<MPI_Errhandler>(errhandler));
  if (object != nullptr) object->caller = reinterpret_cast<mpi::Errhandler::Caller>(caller);
}

void MPII_Keyval_set_proxy(int key, CopyCaller copy_caller, DeleteCaller delete_caller) {
  mpi::Keyval* const keyval = mpi::changeable_keyval(key);
  if (keyval == nullptr) return;
  keyval->extra = new Called{keyval->copy, keyval->destroy, keyval->extra, copy_caller, delete_caller};
  if (is_function(keyval->copy)) keyval->copy = reinterpret_cast<Function*>(copy);
  if (is_function(keyval->destroy)) keyval->destroy = reinterpret_cast<Function*>(destroy);
}
}
#pragma GCC visibility pop

}  // namespace orrery::abi::foreign
