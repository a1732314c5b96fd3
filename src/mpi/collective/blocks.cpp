// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/blocks.hpp"

#include "mpi/collective/run.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/point_to_point/checks.hpp"

namespace orrery::mpi {

namespace {

/// MPI_BOTTOM is a null address: arithmetic on integers is right for it too.
void* moved(void* address, std::int64_t bytes) {
  return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(address) + bytes);
}

}  // namespace

Data part_of(const Data& data, std::int64_t first, std::int64_t count) {
  return {moved(data.buffer, first * extent_of(*data.type)), count, data.type};
}

HeldData::HeldData(const void* data_buffer, std::int64_t data_count, Datatype& data_type)
    : Data(Data::of(data_buffer, data_count, data_type)), held(data_type) {
  check_buffer(data_buffer, data_count, data_type);
}

Blocks::Blocks(const void* buffer, std::int64_t count, Datatype& type) : first_(Data::of(buffer, count, type)) {
  check_buffer(buffer, count, type);
  types_.emplace_back(type);
}

Blocks::Blocks(const void* buffer, int size, const IntArray& counts, const IntArray& displacements, Datatype& type)
    : first_(Data::of(buffer, 0, type)) {
  check_committed(type);
  types_.emplace_back(type);
  const auto extent = extent_of(type);
  varying_.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    check_count(counts[i]);
    varying_.push_back({counts[i], displacements[i] * extent, &type});
  }
}

Blocks::Blocks(const void* buffer, int size, const IntArray& counts, const IntArray& displacements,
               Datatype* const* types)
    : first_{const_cast<void*>(buffer), 0, nullptr} {
  varying_.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    check_count(counts[i]);
    check_committed(*types[i]);
    types_.emplace_back(*types[i]);
    varying_.push_back({counts[i], displacements[i], types[i]});
  }
}

Data Blocks::operator[](int rank) const {
  if (varying_.empty()) return part_of(first_, rank * first_.count, first_.count);
  const auto& block = varying_[static_cast<std::size_t>(rank)];
  return {moved(first_.buffer, block.offset), block.count, block.type};
}

std::optional<Data> Blocks::whole(int size) const {
  if (!varying_.empty()) return std::nullopt;
  return Data{first_.buffer, size * first_.count, first_.type};
}

void Blocks::append_bytes(int size, std::vector<std::int64_t>& bytes) const {
  for (int rank = 0; rank < size; ++rank) bytes.push_back((*this)[rank].bytes());
}

std::int64_t Blocks::total_bytes(int size) const {
  std::int64_t total = 0;
  for (int rank = 0; rank < size; ++rank) total += (*this)[rank].bytes();
  return total;
}

}  // namespace orrery::mpi
