// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/held.hpp"

#include <optional>

#include "abi/fortran/handles.hpp"

namespace orrery::abi::fortran {

namespace {

/// Bytes of a type without gaps.
std::optional<MPI_Count> dense_size(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  if (PMPI_Type_size_c(type, &size) != MPI_SUCCESS) return {};
  if (PMPI_Type_get_extent_c(type, &lower, &extent) != MPI_SUCCESS) return {};
  if (size <= 0 || size != extent || lower != 0) return {};
  return size;
}

/// A type for one element of an array: of the program's type if that divides it, else of bytes.
MPI_Datatype element_type(std::int64_t element, MPI_Datatype type, MPI_Count size) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const bool divides = element % size == 0;
  PMPI_Type_contiguous_c(divides ? element / size : element, divides ? type : MPI_BYTE, &made);
  return made;
}

MPI_Datatype vector(std::int64_t count, std::int64_t stride, MPI_Datatype type) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  PMPI_Type_create_hvector_c(count, 1, stride, type, &made);
  return made;
}

/// The first `elements` of the dimensions below `dimension`: whole rows, and what is left of the next one.
/// @param row a type for all elements of the dimensions below the last of these
MPI_Datatype beginning(const Array& array, int dimensions, std::int64_t elements, MPI_Datatype element) {
  if (dimensions == 0) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    PMPI_Type_dup(element, &made);
    return made;
  }
  std::int64_t row_elements = 1;
  for (int i = 0; i < dimensions - 1; ++i) row_elements *= array.dimensions[i].extent;
  const std::int64_t rows = elements / row_elements;
  const std::int64_t left = elements % row_elements;
  const std::int64_t stride = array.dimensions[dimensions - 1].stride;

  MPI_Datatype row = beginning(array, dimensions - 1, row_elements, element);
  MPI_Datatype whole = vector(rows, stride, row);
  PMPI_Type_free(&row);
  if (left == 0) return whole;
  MPI_Datatype rest = beginning(array, dimensions - 1, left, element);
  const MPI_Count lengths[] = {1, 1};
  const MPI_Count places[] = {0, rows * stride};
  const MPI_Datatype types[] = {whole, rest};
  MPI_Datatype made = MPI_DATATYPE_NULL;
  PMPI_Type_create_struct_c(2, lengths, places, types, &made);
  PMPI_Type_free(&whole);
  PMPI_Type_free(&rest);
  return made;
}

/// The distance of neighbouring elements in bytes, if it is the same everywhere.
std::optional<std::int64_t> uniform_stride(const Array& array) {
  std::optional<std::int64_t> stride;
  std::int64_t expected = 0;
  for (int i = 0; i < array.rank; ++i) {
    const auto& dimension = array.dimensions[i];
    if (dimension.extent == 1) continue;
    if (!stride) stride = expected = dimension.stride;
    if (dimension.stride != expected) return {};
    expected *= dimension.extent;
  }
  return stride;
}

}  // namespace

Section::Section(const void* descriptor, std::int64_t count, MPI_Datatype type)
    : Whole(descriptor), count_(count), type_(type) {
  if (array_.is_contiguous() || count <= 0) return;
  const auto size = dense_size(type);
  fits_ = size && *size * count % array_.element == 0 && *size * count <= array_.bytes();
  if (!fits_) return;
  MPI_Datatype element = element_type(array_.element, type, *size);
  type_.set(beginning(array_, array_.rank, *size * count / array_.element, element));
  PMPI_Type_free(&element);
  count_ = 1;
}

Spread::Spread(const void* descriptor, MPI_Datatype type) : Whole(descriptor), type_(type) {
  if (array_.is_contiguous()) return;
  const auto size = dense_size(type);
  const auto stride = uniform_stride(array_);
  fits_ = size && stride && *size % array_.element == 0;
  if (!fits_) return;
  const std::int64_t elements = *size / array_.element;
  MPI_Datatype element = element_type(array_.element, type, *size);
  MPI_Datatype block = vector(elements, *stride, element);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  PMPI_Type_create_resized_c(block, 0, elements * *stride, &made);
  type_.set(made);
  PMPI_Type_free(&element);
  PMPI_Type_free(&block);
}

void refuse(int* ierror, int comm) {
  const int code = PMPI_Comm_call_errhandler(from<MPI_Comm>(comm), MPI_ERR_BUFFER);
  if (ierror != nullptr) *ierror = code == MPI_SUCCESS ? MPI_ERR_BUFFER : code;
}

}  // namespace orrery::abi::fortran
