// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/types.hpp"

namespace orrery::mpi {

/// A datatype: a type map, kept as runs of bytes, with lower bound and extent (MPI-4.1, section 5.1).
/// Objects are reference-counted: a committed type that is freed lives as long as a request or a derived type uses it.
struct Datatype;

[[nodiscard]] std::int64_t size_of(const Datatype& type);  ///< bytes of data in one element
[[nodiscard]] std::int64_t extent_of(const Datatype& type);
[[nodiscard]] bool is_contiguous(
    const Datatype& type);  ///< `count` elements are count × size bytes without gap at the buffer's start
void retain(Datatype& type);
void release(Datatype& type);

/// Copies `count` elements at `buffer` to `packed` (count × size bytes).
void pack(const void* buffer, std::int64_t count, const Datatype& type, std::byte* packed);
/// Copies `bytes` packed bytes into at most `count` elements at `buffer`; a last element may be partial.
void unpack(const std::byte* packed, std::int64_t bytes, void* buffer, std::int64_t count, const Datatype& type);
/// Copies between two typed buffers in one process; @return bytes copied, the smaller of the two.
std::int64_t copy(const void* from, std::int64_t from_count, const Datatype& from_type, void* to, std::int64_t to_count,
                  const Datatype& to_type);

/// The predefined type of a handle value of the standard ABI (0x200 <= value < 0x300); null if there is none.
[[nodiscard]] Datatype* predefined_datatype(std::uint32_t abi_value);

/// Handle in the binary interface that the program uses, for callbacks. The bindings set it for the types they hand
/// out.
[[nodiscard]] void* abi_handle(const Datatype& type);
void set_abi_handle(Datatype& type, void* handle);

}  // namespace orrery::mpi
