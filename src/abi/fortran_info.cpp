// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <string>
#include <utility>

#include "abi/by_hand.hpp"
#include "abi/convert.hpp"
#include "abi/fortran/logicals.hpp"
#include "mpi/object/info.hpp"

/// What the library says of Fortran's types (MPI-5.0, chapter 20). They are those of all compilers of this system that
/// the Fortran library works with, and known from the beginning: nobody can set them otherwise.
namespace orrery::abi::by_hand {

namespace {

const std::pair<const char*, MPI_Datatype> sizes[] = {
    {"mpi_logical_size", MPI_LOGICAL},
    {"mpi_integer_size", MPI_INTEGER},
    {"mpi_real_size", MPI_REAL},
    {"mpi_double_precision_size", MPI_DOUBLE_PRECISION},
};

const std::pair<const char*, MPI_Datatype> optional_types[] = {
    {"mpi_logical1_supported", MPI_LOGICAL1},
    {"mpi_logical2_supported", MPI_LOGICAL2},
    {"mpi_logical4_supported", MPI_LOGICAL4},
    {"mpi_logical8_supported", MPI_LOGICAL8},
    {"mpi_logical16_supported", MPI_LOGICAL16},
    {"mpi_integer1_supported", MPI_INTEGER1},
    {"mpi_integer2_supported", MPI_INTEGER2},
    {"mpi_integer4_supported", MPI_INTEGER4},
    {"mpi_integer8_supported", MPI_INTEGER8},
    {"mpi_integer16_supported", MPI_INTEGER16},
    {"mpi_real2_supported", MPI_REAL2},
    {"mpi_real4_supported", MPI_REAL4},
    {"mpi_real8_supported", MPI_REAL8},
    {"mpi_real16_supported", MPI_REAL16},
    {"mpi_complex4_supported", MPI_COMPLEX4},
    {"mpi_complex8_supported", MPI_COMPLEX8},
    {"mpi_complex16_supported", MPI_COMPLEX16},
    {"mpi_complex32_supported", MPI_COMPLEX32},
    {"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX},
};

[[noreturn]] void known_already() {
  throw mpi::Error{MPI_ERR_ABI, "what Fortran's types are is known from the beginning, and cannot be set"};
}

}  // namespace

void abi_get_fortran_info(MPI_Info* handle) {
  Out<mpi::Info> out(handle, "info");
  mpi::Info*& info = out;
  mpi::info_create(info);
  for (const auto& [key, type] : sizes) {
    mpi::info_set(info, key, std::to_string(mpi::size_of(in<mpi::Datatype>(type, key))).c_str());
  }
  for (const auto& [key, type] : optional_types) {
    mpi::info_set(info, key, optional<mpi::Datatype>(type) != nullptr ? "true" : "false");
  }
}

void abi_set_fortran_info(MPI_Info /*info*/) { known_already(); }

void abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, int* is_set) {
  if (logical_size != sizeof(fortran::Logical)) {
    throw mpi::Error{MPI_ERR_ABI, concat("a LOGICAL has ", sizeof(fortran::Logical), " bytes, not ", logical_size)};
  }
  at(static_cast<fortran::Logical*>(logical_true), "logical_true") = 1;
  at(static_cast<fortran::Logical*>(logical_false), "logical_false") = 0;
  at(is_set, "is_set") = 1;
}

void abi_set_fortran_booleans(int /*size*/, void* /*logical_true*/, void* /*logical_false*/) { known_already(); }

}  // namespace orrery::abi::by_hand
