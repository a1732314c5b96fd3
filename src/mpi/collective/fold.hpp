// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "mpi/object/held.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/reduction/reduction.hpp"

namespace orrery::mpi {

/// Memory for `count` elements of a type, wherever its data lies around its origin.
class Operand {
 public:
  Operand(std::int64_t count, const Datatype& type);
  /// Room for as much; what is in there is not copied.
  Operand(const Operand& other) : Operand(other.data_.count, *other.data_.type) {}
  Operand(Operand&&) = default;
  Operand& operator=(Operand&&) = default;

  [[nodiscard]] const Data& data() const { return data_; }

 private:
  std::vector<std::byte> memory_;
  Data data_;
};

/// ((x0 op x1) op x2) ...: the operands come one by one, in the order of the ranks, so that operations that do not
/// commute are right and results are the same from run to run.
class Fold {
 public:
  /// @throws Error when the operation is not defined for the type
  Fold(Op& op, std::int64_t count, Datatype& type);

  /// Where the next operand is to be put.
  [[nodiscard]] const Data& next() const { return next_.data(); }
  /// Takes the operand that was put there.
  void add();
  /// The result so far; undefined before the first operand.
  [[nodiscard]] const Data& total() const { return total_.data(); }

 private:
  Held<Op> op_;
  Held<Datatype> type_;
  Operand total_;
  Operand next_;
  bool empty_ = true;
};

}  // namespace orrery::mpi
