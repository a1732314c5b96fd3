// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "mpi/presentation.hpp"
#include "mpi/reduction_object.hpp"

/// Operations that are functions of the program.
namespace orrery::mpi {

void op_create_from(Combine combine, bool commutative, Op*& op) {
  op = new Op{.combine = std::move(combine), .commutative = commutative};
}

void op_create(void (*function)(), bool commutative, Op*& op) {
  const auto call = reinterpret_cast<void (*)(void*, void*, int*, void**)>(function);
  const auto combine = [call](const void* in, void* inout, std::int64_t count, Datatype& type) {
    auto* lower = static_cast<char*>(const_cast<void*>(in));
    auto* upper = static_cast<char*>(inout);
    for (std::int64_t left = count; left > 0;) {
      int length = static_cast<int>(std::min<std::int64_t>(left, std::numeric_limits<int>::max()));
      const std::int64_t step = length * extent_of(type);
      void* handle = presentation().handle(abi_handle(type));
      call(lower, upper, &length, &handle);
      left -= std::min<std::int64_t>(left, std::numeric_limits<int>::max());
      lower += step;
      upper += step;
    }
  };
  op_create_from(combine, commutative, op);
}

void op_create_c(void (*function)(), bool commutative, Op*& op) {
  const auto call = reinterpret_cast<void (*)(void*, void*, std::int64_t*, void**)>(function);
  const auto combine = [call](const void* in, void* inout, std::int64_t count, Datatype& type) {
    void* handle = presentation().handle(abi_handle(type));
    if (count > 0) call(const_cast<void*>(in), inout, &count, &handle);
  };
  op_create_from(combine, commutative, op);
}

}  // namespace orrery::mpi
