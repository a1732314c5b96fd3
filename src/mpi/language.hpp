// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/types.hpp"

/// For bindings of another language on top of those of C: functions of the program that are not called as C's are, but
/// through a function of the bindings, which is given the program's. (Error handlers have `Errhandler::caller`.)
namespace orrery::mpi {

struct Keyval;

/// Calls `function` of the program for a reduction; `type` is the handle itself.
using OpCaller = void (*)(void* in, void* inout, int length, void* type, void (*function)());
/// From now on `caller` calls the function of an `op` of op_create.
void op_call_through(Op& op, OpCaller caller);

/// The key value, so that its functions can be replaced by some that know from `extra` whom to call; null if there is
/// none.
[[nodiscard]] Keyval* changeable_keyval(int key);

}  // namespace orrery::mpi
