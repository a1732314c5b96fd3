// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "mpi/types.hpp"

/// For bindings of another language on top of those of C: functions of the program that are not called as C's are, but
/// through a function of the bindings, which is given the program's. (Error handlers have `Errhandler::caller`.)
namespace orrery::mpi {

struct Keyval;

/// Reduces `length` elements by calling the program; `type` is the handle itself.
using OpCall = std::function<void(void* in, void* inout, int length, void* type)>;
/// From now on an `op` of op_create reduces by `call`.
[[gnu::visibility("default")]] void op_call_through(Op& op, OpCall call);
/// The function that op_create was given.
[[nodiscard, gnu::visibility("default")]] auto op_function(const Op& op) -> void (*)();

/// The key value, so that its functions can be replaced by some that know from `extra` whom to call; null if there is
/// none.
[[nodiscard, gnu::visibility("default")]] Keyval* changeable_keyval(int key);

}  // namespace orrery::mpi
