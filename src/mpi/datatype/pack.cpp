// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/datatype/walk.hpp"
#include "mpi/error/errors.hpp"

namespace orrery::mpi {
namespace {

template <class Length>
void move_bytes(std::byte* to, const std::byte* from, Length bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

/// Copies the part [begin, end) of the packed form of `layout` at `buffer` to `packed`.
void gather_bytes(const Node& layout, const void* buffer, std::int64_t begin, std::int64_t end, std::byte* packed) {
  auto take = [buffer, packed](std::int64_t displacement, auto bytes, const Basic*) mutable {
    move_bytes(packed, byte_at(buffer, displacement), bytes);
    packed += bytes;
  };
  visit_range(layout, 0, begin, end, take);
}

/// The reverse.
void scatter_bytes(const Node& layout, void* buffer, std::int64_t begin, std::int64_t end, const std::byte* packed) {
  auto put = [buffer, packed](std::int64_t displacement, auto bytes, const Basic*) mutable {
    move_bytes(byte_at(buffer, displacement), packed, bytes);
    packed += bytes;
  };
  visit_range(layout, 0, begin, end, put);
}

Layout layout_of(std::int64_t count, const Datatype& type) { return repeat(type.bytes, count, type.shape.extent()); }

/// Both are scattered: through a piece of memory that stays in the cache.
void copy_scattered(Cursor from, Cursor to, std::int64_t bytes) {
  std::array<std::byte, 16 * 1024> piece;
  while (bytes > 0) {
    const auto length = std::min(bytes, static_cast<std::int64_t>(piece.size()));
    const std::span<std::byte> part(piece.data(), static_cast<std::size_t>(length));
    from.pack(part);
    to.unpack(part);
    bytes -= length;
  }
}

}  // namespace

void pack(const void* buffer, std::int64_t count, const Datatype& type, std::byte* packed) {
  const std::int64_t bytes = count * size_of(type);
  if (bytes == 0) return;
  if (is_contiguous(type)) {
    move_bytes(packed, byte_at(buffer, 0), bytes);
    return;
  }
  gather_bytes(*layout_of(count, type), buffer, 0, bytes, packed);
}

void unpack(const std::byte* packed, std::int64_t bytes, void* buffer, std::int64_t count, const Datatype& type) {
  bytes = std::min(bytes, count * size_of(type));
  if (bytes == 0) return;
  if (is_contiguous(type)) {
    move_bytes(byte_at(buffer, 0), packed, bytes);
    return;
  }
  scatter_bytes(*layout_of(count, type), buffer, 0, bytes, packed);
}

std::int64_t copy(const void* from, std::int64_t from_count, const Datatype& from_type, void* to, std::int64_t to_count,
                  const Datatype& to_type) {
  const std::int64_t bytes = std::min(from_count * size_of(from_type), to_count * size_of(to_type));
  if (bytes == 0) return 0;
  if (is_contiguous(from_type)) {
    unpack(byte_at(from, 0), bytes, to, to_count, to_type);
  } else if (is_contiguous(to_type)) {
    gather_bytes(*layout_of(from_count, from_type), from, 0, bytes, byte_at(to, 0));
  } else {
    copy_scattered(Cursor(from, from_count, from_type), Cursor(to, to_count, to_type), bytes);
  }
  return bytes;
}

struct Cursor::Data {
  void* buffer;
  Layout layout;
};

Cursor::Cursor(const void* buffer, std::int64_t count, const Datatype& type)
    : data_(new Data{const_cast<void*>(buffer), layout_of(count, type)}), size_(mpi::size_of(data_->layout)) {}
Cursor::~Cursor() = default;
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor& Cursor::operator=(Cursor&&) noexcept = default;

std::int64_t Cursor::pack(std::span<std::byte> out) {
  const std::int64_t bytes = std::min(static_cast<std::int64_t>(out.size()), size_ - position_);
  if (bytes > 0) gather_bytes(*data_->layout, data_->buffer, position_, position_ + bytes, out.data());
  position_ += bytes;
  return bytes;
}

std::int64_t Cursor::unpack(std::span<const std::byte> in) {
  const std::int64_t bytes = std::min(static_cast<std::int64_t>(in.size()), size_ - position_);
  if (bytes > 0) scatter_bytes(*data_->layout, data_->buffer, position_, position_ + bytes, in.data());
  position_ += bytes;
  return bytes;
}

void pack(const void* in, std::int64_t in_count, const Datatype& type, void* out, std::int64_t out_size,
          std::int64_t& position, Comm&) {
  check_elements(in_count, type);
  const std::int64_t bytes = in_count * size_of(type);
  check_room(position, bytes, out_size);
  pack(in, in_count, type, static_cast<std::byte*>(out) + position);
  position += bytes;
}

void unpack(const void* in, std::int64_t in_size, std::int64_t& position, void* out, std::int64_t out_count,
            const Datatype& type, Comm&) {
  check_elements(out_count, type);
  const std::int64_t bytes = out_count * size_of(type);
  check_room(position, bytes, in_size);
  unpack(static_cast<const std::byte*>(in) + position, bytes, out, out_count, type);
  position += bytes;
}

void pack_size(std::int64_t count, const Datatype& type, Comm&, std::int64_t& size) { size = count * size_of(type); }

void get_address(const void* location, std::int64_t& address) {
  address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(location));
}

// Addresses wrap around like pointers: no signed overflow.
std::int64_t aint_add(std::int64_t base, std::int64_t displacement) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(displacement));
}
std::int64_t aint_diff(std::int64_t address, std::int64_t from) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(address) - static_cast<std::uint64_t>(from));
}

}  // namespace orrery::mpi
