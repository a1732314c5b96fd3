// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <utility>

#include "mpi/language.hpp"
#include "mpi/presentation.hpp"
#include "mpi/reduction/object.hpp"

/// Operations that are functions of the program.
namespace orrery::mpi {
namespace {

/// Calls that count in ints. @param call (in, inout, length, handle of the type)
template <class Call>
Combine in_pieces(Call call) {
  return [call, shown = &presentation()](const void* in, void* inout, std::int64_t count, Datatype& type) {
    auto* lower = static_cast<char*>(const_cast<void*>(in));
    auto* upper = static_cast<char*>(inout);
    for (std::int64_t left = count; left > 0;) {
      const int length = static_cast<int>(std::min<std::int64_t>(left, std::numeric_limits<int>::max()));
      call(lower, upper, length, shown->handle(abi_handle(type)));
      left -= length;
      lower += length * extent_of(type);
      upper += length * extent_of(type);
    }
  };
}

}  // namespace

void op_create_from(Combine combine, bool commutative, Op*& op) {
  op = new Op{.combine = std::move(combine), .commutative = commutative};
}

void op_create(void (*function)(), bool commutative, Op*& op) {
  const auto call = reinterpret_cast<void (*)(void*, void*, int*, void**)>(function);
  op_create_from(in_pieces([call](void* in, void* inout, int length, void* type) { call(in, inout, &length, &type); }),
                 commutative, op);
  op->function = function;
}

void op_call_through(Op& op, OpCall call) { op.combine = in_pieces(std::move(call)); }

auto op_function(const Op& op) -> void (*)() { return op.function; }

void op_create_c(void (*function)(), bool commutative, Op*& op) {
  const auto call = reinterpret_cast<void (*)(void*, void*, std::int64_t*, void**)>(function);
  const auto combine = [call, shown = &presentation()](const void* in, void* inout, std::int64_t count,
                                                       Datatype& type) {
    void* handle = shown->handle(abi_handle(type));
    if (count > 0) call(const_cast<void*>(in), inout, &count, &handle);
  };
  op_create_from(combine, commutative, op);
}

}  // namespace orrery::mpi
