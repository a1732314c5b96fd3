// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/file/agreement.hpp"
#include "mpi/file/file.hpp"
#include "mpi/file/internal.hpp"
#include "mpi/file/system.hpp"

/// Views (MPI-4.1, section 14.3).
namespace orrery::mpi {
namespace {

/// MPI_DISPLACEMENT_CURRENT, in the standard ABI and in MPICH's; no other negative displacement means anything.
bool is_current(std::int64_t displacement) { return displacement == -1 || displacement == -54278278; }

void exchange_types(Datatype*& kept, Datatype& type) {
  retain(type);
  release(*kept);
  kept = &type;
}

std::int64_t checked_displacement(const File& file, std::int64_t displacement) {
  if (is_current(displacement)) {
    if ((file.amode & mode_sequential) == 0) {
      throw Error{err_disp, "MPI_DISPLACEMENT_CURRENT is for files opened with MPI_MODE_SEQUENTIAL"};
    }
    return file.view.offset_of(move_shared_position(file, 0, Move::By) * file.view.etype_bytes());
  }
  if (displacement < 0) throw Error{err_disp, concat("the displacement is ", displacement)};
  return displacement;
}

void check_types(const File& file, const Datatype& etype, const Datatype& filetype) {
  check_committed(etype);
  check_committed(filetype);
  const bool writable = (file.amode & mode_rdonly) == 0;
  check_layout_for_files(etype.shape, "etype", writable);
  check_layout_for_files(filetype.shape, "filetype", writable);
  const std::int64_t unit = size_of(etype);
  if (unit == 0 ? size_of(filetype) != 0 : size_of(filetype) % unit != 0) {
    throw Error{err_arg, concat("a filetype of ", size_of(filetype), " bytes is not made of etypes of ", unit)};
  }
}

}  // namespace

void file_set_view(File& file, std::int64_t displacement, Datatype& etype, Datatype& filetype, const char* datarep,
                   Info* info) {
  Datarep representation;
  View view;
  std::int64_t from = 0;
  agree(*file.comm, error_in([&] {
    check_no_split(file);
    check_types(file, etype, filetype);
    representation = find_datarep(datarep);
    from = checked_displacement(file, displacement);
    view = View(from, shape_in_file(etype, representation).size(), shape_in_file(filetype, representation));
  }));
  exchange_types(file.etype, etype);
  exchange_types(file.filetype, filetype);
  file.displacement = from;
  file.representation = std::move(representation);
  file.view = std::move(view);
  file.position = 0;
  keep_hints(file, info);
  // Pointers are back at the beginning, the shared one for all ranks before any uses it.
  if (file.comm->rank == 0) move_shared_position(file, 0, Move::To);
  agree(*file.comm, {});
}

void file_get_view(File& file, std::int64_t& displacement, Datatype*& etype, Datatype*& filetype, char* datarep) {
  if (datarep == nullptr) throw Error{err_arg, "the room for the data representation is a null pointer"};
  displacement = file.displacement;
  etype = file.etype;
  filetype = file.filetype;
  retain(*etype);
  retain(*filetype);
  file.representation.name.copy(datarep, file.representation.name.size());
  datarep[file.representation.name.size()] = '\0';
}

void file_get_type_extent(File& file, Datatype& type, std::int64_t& extent) {
  extent = shape_in_file(type, file.representation).extent();
}

}  // namespace orrery::mpi
