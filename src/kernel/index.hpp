// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

namespace orrery::kernel {

/// What says that there is no such thing: it is equal to an index of nothing, whatever the pool.
struct None {
  constexpr operator std::uint32_t() const { return 0xffffffff; }  // while some indices are plain numbers
};
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

/// What things of a pool are known by: some by plain numbers still.
template <class T>
inline constexpr bool has_index = false;
template <>
inline constexpr bool has_index<Frame> = true;
template <>
inline constexpr bool has_index<Cursor> = true;
template <>
inline constexpr bool has_index<OneSided> = true;
template <>
inline constexpr bool has_index<Message> = true;
template <>
inline constexpr bool has_index<Partitions> = true;
template <>
inline constexpr bool has_index<Request> = true;
template <class T>
using Number = std::conditional_t<has_index<T>, Index<T>, std::uint32_t>;

}  // namespace orrery::kernel
