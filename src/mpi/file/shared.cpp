// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/file/agreement.hpp"
#include "mpi/file/file.hpp"
#include "mpi/file/internal.hpp"
#include "mpi/file/seek.hpp"
#include "mpi/file/split.hpp"

/// Accesses at the shared pointer (MPI-4.1, section 14.4.4). The kernel keeps it: who comes first in simulated time
/// gets the first place, in each run the same.
namespace orrery::mpi {
namespace {

constexpr std::uint32_t abi_int64 = 0x258;  // MPI_INT64_T

Access reading_shared(void* buffer, std::int64_t count, Datatype& type) {
  return {.buffer = buffer, .count = count, .type = &type};
}

Access writing_shared(const void* buffer, std::int64_t count, Datatype& type) {
  return {.writes = true, .buffer = const_cast<void*>(buffer), .count = count, .type = &type};
}

/// Takes the next place for an access.
Access placed(const File& file, Access access) {
  access.position = move_shared_position(file, etypes_of(file, access), Move::By);
  return access;
}

/// Takes places for an access of each rank, one behind the other in the order of ranks: each says how much it needs, or
/// that it has an error, then the first takes the place for all. @throws Error on all ranks when one has an error
Access in_order(const File& file, Access access) {
  Comm& comm = *file.comm;
  std::array<std::int64_t, 2> own{};  // etypes, class of an error
  const auto wrong = error_in([&] {
    check_no_split(file);
    own[0] = etypes_of(file, access);
  });
  if (wrong) own[1] = wrong->error_class;
  Datatype& number = *predefined_datatype(abi_int64);
  std::vector<std::array<std::int64_t, 2>> all(static_cast<std::size_t>(comm.size()));
  allgather(own.data(), 2, number, all.data(), 2, number, comm);
  if (wrong) throw *wrong;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank][1] != success) throw Error{static_cast<int>(all[rank][1]), concat("rank ", rank, " has an error")};
  }
  const auto add = [](std::int64_t sum, const std::array<std::int64_t, 2>& answer) { return sum + answer[0]; };
  std::int64_t first = 0;
  if (comm.rank == 0) {
    first = move_shared_position(file, std::accumulate(all.begin(), all.end(), std::int64_t{0}, add), Move::By);
  }
  bcast(&first, 1, number, 0, comm);
  access.position = std::accumulate(all.begin(), all.begin() + comm.rank, first, add);
  return access;
}

}  // namespace

void file_read_shared(File& file, void* buffer, std::int64_t count, Datatype& type, Status* status) {
  access_now(file, placed(file, reading_shared(buffer, count, type)), status);
}

void file_write_shared(File& file, const void* buffer, std::int64_t count, Datatype& type, Status* status) {
  access_now(file, placed(file, writing_shared(buffer, count, type)), status);
}

void file_iread_shared(File& file, void* buffer, std::int64_t count, Datatype& type, Request*& request) {
  request = access_later(file, placed(file, reading_shared(buffer, count, type)));
}

void file_iwrite_shared(File& file, const void* buffer, std::int64_t count, Datatype& type, Request*& request) {
  request = access_later(file, placed(file, writing_shared(buffer, count, type)));
}

void file_read_ordered(File& file, void* buffer, std::int64_t count, Datatype& type, Status* status) {
  access_now(file, in_order(file, reading_shared(buffer, count, type)), status);
}

void file_write_ordered(File& file, const void* buffer, std::int64_t count, Datatype& type, Status* status) {
  access_now(file, in_order(file, writing_shared(buffer, count, type)), status);
}

void file_read_ordered_begin(File& file, void* buffer, std::int64_t count, Datatype& type) {
  begin_split(file, "MPI_File_read_ordered_end",
              access_later(file, in_order(file, reading_shared(buffer, count, type))));
}

void file_read_ordered_end(File& file, void* /*buffer*/, Status* status) {
  end_split(file, "MPI_File_read_ordered_end", status);
}

void file_write_ordered_begin(File& file, const void* buffer, std::int64_t count, Datatype& type) {
  begin_split(file, "MPI_File_write_ordered_end",
              access_later(file, in_order(file, writing_shared(buffer, count, type))));
}

void file_write_ordered_end(File& file, const void* /*buffer*/, Status* status) {
  end_split(file, "MPI_File_write_ordered_end", status);
}

void file_seek_shared(File& file, std::int64_t offset, int whence) {
  Comm& comm = *file.comm;
  const auto wrong = error_in([&] {
    if (whence != seek_set && whence != seek_cur && whence != seek_end) {
      throw Error{err_arg, concat("whence is ", whence, ": no way to seek")};
    }
  });
  agree(comm, offset, wrong, [](Agreed&) {});
  const auto failed = error_in([&] {
    if (comm.rank != 0) return;
    const std::int64_t position = whence == seek_cur ? move_shared_position(file, 0, Move::By) : 0;
    move_shared_position(file, sought(file, offset, whence, position), Move::To);
  });
  agree(comm, failed);
}

void file_get_position_shared(File& file, std::int64_t& offset) { offset = move_shared_position(file, 0, Move::By); }

}  // namespace orrery::mpi
