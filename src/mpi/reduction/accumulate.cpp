// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <vector>

#include "mpi/datatype/walk.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/reduction/object.hpp"

/// Reductions into typed buffers, for one-sided communication.
namespace orrery::mpi {
namespace {

/// Combines pairs, whose packed form has no padding, as an array of pairs.
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

}  // namespace orrery::mpi
