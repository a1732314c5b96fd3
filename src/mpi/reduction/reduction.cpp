// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/reduction/reduction.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/reduction/object.hpp"

namespace orrery::mpi {
namespace {

struct OperationRow {
  Operation operation;
  const char* name;
};

constexpr OperationRow operation_rows[] = {
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

Kernel kernel_or_throw(const Op& op, const Datatype& type) {
  if (Kernel kernel = find_kernel(op.operation, type)) return kernel;
  const bool named = !type.name.empty();
  throw Error{err_op, concat(op.name, " is not defined for ", named ? type.name : "derived datatypes")};
}

}  // namespace

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
    case Operation::LogicalXor: return among({CInteger, Logical, MultiLanguage});
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

void retain(Op& op) {
  if (!is_predefined(op)) ++op.references;
}

void release(Op& op) {
  if (!is_predefined(op) && --op.references == 0) delete &op;
}

Op* predefined_op(std::uint32_t abi_value) {
  // Never destroyed: programs call MPI from the destructors of their globals too.
  static const auto& all = *new auto([] {
    std::array<std::unique_ptr<Op>, 0x40> ops;
    for (const OperationRow& row : operation_rows) {
      ops[static_cast<std::size_t>(row.operation)].reset(new Op{.operation = row.operation, .name = row.name});
    }
    return ops;
  }());
  return abi_value < all.size() ? all[abi_value].get() : nullptr;
}

void op_free(Op*& op) {
  if (is_predefined(*op)) throw Error{err_op, concat(op->name, " is predefined and cannot be freed")};
  release(*op);
  op = nullptr;
}

void op_commutative(const Op& op, bool& commutative) { commutative = op.commutative; }

void reduce_local(const void* in, void* inout, std::int64_t count, Datatype& type, Op& op) {
  check_elements(count, type);
  if (in == in_place || inout == in_place) throw Error{err_buffer, "MPI_IN_PLACE has no meaning in a local reduction"};
  check_op(op, type);
  if (count == 0) return;
  if (in == inout) throw Error{err_buffer, "input and result are the same buffer"};
  apply(op, in, inout, count, type);
}

}  // namespace orrery::mpi
