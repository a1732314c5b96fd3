// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/datatype/layout.hpp"

namespace orrery::mpi {

/// A type map with its bounds, in bytes (MPI-4.1, sections 5.1.6 to 5.1.8): what a datatype is, apart from its handle.
/// Constructors of datatypes are written in terms of the few operations below.
struct Shape {
  Layout layout;
  std::int64_t lb = 0;
  std::int64_t ub = 0;
  std::int64_t true_lb = 0;  ///< of the data alone
  std::int64_t true_ub = 0;
  int alignment = 1;    ///< strictest among the basic types
  bool marked = false;  ///< bounds were set by MPI_Type_create_resized: they outrank those that follow from data

  [[nodiscard]] std::int64_t extent() const { return ub - lb; }
  [[nodiscard]] std::int64_t size() const { return size_of(layout); }
  /// Without data and without markers: leaves no trace in a type map.
  [[nodiscard]] bool empty() const { return !layout && !marked; }
};

[[nodiscard]] Shape element_shape(const Basic& basic);
/// `count` copies, `stride` bytes apart; the bounds are not rounded.
[[nodiscard]] Shape repeat(const Shape& shape, std::int64_t count, std::int64_t stride);
[[nodiscard]] Shape resized(Shape shape, std::int64_t lb, std::int64_t extent);
/// The upper bound raised by the standard's ε: the extent becomes a multiple of the strictest alignment, as a C
/// compiler would pad a struct. Bounds that were set stay.
[[nodiscard]] Shape padded(Shape shape);

/// Puts shapes side by side, in the order of the type map.
class ShapeBuilder {
 public:
  /// `count` copies of `shape`, its extent apart, the first at `displacement`.
  void add(std::int64_t displacement, const Shape& shape, std::int64_t count = 1);
  void add(std::int64_t displacement, const Shape& shape, std::int64_t count, std::int64_t stride);
  [[nodiscard]] Shape finish();

 private:
  void add_bounds(std::int64_t lb, std::int64_t ub, bool marked);
  void add_true_bounds(std::int64_t lb, std::int64_t ub);

  LayoutBuilder layouts_;
  Shape shape_;
  bool has_bounds_ = false;
  bool has_data_ = false;
};

}  // namespace orrery::mpi
