// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/combine.hpp"

#include <cstring>
#include <vector>

#include "mpi/reduction/object.hpp"

namespace orrery::mpi {
namespace {

/// Pairs have padding where they are combined.
void combine_pairs(Kernel kernel, Datatype& pair, const std::byte* operand, std::byte* target, std::int64_t bytes) {
  const std::int64_t pairs = bytes / size_of(pair);
  const auto room = static_cast<std::size_t>(pairs * extent_of(pair));
  std::vector<std::max_align_t> lower(room / sizeof(std::max_align_t) + 1), upper(lower.size());
  unpack(operand, bytes, lower.data(), pairs, pair);
  unpack(target, bytes, upper.data(), pairs, pair);
  kernel(lower.data(), upper.data(), pairs);
  pack(upper.data(), pairs, pair, target);
}

}  // namespace

void combine_packed(Operation operation, Datatype& element, const std::byte* operand, std::byte* target,
                    std::int64_t bytes) {
  if (operation == Operation::NoOperation) return;
  if (operation == Operation::Replace) {
    std::memcpy(target, operand, static_cast<std::size_t>(bytes));
    return;
  }
  const Kernel kernel = find_kernel(operation, element);
  if (const Basic* basic = single_basic(element)) return kernel(operand, target, bytes / basic->size);
  combine_pairs(kernel, element, operand, target, bytes);
}

}  // namespace orrery::mpi
