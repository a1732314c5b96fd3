// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/datatype/shape.hpp"

#include <algorithm>

namespace orrery::mpi {

Shape element_shape(const Basic& basic) {
  return {.layout = element(basic),
          .lb = 0,
          .ub = basic.size,
          .true_lb = 0,
          .true_ub = basic.size,
          .alignment = basic.alignment,
          .marked = false};
}

Shape repeat(const Shape& shape, std::int64_t count, std::int64_t stride) {
  ShapeBuilder builder;
  builder.add(0, shape, count, stride);
  return builder.finish();
}

Shape resized(Shape shape, std::int64_t lb, std::int64_t extent) {
  shape.lb = lb;
  shape.ub = lb + extent;
  shape.marked = true;
  return shape;
}

Shape padded(Shape shape) {
  if (shape.marked) return shape;
  const std::int64_t excess = shape.extent() % shape.alignment;
  if (excess != 0) shape.ub += shape.alignment - excess;
  return shape;
}

void ShapeBuilder::add(std::int64_t displacement, const Shape& shape, std::int64_t count) {
  add(displacement, shape, count, shape.extent());
}

void ShapeBuilder::add(std::int64_t displacement, const Shape& shape, std::int64_t count, std::int64_t stride) {
  if (count <= 0 || shape.empty()) return;
  const std::int64_t last = displacement + (count - 1) * stride;
  const auto [lowest, highest] = std::minmax(displacement, last);
  // Padding is no entry of the standard's type map, but MPICH and Open MPI both count a member up to its extent.
  add_bounds(lowest + shape.lb, highest + shape.ub, shape.marked);
  if (shape.layout) add_true_bounds(lowest + shape.true_lb, highest + shape.true_ub);
  shape_.alignment = std::max(shape_.alignment, shape.alignment);
  layouts_.add(displacement, shape.layout, count, stride);
}

void ShapeBuilder::add_bounds(std::int64_t lb, std::int64_t ub, bool marked) {
  const bool outranks = marked && !shape_.marked;
  if (!has_bounds_ || outranks) {
    shape_.lb = lb;
    shape_.ub = ub;
  } else if (marked == shape_.marked) {
    shape_.lb = std::min(shape_.lb, lb);
    shape_.ub = std::max(shape_.ub, ub);
  }
  shape_.marked = shape_.marked || marked;
  has_bounds_ = true;
}

void ShapeBuilder::add_true_bounds(std::int64_t lb, std::int64_t ub) {
  shape_.true_lb = has_data_ ? std::min(shape_.true_lb, lb) : lb;
  shape_.true_ub = has_data_ ? std::max(shape_.true_ub, ub) : ub;
  has_data_ = true;
}

Shape ShapeBuilder::finish() {
  shape_.layout = layouts_.finish();
  return shape_;
}

}  // namespace orrery::mpi
