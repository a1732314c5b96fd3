// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "abi/foreign/by_hand.hpp"
#include "abi/foreign/callbacks.hpp"
#include "abi/foreign/handles.hpp"
#include "abi/foreign/numbers.hpp"
#include "special.hpp"
#include "standard_entries.hpp"

/// Routines that MPI-3.0 removed, and that programs of its time still call: each by the one that took its place.
namespace orrery::abi::foreign {

namespace {

/// A structure as MPI-1 describes it: types without markers, and the bounds that those give.
struct OldStructure {
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  std::vector<MPI_Datatype> types;
  bool has_lower = false, has_upper = false;
  MPI_Aint lower = 0, upper = 0;

  void add(int length, MPI_Aint displacement, Datatype type) {
    if (is_lower_bound(type)) {
      lower = has_lower ? std::min(lower, displacement) : displacement;
      has_lower = true;
    } else if (is_upper_bound(type)) {
      upper = has_upper ? std::max(upper, displacement) : displacement;
      has_upper = true;
    } else {
      lengths.push_back(length);
      displacements.push_back(displacement);
      types.push_back(handle_in<MPI_Datatype>(type));
    }
  }

  int make(MPI_Datatype* type) const {
    MPI_Datatype plain = MPI_DATATYPE_NULL;
    int result = entries::MPI_Type_create_struct(static_cast<int>(types.size()), lengths.data(), displacements.data(),
                                                 types.data(), &plain);
    if (result != MPI_SUCCESS || !(has_lower || has_upper)) {
      *type = plain;
      return result;
    }
    MPI_Aint first = 0, extent = 0;
    entries::MPI_Type_get_extent(plain, &first, &extent);
    const MPI_Aint last = has_upper ? upper : first + extent;
    if (has_lower) first = lower;
    result = entries::MPI_Type_create_resized(plain, first, last - first, type);
    entries::MPI_Type_free(&plain);
    return result;
  }
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int PMPI_Address(void* location, MPI_Aint* address) { return code(entries::MPI_Get_address(location, address)); }

int PMPI_Type_extent(Datatype type, MPI_Aint* extent) {
  MPI_Aint lower = 0;
  return code(entries::MPI_Type_get_extent(handle_in<MPI_Datatype>(type), &lower, extent));
}

int PMPI_Type_lb(Datatype type, MPI_Aint* displacement) {
  MPI_Aint extent = 0;
  return code(entries::MPI_Type_get_extent(handle_in<MPI_Datatype>(type), displacement, &extent));
}

int PMPI_Type_ub(Datatype type, MPI_Aint* displacement) {
  MPI_Aint lower = 0, extent = 0;
  const int result = entries::MPI_Type_get_extent(handle_in<MPI_Datatype>(type), &lower, &extent);
  if (result == MPI_SUCCESS) *displacement = lower + extent;
  return code(result);
}

int PMPI_Type_hvector(int count, int length, MPI_Aint stride, Datatype type, Datatype* made) {
  return code(entries::MPI_Type_create_hvector(count, length, stride, handle_in<MPI_Datatype>(type),
                                               HandleOut<MPI_Datatype>(made)));
}

int PMPI_Type_hindexed(int count, int* lengths, MPI_Aint* displacements, Datatype type, Datatype* made) {
  return code(entries::MPI_Type_create_hindexed(count, lengths, displacements, handle_in<MPI_Datatype>(type),
                                                HandleOut<MPI_Datatype>(made)));
}

int PMPI_Type_struct(int count, int* lengths, MPI_Aint* displacements, Datatype* types, Datatype* made) {
  OldStructure structure;
  for (int i = 0; i < count; ++i) structure.add(lengths[i], displacements[i], types[i]);
  return code(structure.make(HandleOut<MPI_Datatype>(made)));
}

int PMPI_Errhandler_create(Function* handler, Errhandler* made) {
  return code(entries::MPI_Comm_create_errhandler(FunctionIn<MPI_Comm_errhandler_function>(handler),
                                                  HandleOut<MPI_Errhandler>(made)));
}

int PMPI_Errhandler_get(Comm comm, Errhandler* handler) {
  return code(entries::MPI_Comm_get_errhandler(handle_in<MPI_Comm>(comm), HandleOut<MPI_Errhandler>(handler)));
}

int PMPI_Errhandler_set(Comm comm, Errhandler handler) {
  return code(entries::MPI_Comm_set_errhandler(handle_in<MPI_Comm>(comm), handle_in<MPI_Errhandler>(handler)));
}

__attribute__((weak, alias("PMPI_Address"))) int MPI_Address(void*, MPI_Aint*);
__attribute__((weak, alias("PMPI_Type_extent"))) int MPI_Type_extent(Datatype, MPI_Aint*);
__attribute__((weak, alias("PMPI_Type_lb"))) int MPI_Type_lb(Datatype, MPI_Aint*);
__attribute__((weak, alias("PMPI_Type_ub"))) int MPI_Type_ub(Datatype, MPI_Aint*);
__attribute__((weak, alias("PMPI_Type_hvector"))) int MPI_Type_hvector(int, int, MPI_Aint, Datatype, Datatype*);
__attribute__((weak, alias("PMPI_Type_hindexed"))) int MPI_Type_hindexed(int, int*, MPI_Aint*, Datatype, Datatype*);
__attribute__((weak, alias("PMPI_Type_struct"))) int MPI_Type_struct(int, int*, MPI_Aint*, Datatype*, Datatype*);
__attribute__((weak, alias("PMPI_Errhandler_create"))) int MPI_Errhandler_create(Function*, Errhandler*);
__attribute__((weak, alias("PMPI_Errhandler_get"))) int MPI_Errhandler_get(Comm, Errhandler*);
__attribute__((weak, alias("PMPI_Errhandler_set"))) int MPI_Errhandler_set(Comm, Errhandler);
}
#pragma GCC visibility pop

}  // namespace orrery::abi::foreign
