// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/attribute_values.hpp"
#include "abi/fortran/convert.hpp"

/// Key values and attributes. The values are MPI_ADDRESS_KIND wide, INTEGER in the routines of MPI-1.
namespace orrery::abi::fortran {

namespace {

template <class Value>
using Copy = void (*)(int* handle, int* keyval, Value* extra, Value* in, Value* out, Logical* flag, int* ierror);
template <class Value>
using Delete = void (*)(int* handle, int* keyval, Value* value, Value* extra, int* ierror);

/// What a key value of Fortran hands to C as its extra state; it lives as long as the program, since nobody says when
/// the last attribute is gone.
template <class Value>
struct Keyval {
  Copy<Value> copy;
  Delete<Value> destroy;
  Value extra;
};

template <class C, class Value>
int copy(C handle, int key, void* extra_state, void* in, void* out, int* flag) {
  const auto& keyval = *static_cast<const Keyval<Value>*>(extra_state);
  int number = number_of(handle);
  Value extra = keyval.extra;
  auto from = static_cast<Value>(seen(in));
  Value to = from;
  Logical is_copied = 0;
  int code = MPI_SUCCESS;
  keyval.copy(&number, &key, &extra, &from, &to, &is_copied, &code);
  *flag = truth(is_copied);
  // A pointer of C that was only handed on stays one.
  const bool is_pointer = !is_fortrans(in) && to == from;
  if (code == MPI_SUCCESS && *flag != 0) *static_cast<void**>(out) = is_pointer ? in : cached(to);
  return code;
}

template <class C, class Value>
int destroy(C handle, int key, void* value, void* extra_state) {
  const auto& keyval = *static_cast<const Keyval<Value>*>(extra_state);
  int number = number_of(handle);
  Value extra = keyval.extra;
  auto given = static_cast<Value>(seen(value));
  int code = MPI_SUCCESS;
  keyval.destroy(&number, &key, &given, &extra, &code);
  return code;
}

template <class Value>
void* extra_state(Function* copy, Function* destroy, const Value* extra) {
  return new Keyval<Value>{reinterpret_cast<Copy<Value>>(copy), reinterpret_cast<Delete<Value>>(destroy), *extra};
}

/// What a routine of C has put where a pointer goes, as Fortran sees it.
template <class Value, class Get>
int get(const int* key, Value* value, Logical* flag, Get&& call) {
  void* cached = nullptr;
  int is_set = 0;
  const int code = call(&cached, &is_set);
  if (code != MPI_SUCCESS) return code;
  *flag = truth(is_set);
  if (is_set != 0) *value = static_cast<Value>(seen(*key, cached));
  return code;
}

}  // namespace

}  // namespace orrery::abi::fortran

using namespace orrery::abi::fortran;

#pragma GCC visibility push(default)
extern "C" {

// --- key values
// --------------------------------------------------------------------------------------------------------

#define ORRERY_CREATE_KEYVAL(name, C, Value, Create)                                                         \
  void pmpi_##name##_(Function* copy_fn, Function* delete_fn, int* keyval, Value* extra, int* ierror) {      \
    done(ierror, Create(copy<C, Value>, destroy<C, Value>, keyval, extra_state(copy_fn, delete_fn, extra))); \
  }                                                                                                          \
  ORRERY_NAMES(name, (Function * copy_fn, Function * delete_fn, int* keyval, Value* extra, int* ierror));

ORRERY_CREATE_KEYVAL(comm_create_keyval, MPI_Comm, MPI_Aint, MPI_Comm_create_keyval)
ORRERY_CREATE_KEYVAL(type_create_keyval, MPI_Datatype, MPI_Aint, MPI_Type_create_keyval)
ORRERY_CREATE_KEYVAL(win_create_keyval, MPI_Win, MPI_Aint, MPI_Win_create_keyval)
ORRERY_CREATE_KEYVAL(keyval_create, MPI_Comm, int, MPI_Keyval_create)

// --- attributes
// --------------------------------------------------------------------------------------------------------

#define ORRERY_SET_ATTR(name, C, Value, Set)                                 \
  void pmpi_##name##_(int* handle, int* keyval, Value* value, int* ierror) { \
    done(ierror, Set(from<C>(*handle), *keyval, cached(*value)));            \
  }                                                                          \
  ORRERY_NAMES(name, (int* handle, int* keyval, Value* value, int* ierror));

ORRERY_SET_ATTR(comm_set_attr, MPI_Comm, MPI_Aint, MPI_Comm_set_attr)
ORRERY_SET_ATTR(type_set_attr, MPI_Datatype, MPI_Aint, MPI_Type_set_attr)
ORRERY_SET_ATTR(win_set_attr, MPI_Win, MPI_Aint, MPI_Win_set_attr)
ORRERY_SET_ATTR(attr_put, MPI_Comm, int, MPI_Attr_put)

#define ORRERY_GET_ATTR(name, C, Value, Get)                                                \
  void pmpi_##name##_(int* handle, int* keyval, Value* value, Logical* flag, int* ierror) { \
    done(ierror, get(keyval, value, flag, [&](void* cached, int* is_set) {                  \
           return Get(from<C>(*handle), key_of_c(*keyval), cached, is_set);                 \
         }));                                                                               \
  }                                                                                         \
  ORRERY_NAMES(name, (int* handle, int* keyval, Value* value, Logical* flag, int* ierror));

ORRERY_GET_ATTR(comm_get_attr, MPI_Comm, MPI_Aint, MPI_Comm_get_attr)
ORRERY_GET_ATTR(type_get_attr, MPI_Datatype, MPI_Aint, MPI_Type_get_attr)
ORRERY_GET_ATTR(win_get_attr, MPI_Win, MPI_Aint, MPI_Win_get_attr)
ORRERY_GET_ATTR(attr_get, MPI_Comm, int, MPI_Attr_get)

// --- functions that the standard predefines
// ----------------------------------------------------------------------------

#define ORRERY_PREDEFINED(prefix, Value)                                                              \
  void mpi_##prefix##null_copy_fn_(int*, int*, Value*, Value*, Value*, Logical* flag, int* ierror) {  \
    *flag = 0;                                                                                        \
    done(ierror, MPI_SUCCESS);                                                                        \
  }                                                                                                   \
  void mpi_##prefix##dup_fn_(int*, int*, Value*, Value* in, Value* out, Logical* flag, int* ierror) { \
    *out = *in;                                                                                       \
    *flag = 1;                                                                                        \
    done(ierror, MPI_SUCCESS);                                                                        \
  }                                                                                                   \
  void mpi_##prefix##null_delete_fn_(int*, int*, Value*, Value*, int* ierror) { done(ierror, MPI_SUCCESS); }

ORRERY_PREDEFINED(comm_, MPI_Aint)
ORRERY_PREDEFINED(type_, MPI_Aint)
ORRERY_PREDEFINED(win_, MPI_Aint)
ORRERY_PREDEFINED(, int)
}
#pragma GCC visibility pop
