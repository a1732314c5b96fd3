// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

namespace orrery::kernel {

/// What says that there is no such thing: it is equal to an index of nothing, whatever the pool.
struct None {};
inline constexpr None none;

/// The number of a thing in its pool (kernel/pool.hpp). That of a thing of another pool is of another type, so that the
/// two cannot be taken for each other; and so is every other number. Where others keep it (an event, the transport, the
/// storage) they keep its value.
template <class T>
struct Index {
  std::uint32_t value = 0xffffffff;

  constexpr Index() = default;  ///< of nothing
  constexpr Index(None) {}
  explicit constexpr Index(std::uint32_t number) : value(number) {}

  friend constexpr bool operator==(Index, Index) = default;
};
static_assert(sizeof(Index<None>) == sizeof(std::uint32_t) && std::is_trivially_copyable_v<Index<None>>);
static_assert(!std::is_convertible_v<std::uint32_t, Index<None>>);

struct Cursor;
struct Frame;
struct Message;
struct OneSided;
struct Partitions;
struct Request;

using CursorIndex = Index<Cursor>;
using FrameIndex = Index<Frame>;
using MessageIndex = Index<Message>;
using OneSidedIndex = Index<OneSided>;
using PartitionsIndex = Index<Partitions>;
using RequestIndex = Index<Request>;

}  // namespace orrery::kernel
