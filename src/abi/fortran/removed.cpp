// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <vector>

#include "abi/fortran/convert.hpp"

/// Routines of MPI-1 that MPI-3 removed, whose addresses and distances are default integers: old programs still call
/// them, through mpif.h.
namespace orrery::abi::fortran {

namespace {

std::vector<MPI_Aint> widened(const int* numbers, int count) { return {numbers, numbers + std::max(count, 0)}; }

/// As an INTEGER; MPI_UNDEFINED if it does not fit.
int narrowed(MPI_Aint number) { return number == static_cast<int>(number) ? static_cast<int>(number) : MPI_UNDEFINED; }

MPI_Datatype make_bound(const char* name) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(0, MPI_BYTE, &type);
  PMPI_Type_set_name(type, name);
  PMPI_Type_commit(&type);
  return type;
}

/// The members of a structure without those that say where it begins and ends, and where that is.
struct Members {
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
  std::optional<MPI_Aint> begin;
  std::optional<MPI_Aint> end;

  Members(int count, const int* all_lengths, const int* all_places, const int* all_types) {
    for (int i = 0; i < count; ++i) {
      if (all_types[i] == lower_bound) {
        begin = std::min<MPI_Aint>(begin.value_or(all_places[i]), all_places[i]);
      } else if (all_types[i] == upper_bound) {
        end = std::max<MPI_Aint>(end.value_or(all_places[i]), all_places[i]);
      } else {
        lengths.push_back(all_lengths[i]);
        places.push_back(all_places[i]);
        types.push_back(from<MPI_Datatype>(all_types[i]));
      }
    }
  }

  int make(MPI_Datatype* type) const {
    MPI_Datatype whole = MPI_DATATYPE_NULL;
    const int count = static_cast<int>(types.size());
    const int code = MPI_Type_create_struct(count, lengths.data(), places.data(), types.data(), &whole);
    if (code != MPI_SUCCESS || (!begin && !end)) {
      *type = whole;
      return code;
    }
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(whole, &lower, &extent);
    const MPI_Aint first = begin.value_or(lower);
    const int resized = PMPI_Type_create_resized(whole, first, end.value_or(lower + extent) - first, type);
    PMPI_Type_free(&whole);
    return resized;
  }
};

struct Extent {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  int code;

  explicit Extent(int type) : code(MPI_Type_get_extent(from<MPI_Datatype>(type), &lower, &extent)) {}
};

}  // namespace

MPI_Datatype bound_type(int number) {
  static const MPI_Datatype lower = make_bound("MPI_LB");
  static const MPI_Datatype upper = make_bound("MPI_UB");
  return number == lower_bound ? lower : upper;
}

}  // namespace orrery::abi::fortran

using namespace orrery::abi::fortran;

#define ORRERY_OLD_NAME(name, ...) ORRERY_NAME(pmpi_##name##_) void mpi_##name##_ __VA_ARGS__

#pragma GCC visibility push(default)
extern "C" {

void pmpi_address_(void* location, int* address, int* ierror) {
  MPI_Aint wide = 0;
  const int code = MPI_Get_address(address_of(location), &wide);
  *address = narrowed(wide);
  done(ierror, code);
}
ORRERY_OLD_NAME(address, (void* location, int* address, int* ierror));

void pmpi_type_extent_(int* type, int* extent, int* ierror) {
  const Extent found(*type);
  *extent = narrowed(found.extent);
  done(ierror, found.code);
}
ORRERY_OLD_NAME(type_extent, (int* type, int* extent, int* ierror));

void pmpi_type_lb_(int* type, int* bound, int* ierror) {
  const Extent found(*type);
  *bound = narrowed(found.lower);
  done(ierror, found.code);
}
ORRERY_OLD_NAME(type_lb, (int* type, int* bound, int* ierror));

void pmpi_type_ub_(int* type, int* bound, int* ierror) {
  const Extent found(*type);
  *bound = narrowed(found.lower + found.extent);
  done(ierror, found.code);
}
ORRERY_OLD_NAME(type_ub, (int* type, int* bound, int* ierror));

void pmpi_type_hvector_(int* count, int* length, int* stride, int* old, int* type, int* ierror) {
  done(ierror,
       MPI_Type_create_hvector(*count, *length, *stride, from<MPI_Datatype>(*old), HandleOut<MPI_Datatype>(type)));
}
ORRERY_OLD_NAME(type_hvector, (int* count, int* length, int* stride, int* old, int* type, int* ierror));

void pmpi_type_hindexed_(int* count, int* lengths, int* places, int* old, int* type, int* ierror) {
  done(ierror, MPI_Type_create_hindexed(*count, lengths, widened(places, *count).data(), from<MPI_Datatype>(*old),
                                        HandleOut<MPI_Datatype>(type)));
}
ORRERY_OLD_NAME(type_hindexed, (int* count, int* lengths, int* places, int* old, int* type, int* ierror));

void pmpi_type_struct_(int* count, int* lengths, int* places, int* types, int* type, int* ierror) {
  if (*count < 0) {
    done(ierror, MPI_Type_create_struct(*count, lengths, nullptr, nullptr, HandleOut<MPI_Datatype>(type)));
    return;
  }
  done(ierror, Members(*count, lengths, places, types).make(HandleOut<MPI_Datatype>(type)));
}
ORRERY_OLD_NAME(type_struct, (int* count, int* lengths, int* places, int* types, int* type, int* ierror));

void pmpi_errhandler_create_(Function* function, int* handler, int* ierror) {
  done(ierror, MPI_Comm_create_errhandler(comm_errhandler(function), HandleOut<MPI_Errhandler>(handler)));
}
ORRERY_OLD_NAME(errhandler_create, (Function * function, int* handler, int* ierror));

void pmpi_errhandler_set_(int* comm, int* handler, int* ierror) {
  done(ierror, MPI_Comm_set_errhandler(from<MPI_Comm>(*comm), from<MPI_Errhandler>(*handler)));
}
ORRERY_OLD_NAME(errhandler_set, (int* comm, int* handler, int* ierror));

void pmpi_errhandler_get_(int* comm, int* handler, int* ierror) {
  done(ierror, MPI_Comm_get_errhandler(from<MPI_Comm>(*comm), HandleOut<MPI_Errhandler>(handler)));
}
ORRERY_OLD_NAME(errhandler_get, (int* comm, int* handler, int* ierror));
}
#pragma GCC visibility pop
