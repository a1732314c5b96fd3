// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <vector>

#include "mpi/datatype/walk.hpp"
#include "mpi/file/internal.hpp"
#include "mpi/file/system.hpp"
#include "mpi/rank/rank.hpp"
#include "mpi/request/request.hpp"

/// How bytes get from a buffer into the real file and back, and how the kernel is told.
namespace orrery::mpi {
namespace {

/// Scattered buffers go through a piece of memory of this size.
constexpr std::int64_t piece_bytes = std::int64_t{4} << 20;

/// What an access did, in bytes of the file and of the buffer.
struct Moved {
  std::int64_t offset = 0;  ///< of the first byte
  std::int64_t end = 0;     ///< after the last one
  std::int64_t bytes = 0;
  std::int64_t in_buffer = 0;
};

/// One access: bytes of the view from `position` on are put into the file, or taken out of it, piece after piece.
class Mover {
 public:
  Mover(const File& file, std::int64_t position) : file_(file), position_(position) {
    moved_.offset = moved_.end = file.view.offset_of(position);
  }

  void write(std::span<const std::byte> data) {
    file_.view.parts(position_, static_cast<std::int64_t>(data.size()), [&](std::int64_t offset, std::int64_t bytes) {
      write_fully(file_.descriptor, file_.name, data.first(static_cast<std::size_t>(bytes)), offset);
      data = data.subspan(static_cast<std::size_t>(bytes));
      count(offset, bytes);
    });
  }

  /// @return bytes read; fewer than asked for where the file ends
  std::int64_t read(std::span<std::byte> data) {
    const std::int64_t before = moved_.bytes;
    file_.view.parts(position_, static_cast<std::int64_t>(data.size()), [&](std::int64_t offset, std::int64_t bytes) {
      if (ended_) return;
      const std::int64_t got =
          read_fully(file_.descriptor, file_.name, data.first(static_cast<std::size_t>(bytes)), offset);
      data = data.subspan(static_cast<std::size_t>(got));
      ended_ = got < bytes;
      count(offset, got);
    });
    return moved_.bytes - before;
  }

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] const Moved& moved() const { return moved_; }

 private:
  void count(std::int64_t offset, std::int64_t bytes) {
    position_ += bytes;
    moved_.bytes += bytes;
    if (bytes > 0) moved_.end = std::max(moved_.end, offset + bytes);
  }

  const File& file_;
  std::int64_t position_;
  Moved moved_;
  bool ended_ = false;
};

std::span<std::byte> bytes_at(void* buffer, std::int64_t bytes) {
  return {static_cast<std::byte*>(buffer), static_cast<std::size_t>(bytes)};
}

void write_native(Mover& mover, const Access& access, std::int64_t bytes) {
  if (is_contiguous(*access.type)) return mover.write(bytes_at(access.buffer, bytes));
  Cursor from(access.buffer, access.count, *access.type);
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(bytes, piece_bytes)));
  while (const std::int64_t length = from.pack(piece)) mover.write(bytes_at(piece.data(), length));
}

void read_native(Mover& mover, const Access& access, std::int64_t bytes) {
  if (is_contiguous(*access.type)) {
    mover.read(bytes_at(access.buffer, bytes));
    return;
  }
  Cursor to(access.buffer, access.count, *access.type);
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(bytes, piece_bytes)));
  for (std::int64_t left = bytes; left > 0 && !mover.ended();) {
    const std::int64_t got = mover.read(bytes_at(piece.data(), std::min(left, piece_bytes)));
    to.unpack(bytes_at(piece.data(), got));
    left -= got;
  }
}

Moved move_native(const File& file, Mover& mover, const Access& access) {
  const std::int64_t bytes = file.view.empty() ? 0 : access.count * size_of(*access.type);
  access.writes ? write_native(mover, access, bytes) : read_native(mover, access, bytes);
  Moved moved = mover.moved();
  moved.in_buffer = moved.bytes;
  return moved;
}

Moved move_converted(const File& file, Mover& mover, const Access& access) {
  const Datarep& representation = file.representation;
  std::vector<std::byte> data;
  std::int64_t elements = access.count;
  if (access.writes) {
    data = to_file(access.buffer, access.count, *access.type, representation);
    mover.write(data);
  } else {
    data.resize(static_cast<std::size_t>(access.count * shape_in_file(*access.type, representation).size()));
    data.resize(static_cast<std::size_t>(mover.read(data)));
    elements = from_file(data, access.buffer, access.count, *access.type, representation);
  }
  Moved moved = mover.moved();
  moved.in_buffer = elements * size_of(*access.type);
  return moved;
}

/// Moves the data, and says what the kernel is to be told of it.
Moved move_data(const File& file, const Access& access) {
  Mover mover(file, access.position * file.view.etype_bytes());
  if (access.count * size_of(*access.type) == 0) return mover.moved();
  return file.representation.converts() ? move_converted(file, mover, access) : move_native(file, mover, access);
}

void tell_kernel(const File& file, const Access& access, const Moved& moved, op::RequestId request) {
  const std::int64_t place[] = {std::max<std::int64_t>(moved.offset, 0), moved.end - moved.offset};
  this_rank().push({.kind = access.writes ? op::Kind::FileWrite : op::Kind::FileRead,
                    .flags = static_cast<std::uint8_t>(request == 0 ? op::Blocking : 0),
                    .peer = op::any_source,
                    .comm = file.comm->id,
                    .request = request,
                    .bytes = {moved.bytes},
                    .counts = place});
}

/// An access whose data have moved: only simulated time is still to pass.
class FileRequest final : public Request {
 public:
  explicit FileRequest(std::int64_t bytes) { status.bytes = bytes; }
  bool arrived() override { return true; }
};

}  // namespace

void access_now(File& file, const Access& access, Status* status) {
  static_cast<void>(etypes_of(file, access));
  const AtomicAccess alone(file);
  const Moved moved = move_data(file, access);
  tell_kernel(file, access, moved, 0);
  if (status != nullptr) {
    *status = Status{};
    status->bytes = moved.in_buffer;
  }
}

Request* access_later(File& file, const Access& access) {
  static_cast<void>(etypes_of(file, access));
  const AtomicAccess alone(file);
  const Moved moved = move_data(file, access);
  auto request = std::make_unique<FileRequest>(moved.in_buffer);
  request->id = this_rank().new_request_id();
  tell_kernel(file, access, moved, request->id);
  return request.release();
}

}  // namespace orrery::mpi
