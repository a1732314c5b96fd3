// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/file/file.hpp"
#include "mpi/file/internal.hpp"
#include "mpi/file/seek.hpp"
#include "mpi/file/split.hpp"

/// Accesses at the individual pointer (MPI-4.1, section 14.4.3). It moves by what was asked for, also where a file ends
/// before that (section 14.4.1: the count is that of the items to be accessed).
namespace orrery::mpi {
namespace {

Access reading_next(const File& file, void* buffer, std::int64_t count, Datatype& type) {
  check_random_access(file);
  return {.position = file.position, .buffer = buffer, .count = count, .type = &type};
}

Access writing_next(const File& file, const void* buffer, std::int64_t count, Datatype& type) {
  check_random_access(file);
  return {
      .writes = true, .position = file.position, .buffer = const_cast<void*>(buffer), .count = count, .type = &type};
}

void access_next(File& file, const Access& access, Status* status) {
  const std::int64_t etypes = etypes_of(file, access);
  access_now(file, access, status);
  file.position += etypes;
}

Request* start_next(File& file, const Access& access) {
  const std::int64_t etypes = etypes_of(file, access);
  Request* request = access_later(file, access);
  file.position += etypes;
  return request;
}

}  // namespace

void file_read(File& file, void* buffer, std::int64_t count, Datatype& type, Status* status) {
  access_next(file, reading_next(file, buffer, count, type), status);
}

void file_read_all(File& file, void* buffer, std::int64_t count, Datatype& type, Status* status) {
  check_no_split(file);
  file_read(file, buffer, count, type, status);
}

void file_write(File& file, const void* buffer, std::int64_t count, Datatype& type, Status* status) {
  access_next(file, writing_next(file, buffer, count, type), status);
}

void file_write_all(File& file, const void* buffer, std::int64_t count, Datatype& type, Status* status) {
  check_no_split(file);
  file_write(file, buffer, count, type, status);
}

void file_iread(File& file, void* buffer, std::int64_t count, Datatype& type, Request*& request) {
  request = start_next(file, reading_next(file, buffer, count, type));
}

void file_iread_all(File& file, void* buffer, std::int64_t count, Datatype& type, Request*& request) {
  file_iread(file, buffer, count, type, request);
}

void file_iwrite(File& file, const void* buffer, std::int64_t count, Datatype& type, Request*& request) {
  request = start_next(file, writing_next(file, buffer, count, type));
}

void file_iwrite_all(File& file, const void* buffer, std::int64_t count, Datatype& type, Request*& request) {
  file_iwrite(file, buffer, count, type, request);
}

void file_read_all_begin(File& file, void* buffer, std::int64_t count, Datatype& type) {
  check_no_split(file);
  begin_split(file, "MPI_File_read_all_end", start_next(file, reading_next(file, buffer, count, type)));
}

void file_read_all_end(File& file, void* /*buffer*/, Status* status) {
  end_split(file, "MPI_File_read_all_end", status);
}

void file_write_all_begin(File& file, const void* buffer, std::int64_t count, Datatype& type) {
  check_no_split(file);
  begin_split(file, "MPI_File_write_all_end", start_next(file, writing_next(file, buffer, count, type)));
}

void file_write_all_end(File& file, const void* /*buffer*/, Status* status) {
  end_split(file, "MPI_File_write_all_end", status);
}

void file_seek(File& file, std::int64_t offset, int whence) {
  check_random_access(file);
  file.position = sought(file, offset, whence, file.position);
}

void file_get_position(File& file, std::int64_t& offset) {
  check_random_access(file);
  offset = file.position;
}

void file_get_byte_offset(File& file, std::int64_t offset, std::int64_t& displacement) {
  check_random_access(file);
  std::int64_t bytes = 0;
  if (offset < 0 || __builtin_mul_overflow(offset, file.view.etype_bytes(), &bytes)) {
    throw Error{err_arg, concat("the offset is ", offset)};
  }
  displacement = file.view.offset_of(bytes);
}

}  // namespace orrery::mpi
