// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/error/errors.hpp"

/// The constructors of MPI-4.1, section 5.1.2: each is a composition of a few operations on shapes.
namespace orrery::mpi {
namespace {

using enum Contents::Kind;

void check_block_count(std::int64_t count) {
  if (count < 0) throw Error{err_count, concat("count is negative: ", count)};
}

void check_block_length(std::int64_t length) {
  if (length < 0) throw Error{err_arg, concat("block length is negative: ", length)};
}

void check_array(IntArray array, std::int64_t count, const char* what) {
  if (count > 0 && !array) throw Error{err_arg, concat("array of ", what, " is null")};
}

/// Blocks of one old type; `unit`: bytes per displacement.
Shape blocks(const Shape& old, const std::vector<std::int64_t>& lengths, const std::vector<std::int64_t>& displacements,
             std::int64_t unit) {
  ShapeBuilder builder;
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    const std::int64_t length = lengths.size() == 1 ? lengths[0] : lengths[i];
    check_block_length(length);
    builder.add(displacements[i] * unit, old, length);
  }
  return padded(builder.finish());
}

Shape strided(const Shape& old, std::int64_t count, std::int64_t block_length, std::int64_t stride_bytes) {
  check_block_count(count);
  check_block_length(block_length);
  return padded(repeat(repeat(old, block_length, old.extent()), count, stride_bytes));
}

Datatype* make_indexed(Combiner combiner, Contents::Kind displacement_kind, std::int64_t count, IntArray block_lengths,
                       IntArray displacements, Datatype& old_type, std::int64_t unit) {
  check_block_count(count);
  check_array(block_lengths, count, "block lengths");
  check_array(displacements, count, "displacements");
  std::vector<std::int64_t> lengths = values_of(block_lengths, count);
  std::vector<std::int64_t> places = values_of(displacements, count);
  Shape shape = blocks(old_type.shape, lengths, places, unit);
  return make_datatype(
      std::move(shape),
      {.combiner = combiner,
       .sections = {{Count, {count}}, {Count, std::move(lengths)}, {displacement_kind, std::move(places)}},
       .types = {&old_type}});
}

Datatype* make_indexed_block(Combiner combiner, Contents::Kind displacement_kind, std::int64_t count,
                             std::int64_t block_length, IntArray displacements, Datatype& old_type, std::int64_t unit) {
  check_block_count(count);
  check_block_length(block_length);
  check_array(displacements, count, "displacements");
  std::vector<std::int64_t> places = values_of(displacements, count);
  Shape shape = blocks(old_type.shape, {block_length}, places, unit);
  return make_datatype(std::move(shape),
                       {.combiner = combiner,
                        .sections = {{Count, {count}}, {Count, {block_length}}, {displacement_kind, std::move(places)}},
                        .types = {&old_type}});
}

}  // namespace

void type_contiguous(std::int64_t count, Datatype& old_type, Datatype*& new_type) {
  check_block_count(count);
  const Shape& old = old_type.shape;
  new_type = make_datatype(padded(repeat(old, count, old.extent())),
                           {.combiner = Combiner::Contiguous, .sections = {{Count, {count}}}, .types = {&old_type}});
}

void type_vector(std::int64_t count, std::int64_t block_length, std::int64_t stride, Datatype& old_type,
                 Datatype*& new_type) {
  new_type = make_datatype(strided(old_type.shape, count, block_length, stride * old_type.shape.extent()),
                           {.combiner = Combiner::Vector,
                            .sections = {{Count, {count}}, {Count, {block_length}}, {Count, {stride}}},
                            .types = {&old_type}});
}

void type_create_hvector(std::int64_t count, std::int64_t block_length, std::int64_t stride, Datatype& old_type,
                         Datatype*& new_type) {
  new_type = make_datatype(strided(old_type.shape, count, block_length, stride),
                           {.combiner = Combiner::Hvector,
                            .sections = {{Count, {count}}, {Count, {block_length}}, {Address, {stride}}},
                            .types = {&old_type}});
}

void type_indexed(std::int64_t count, IntArray block_lengths, IntArray displacements, Datatype& old_type,
                  Datatype*& new_type) {
  new_type =
      make_indexed(Combiner::Indexed, Count, count, block_lengths, displacements, old_type, old_type.shape.extent());
}

void type_create_hindexed(std::int64_t count, IntArray block_lengths, IntArray displacements, Datatype& old_type,
                          Datatype*& new_type) {
  new_type = make_indexed(Combiner::Hindexed, Address, count, block_lengths, displacements, old_type, 1);
}

void type_create_indexed_block(std::int64_t count, std::int64_t block_length, IntArray displacements,
                               Datatype& old_type, Datatype*& new_type) {
  new_type = make_indexed_block(Combiner::IndexedBlock, Count, count, block_length, displacements, old_type,
                                old_type.shape.extent());
}

void type_create_hindexed_block(std::int64_t count, std::int64_t block_length, IntArray displacements,
                                Datatype& old_type, Datatype*& new_type) {
  new_type = make_indexed_block(Combiner::HindexedBlock, Address, count, block_length, displacements, old_type, 1);
}

void type_create_struct(std::int64_t count, IntArray block_lengths, IntArray displacements, Datatype* const* types,
                        Datatype*& new_type) {
  check_block_count(count);
  check_array(block_lengths, count, "block lengths");
  check_array(displacements, count, "displacements");
  ShapeBuilder builder;
  for (std::int64_t i = 0; i < count; ++i) {
    if (types[i] == nullptr) throw Error{err_type, concat("member ", i, " is MPI_DATATYPE_NULL")};
    check_block_length(block_lengths[i]);
    builder.add(displacements[i], types[i]->shape, block_lengths[i]);
  }
  new_type = make_datatype(padded(builder.finish()), {.combiner = Combiner::Struct,
                                                      .sections = {{Count, {count}},
                                                                   {Count, values_of(block_lengths, count)},
                                                                   {Address, values_of(displacements, count)}},
                                                      .types = {types, types + count}});
}

void type_create_resized(Datatype& old_type, std::int64_t lb, std::int64_t extent, Datatype*& new_type) {
  new_type = make_datatype(
      resized(old_type.shape, lb, extent),
      {.combiner = Combiner::Resized, .sections = {{Address, {lb}}, {Address, {extent}}}, .types = {&old_type}});
}

void type_dup(Datatype& old_type, Datatype*& new_type) {
  Datatype* copy = make_datatype(old_type.shape, {.combiner = Combiner::Dup, .sections = {}, .types = {&old_type}});
  copy->committed = old_type.committed;
  try {
    if (!old_type.attributes.list.empty()) copy_attributes(old_type.attributes, old_type.handle, copy->attributes);
  } catch (...) {
    release(*copy);
    throw;
  }
  new_type = copy;
}

}  // namespace orrery::mpi
