// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <memory>

#include "base/error.hpp"
#include "mpi/communicator/group.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/file/agreement.hpp"
#include "mpi/file/file.hpp"
#include "mpi/file/file_object.hpp"
#include "mpi/file/internal.hpp"
#include "mpi/file/system.hpp"
#include "mpi/rank/locals.hpp"
#include "mpi/rank/rank.hpp"

/// Files as a whole (MPI-4.1, section 14.2).
namespace orrery::mpi {
namespace {

void check_amode(int amode) {
  constexpr int access = mode_rdonly | mode_rdwr | mode_wronly;
  constexpr int known =
      access | mode_append | mode_create | mode_delete_on_close | mode_excl | mode_sequential | mode_unique_open;
  const int chosen = amode & access;
  const auto fail = [](const char* what) { throw Error{err_amode, what}; };
  if ((amode & ~known) != 0) fail("the access mode has bits that mean nothing");
  if (chosen != mode_rdonly && chosen != mode_rdwr && chosen != mode_wronly) {
    fail("the access mode needs exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR, MPI_MODE_WRONLY");
  }
  if (chosen == mode_rdonly && (amode & (mode_create | mode_excl)) != 0) {
    fail("MPI_MODE_RDONLY cannot be combined with MPI_MODE_CREATE or MPI_MODE_EXCL");
  }
  if (chosen == mode_rdwr && (amode & mode_sequential) != 0) {
    fail("MPI_MODE_RDWR cannot be combined with MPI_MODE_SEQUENTIAL");
  }
}

/// The file as this rank has it, once the first rank has made sure that it is there.
std::unique_ptr<File> make_file(op::CommId id, const Comm& parent, int amode, const Info* info) {
  auto file = std::make_unique<File>();
  file->comm = make_comm(id, parent.group->world, parent.rank);
  file->amode = amode;
  file->etype = file->filetype = &type_byte();
  if (Errhandler* errhandler = locals().file_errors) file_set_errhandler(file.get(), *errhandler);
  keep_hints(*file, info);
  return file;
}

void destroy(File& file) {
  locals().files.erase(&file);
  if (file.descriptor >= 0) close(file.descriptor);
  release(*file.etype);
  release(*file.filetype);
  if (file.errhandler != nullptr) release(*file.errhandler);
  release(*file.comm);
  delete &file;
}

void start_at_end(File& file) {
  file.position = file.view.etypes_before(size_of_file(file.descriptor, file.name));
  if (file.comm->rank == 0) move_shared_position(file, file.position, Move::To);
}

void check_file_size(std::int64_t size) {
  if (size < 0) throw Error{err_arg, concat("the size is ", size)};
}

}  // namespace

bool is_open(const File* file) { return locals().files.contains(file); }

void file_open(Comm& comm, const char* name, int amode, Info* info, File*& opened) {
  if (comm.is_inter()) throw Error{err_comm, "files are opened by intra-communicators"};
  std::string real;
  const auto wrong = error_in([&] {
    check_amode(amode);
    real = real_name(name);
  });
  int descriptor = -1;
  const Agreed agreed = agree(comm, amode, wrong, [&](Agreed& outcome) {
    descriptor = open_file(real, amode, true);
    outcome.comm = static_cast<std::int32_t>(define_comm(comm.group->world));
  });
  std::unique_ptr<File> file = make_file(static_cast<op::CommId>(agreed.comm), comm, amode, info);
  file->name = std::move(real);
  if (file->name.size() < max_info_val) info_set(&file->hints, "filename", file->name.c_str());
  use_metadata(*file);
  const auto failed = error_in([&] {
    file->descriptor = descriptor >= 0 ? descriptor : open_file(file->name, amode, false);
    if ((amode & mode_append) != 0) start_at_end(*file);
  });
  try {
    agree(*file->comm, failed);
  } catch (const Error&) {
    destroy(*file.release());
    throw;
  }
  locals().files.insert(file.get());
  opened = file.release();
}

void file_close(File*& file) {
  if (file->split) throw Error{err_io, "a split collective access is under way"};
  std::unique_ptr<Error> failed;
  try {
    // Nobody may find the file, or a part of it missing, after another has closed it.
    agree(*file->comm, 0, {}, [&](Agreed&) {
      if ((file->amode & mode_delete_on_close) != 0) delete_file(file->name);
    });
  } catch (const Error& error) {
    failed = std::make_unique<Error>(error);
  }
  use_metadata(*file);
  destroy(*file);
  file = nullptr;
  if (failed) throw std::move(*failed);
}

void file_delete(const char* name, Info* /*info*/) {
  const std::string real = real_name(name);
  this_rank().push({.kind = op::Kind::FileMetadata});
  delete_file(real);
}

void file_set_size(File& file, std::int64_t size) {
  const auto wrong = error_in([&] {
    check_file_size(size);
    check_writable(file);
  });
  agree(*file.comm, size, wrong, [&](Agreed&) { resize_file(file.descriptor, file.name, size); });
  use_metadata(file);
}

void file_preallocate(File& file, std::int64_t size) {
  const auto wrong = error_in([&] {
    check_file_size(size);
    check_writable(file);
  });
  agree(*file.comm, size, wrong, [&](Agreed&) { reserve_space(file.descriptor, file.name, size); });
  use_metadata(file);
}

void file_get_size(File& file, std::int64_t& size) {
  use_metadata(file);
  size = size_of_file(file.descriptor, file.name);
}

void file_get_group(File& file, Group*& group) { comm_group(*file.comm, group); }

void file_get_amode(File& file, int& amode) { amode = file.amode; }

void file_sync(File& file) {
  agree(*file.comm, error_in([&] { check_no_split(file); }));
  use_metadata(file);
}

void file_set_atomicity(File& file, bool atomic) {
  agree(*file.comm, atomic ? 1 : 0, {}, [](Agreed&) {});
  file.atomic = atomic;
}

void file_get_atomicity(File& file, bool& atomic) { atomic = file.atomic; }

}  // namespace orrery::mpi
