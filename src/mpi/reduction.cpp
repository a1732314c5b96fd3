// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/reduction.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "mpi/datatype_object.hpp"
#include "mpi/datatype_walk.hpp"
#include "mpi/errors.hpp"
#include "mpi/reduction_kernel.hpp"

namespace orrery::mpi {

struct Op {
  Operation operation = Operation::User;
  const char* name = "a user's operation";
  Combine combine = {};  ///< of a user's operation
  bool commutative = true;
  int references = 1;  ///< the handle, and reductions under way
};

namespace {

struct Row {
  Operation operation;
  const char* name;
};

constexpr Row rows[] = {
    {Operation::Sum, "MPI_SUM"},
    {Operation::Min, "MPI_MIN"},
    {Operation::Max, "MPI_MAX"},
    {Operation::Product, "MPI_PROD"},
    {Operation::BitAnd, "MPI_BAND"},
    {Operation::BitOr, "MPI_BOR"},
    {Operation::BitXor, "MPI_BXOR"},
    {Operation::LogicalAnd, "MPI_LAND"},
    {Operation::LogicalOr, "MPI_LOR"},
    {Operation::LogicalXor, "MPI_LXOR"},
    {Operation::MinLocation, "MPI_MINLOC"},
    {Operation::MaxLocation, "MPI_MAXLOC"},
    {Operation::Replace, "MPI_REPLACE"},
    {Operation::NoOperation, "MPI_NO_OP"},
};

/// The basic type of a predefined type that is one element; null for pairs and derived types.
const Basic* single_basic(const Datatype& type) {
  return type.permanent && elements_of(type.shape.layout) == 1 ? type.basic : nullptr;
}

Kernel find_kernel(Operation operation, const Datatype& type) {
  const Basic* basic = single_basic(type);
  if (basic == nullptr) return location_kernel(operation, type.abi);
  if (!is_defined(operation, basic->group)) return nullptr;
  if (Kernel kernel = arithmetic_kernel(operation, basic->number)) return kernel;
  if (Kernel kernel = bitwise_kernel(operation, basic->number)) return kernel;
  return logical_kernel(operation, basic->number);
}

Kernel kernel_or_throw(const Op& op, const Datatype& type) {
  if (Kernel kernel = find_kernel(op.operation, type)) return kernel;
  const bool named = !type.name.empty();
  throw Error{err_op, concat(op.name, " is not defined for ", named ? type.name : "derived datatypes")};
}

/// Of a pair, the packed form has no padding: combined as an array of pairs.
void accumulate_pairs(Kernel kernel, const std::byte* packed, void* target, std::int64_t count, const Datatype& type,
                      const Datatype& pair) {
  const std::int64_t bytes = count * size_of(type);
  const std::int64_t pairs = bytes / size_of(pair);
  const auto room = static_cast<std::size_t>(pairs * extent_of(pair));
  // max_align_t: operands are loaded as what they are
  std::vector<std::max_align_t> lower(room / sizeof(std::max_align_t) + 1), upper(lower.size());
  std::vector<std::byte> line(static_cast<std::size_t>(bytes));
  pack(target, count, type, line.data());
  unpack(packed, bytes, lower.data(), pairs, pair);
  unpack(line.data(), bytes, upper.data(), pairs, pair);
  kernel(lower.data(), upper.data(), pairs);
  pack(upper.data(), pairs, pair, line.data());
  unpack(line.data(), bytes, target, count, type);
}

}  // namespace

bool is_defined(Operation operation, TypeGroup group) {
  using enum TypeGroup;
  const auto among = [&](std::initializer_list<TypeGroup> groups) { return std::ranges::count(groups, group) > 0; };
  switch (operation) {
    case Operation::Min:
    case Operation::Max: return among({CInteger, FortranInteger, FloatingPoint, MultiLanguage});
    case Operation::Sum:
    case Operation::Product: return among({CInteger, FortranInteger, FloatingPoint, Complex, MultiLanguage});
    case Operation::LogicalAnd:
    case Operation::LogicalOr:
    case Operation::LogicalXor: return among({CInteger, Logical});
    case Operation::BitAnd:
    case Operation::BitOr:
    case Operation::BitXor: return among({CInteger, FortranInteger, Byte, MultiLanguage});
    default: return false;
  }
}

bool is_commutative(const Op& op) { return op.commutative; }
bool is_predefined(const Op& op) { return op.operation != Operation::User; }

void apply(Op& op, const void* in, void* inout, std::int64_t count, Datatype& type) {
  switch (op.operation) {
    case Operation::User: op.combine(in, inout, count, type); break;
    case Operation::Replace: copy(in, count, type, inout, count, type); break;
    case Operation::NoOperation: break;
    default: kernel_or_throw(op, type)(in, inout, count);
  }
}

void check_op(const Op& op, const Datatype& type) {
  if (is_predefined(op)) static_cast<void>(kernel_or_throw(op, type));
}

void check_accumulate_op(const Op& op, const Datatype& type) {
  if (!is_predefined(op)) throw Error{err_op, "accumulation takes predefined operations only"};
  const Datatype* element = element_type(type);
  if (element == nullptr) throw Error{err_type, "the datatype is not made of one predefined type"};
  if (op.operation != Operation::Replace && op.operation != Operation::NoOperation) check_op(op, *element);
}

void accumulate(Op& op, const std::byte* packed, void* target, std::int64_t count, Datatype& type) {
  check_accumulate_op(op, type);
  if (op.operation == Operation::NoOperation) return;
  if (op.operation == Operation::Replace) return unpack(packed, count * size_of(type), target, count, type);
  const Datatype& element = *element_type(type);
  const Kernel kernel = find_kernel(op.operation, element);
  const Basic* basic = single_basic(element);
  if (basic == nullptr) return accumulate_pairs(kernel, packed, target, count, type, element);
  const Layout layout = repeat(type.shape.layout, count, extent_of(type));
  auto combine = [&](std::int64_t displacement, std::int64_t bytes, const Basic*) {
    kernel(
        packed,
        reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(target) + static_cast<std::uintptr_t>(displacement)),
        bytes / basic->size);
    packed += bytes;
  };
  if (layout) visit_range(*layout, 0, 0, layout->size, combine);
}

void retain(Op& op) {
  if (!is_predefined(op)) ++op.references;
}

void release(Op& op) {
  if (!is_predefined(op) && --op.references == 0) delete &op;
}

Op* predefined_op(std::uint32_t abi_value) {
  static const auto all = [] {
    std::array<std::unique_ptr<Op>, 0x40> ops;
    for (const Row& row : rows) {
      ops[static_cast<std::size_t>(row.operation)].reset(new Op{.operation = row.operation, .name = row.name});
    }
    return ops;
  }();
  return abi_value < all.size() ? all[abi_value].get() : nullptr;
}

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
      void* handle = abi_handle(type);
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
    void* handle = abi_handle(type);
    if (count > 0) call(const_cast<void*>(in), inout, &count, &handle);
  };
  op_create_from(combine, commutative, op);
}

void op_free(Op*& op) {
  if (is_predefined(*op)) throw Error{err_op, concat(op->name, " is predefined and cannot be freed")};
  release(*op);
  op = nullptr;
}

void op_commutative(const Op& op, bool& commutative) { commutative = op.commutative; }

void reduce_local(const void* in, void* inout, std::int64_t count, Datatype& type, Op& op) {
  if (count < 0) throw Error{err_count, concat("count is negative: ", count)};
  if (in == in_place || inout == in_place) throw Error{err_buffer, "MPI_IN_PLACE has no meaning in a local reduction"};
  check_committed(type);
  check_op(op, type);
  if (count == 0) return;
  if (in == inout) throw Error{err_buffer, "input and result are the same buffer"};
  apply(op, in, inout, count, type);
}

}  // namespace orrery::mpi
