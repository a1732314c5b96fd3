// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/error/errors.hpp"

/// Parts of multidimensional arrays (MPI-4.1, sections 5.1.3 and 5.1.4). Both kinds nest one dimension in the other,
/// the fastest-varying innermost; extent and lower bound are those of the whole array.
namespace orrery::mpi {
namespace {

using enum Contents::Kind;

void check_order(int order) {
  if (order != order_c && order != order_fortran) {
    throw Error{err_arg, concat("order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN: ", order)};
  }
}

void check_dimensions(int dimensions) {
  if (dimensions < 1) throw Error{err_arg, concat("an array has at least one dimension, not ", dimensions)};
}

/// Calls `narrow(dimension, inner, stride)` from the fastest dimension to the slowest, which gives the part of that
/// dimension that is taken; `stride` is the distance of its neighbours in bytes.
template <class Narrow>
Shape nest(const Shape& old, int dimensions, IntArray sizes, int order, Narrow&& narrow) {
  Shape shape = old;
  std::int64_t stride = old.extent();
  for (int i = 0; i < dimensions; ++i) {
    const int dimension = order == order_fortran ? i : dimensions - 1 - i;
    shape = narrow(dimension, shape, stride);
    stride *= sizes[dimension];
  }
  return resized(std::move(shape), 0, stride);
}

Shape shifted(const Shape& shape, std::int64_t displacement) {
  ShapeBuilder builder;
  builder.add(displacement, shape);
  return builder.finish();
}

/// How one dimension is dealt out in blocks to a row of processes.
struct Deal {
  std::int64_t size;       ///< elements of the dimension
  std::int64_t block;      ///< elements per block
  std::int64_t processes;  ///< in this dimension
  std::int64_t process;    ///< whose share: in [0, processes)
};

Deal deal(std::int64_t size, std::int64_t distribution, std::int64_t argument, std::int64_t processes,
          std::int64_t process) {
  const bool by_default = argument == distribute_default;
  if (!by_default && argument < 1) throw Error{err_arg, concat("distribution argument is not positive: ", argument)};
  switch (distribution) {
    case distribute_none:
      if (processes != 1)
        throw Error{err_arg, concat("a dimension that is not distributed has ", processes, " processes")};
      return {size, size, 1, 0};
    case distribute_block: {
      const std::int64_t block = by_default ? (size + processes - 1) / processes : argument;
      if (block * processes < size) {
        throw Error{err_arg, concat(processes, " blocks of ", block, " elements do not cover ", size)};
      }
      return {size, block, processes, process};
    }
    case distribute_cyclic: return {size, by_default ? 1 : argument, processes, process};
    default: throw Error{err_arg, concat("unknown distribution: ", distribution)};
  }
}

/// The blocks of a dimension that are dealt to one process: whole ones in a loop, and a cut one at the end.
Shape share(const Deal& deal, const Shape& inner, std::int64_t stride) {
  const std::int64_t round = deal.block * deal.processes;
  const std::int64_t first = deal.process * deal.block;
  const std::int64_t whole = std::max<std::int64_t>(0, (deal.size - first - deal.block + round) / round);
  const std::int64_t next = first + whole * round;
  ShapeBuilder builder;
  builder.add(first * stride, repeat(inner, deal.block, stride), whole, round * stride);
  builder.add(next * stride, inner, std::clamp<std::int64_t>(deal.size - next, 0, deal.block), stride);
  return builder.finish();
}

/// Coordinates of a process in a grid, row-major whatever the order of the array (MPI-4.1, section 5.1.4).
std::vector<std::int64_t> coordinates(std::int64_t rank, int dimensions, IntArray process_sizes) {
  std::vector<std::int64_t> at(static_cast<std::size_t>(dimensions));
  for (int i = dimensions - 1; i >= 0; --i) {
    at[static_cast<std::size_t>(i)] = rank % process_sizes[i];
    rank /= process_sizes[i];
  }
  return at;
}

void check_grid(int size, int rank, int dimensions, IntArray process_sizes) {
  std::int64_t product = 1;
  for (int i = 0; i < dimensions; ++i) product *= std::max<std::int64_t>(0, process_sizes[i]);
  if (product != size)
    throw Error{err_arg, concat("the process grid has ", product, " places for ", size, " processes")};
  if (rank < 0 || rank >= size) throw Error{err_rank, concat("rank ", rank, " is not in [0, ", size, ")")};
}

}  // namespace

void type_create_subarray(int dimensions, IntArray sizes, IntArray sub_sizes, IntArray starts, int order,
                          Datatype& old_type, Datatype*& new_type) {
  check_dimensions(dimensions);
  check_order(order);
  for (int i = 0; i < dimensions; ++i) {
    const bool within = sub_sizes[i] >= 1 && starts[i] >= 0 && starts[i] + sub_sizes[i] <= sizes[i];
    if (!within) {
      throw Error{err_arg, concat("dimension ", i, ": ", sub_sizes[i], " elements from ", starts[i],
                                  " are not a part of ", sizes[i])};
    }
  }
  Shape shape = nest(old_type.shape, dimensions, sizes, order, [&](int i, const Shape& inner, std::int64_t stride) {
    return shifted(repeat(inner, sub_sizes[i], stride), starts[i] * stride);
  });
  new_type = make_datatype(std::move(shape), {.combiner = Combiner::Subarray,
                                              .sections = {{Flag, {dimensions}},
                                                           {Count, values_of(sizes, dimensions)},
                                                           {Count, values_of(sub_sizes, dimensions)},
                                                           {Count, values_of(starts, dimensions)},
                                                           {Flag, {order}}},
                                              .types = {&old_type}});
}

void type_create_darray(int size, int rank, int dimensions, IntArray sizes, IntArray distributions, IntArray arguments,
                        IntArray process_sizes, int order, Datatype& old_type, Datatype*& new_type) {
  check_dimensions(dimensions);
  check_order(order);
  check_grid(size, rank, dimensions, process_sizes);
  const std::vector<std::int64_t> at = coordinates(rank, dimensions, process_sizes);
  Shape shape = nest(old_type.shape, dimensions, sizes, order, [&](int i, const Shape& inner, std::int64_t stride) {
    if (sizes[i] < 1) throw Error{err_arg, concat("dimension ", i, " has ", sizes[i], " elements")};
    const std::int64_t process = at[static_cast<std::size_t>(i)];
    return share(deal(sizes[i], distributions[i], arguments[i], process_sizes[i], process), inner, stride);
  });
  new_type = make_datatype(std::move(shape), {.combiner = Combiner::Darray,
                                              .sections = {{Flag, {size}},
                                                           {Flag, {rank}},
                                                           {Flag, {dimensions}},
                                                           {Count, values_of(sizes, dimensions)},
                                                           {Flag, values_of(distributions, dimensions)},
                                                           {Flag, values_of(arguments, dimensions)},
                                                           {Flag, values_of(process_sizes, dimensions)},
                                                           {Flag, {order}}},
                                              .types = {&old_type}});
}

}  // namespace orrery::mpi
