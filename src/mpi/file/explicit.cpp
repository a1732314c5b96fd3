// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/error/errors.hpp"
#include "mpi/file/file.hpp"
#include "mpi/file/internal.hpp"
#include "mpi/file/split.hpp"

/// Accesses at explicit offsets (MPI-4.1, section 14.4.2). Collective ones are those of the ranks one by one.
namespace orrery::mpi {
namespace {

Access reading_at(const File& file, std::int64_t offset, void* buffer, std::int64_t count, Datatype& type) {
  check_random_access(file);
  return {.position = offset, .buffer = buffer, .count = count, .type = &type};
}

Access writing_at(const File& file, std::int64_t offset, const void* buffer, std::int64_t count, Datatype& type) {
  check_random_access(file);
  return {.writes = true, .position = offset, .buffer = const_cast<void*>(buffer), .count = count, .type = &type};
}

}  // namespace

void file_read_at(File& file, std::int64_t offset, void* buffer, std::int64_t count, Datatype& type, Status* status) {
  access_now(file, reading_at(file, offset, buffer, count, type), status);
}

void file_read_at_all(File& file, std::int64_t offset, void* buffer, std::int64_t count, Datatype& type,
                      Status* status) {
  check_no_split(file);
  file_read_at(file, offset, buffer, count, type, status);
}

void file_write_at(File& file, std::int64_t offset, const void* buffer, std::int64_t count, Datatype& type,
                   Status* status) {
  access_now(file, writing_at(file, offset, buffer, count, type), status);
}

void file_write_at_all(File& file, std::int64_t offset, const void* buffer, std::int64_t count, Datatype& type,
                       Status* status) {
  check_no_split(file);
  file_write_at(file, offset, buffer, count, type, status);
}

void file_iread_at(File& file, std::int64_t offset, void* buffer, std::int64_t count, Datatype& type,
                   Request*& request) {
  request = access_later(file, reading_at(file, offset, buffer, count, type));
}

void file_iread_at_all(File& file, std::int64_t offset, void* buffer, std::int64_t count, Datatype& type,
                       Request*& request) {
  file_iread_at(file, offset, buffer, count, type, request);
}

void file_iwrite_at(File& file, std::int64_t offset, const void* buffer, std::int64_t count, Datatype& type,
                    Request*& request) {
  request = access_later(file, writing_at(file, offset, buffer, count, type));
}

void file_iwrite_at_all(File& file, std::int64_t offset, const void* buffer, std::int64_t count, Datatype& type,
                        Request*& request) {
  file_iwrite_at(file, offset, buffer, count, type, request);
}

void file_read_at_all_begin(File& file, std::int64_t offset, void* buffer, std::int64_t count, Datatype& type) {
  check_no_split(file);
  begin_split(file, "MPI_File_read_at_all_end", access_later(file, reading_at(file, offset, buffer, count, type)));
}

void file_read_at_all_end(File& file, void* /*buffer*/, Status* status) {
  end_split(file, "MPI_File_read_at_all_end", status);
}

void file_write_at_all_begin(File& file, std::int64_t offset, const void* buffer, std::int64_t count, Datatype& type) {
  check_no_split(file);
  begin_split(file, "MPI_File_write_at_all_end", access_later(file, writing_at(file, offset, buffer, count, type)));
}

void file_write_at_all_end(File& file, const void* /*buffer*/, Status* status) {
  end_split(file, "MPI_File_write_at_all_end", status);
}

}  // namespace orrery::mpi
