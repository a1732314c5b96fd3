// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mpi/channel/channel.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

/// Data of a program: `count` elements of a datatype, or plain bytes (no type).
struct Data {
  void* buffer = nullptr;
  std::int64_t count = 0;
  const Datatype* type = nullptr;

  [[nodiscard]] static Data of(std::span<const std::byte> bytes);
  [[nodiscard]] static Data of(const void* buffer, std::int64_t count, const Datatype& type);
  [[nodiscard]] std::int64_t bytes() const;  ///< packed
  [[nodiscard]] bool contiguous() const;
  void pack_into(std::byte* packed) const;
  void unpack_from(const std::byte* packed, std::int64_t bytes) const;
};

/// When a buffer that is sent must be free for reuse.
enum class Reuse : std::uint8_t {
  AtOnce,  ///< when the call returns: the bytes are copied
  Later,   ///< when the token says so: many bytes may be left where they are until the receiver has fetched them
};

/// How bytes travel between ranks: in the inbox record if they are few; else in the arena; and if they are so many that
/// the simulated sender too waits for its receiver, they stay with the sender, and the receiver reads them from its
/// process.
///
/// The last way ties two processes together: the sender waits until the receiver wants the message. That must never be
/// the reason why a rank cannot go on, since the receiver may be waiting for an answer for which the kernel first has
/// to hear from the sender. Whoever sleeps for long therefore fetches what waits for it unasked (`fetch_ahead`).
class Payloads {
 public:
  explicit Payloads(Rank& rank) : rank_(rank) {}

  /// Sends `data` to a world rank. `head` has the envelope: source, comm, tag, sequence, collective.
  [[nodiscard]] Rank::SendToken post(int dest, channel::Message& head, const Data& data, Reuse reuse);
  /// Copies the payload of a message, as much as fits, and gives back what held it. `inline_bytes`: where it is if it
  /// is inline.
  void fetch(const channel::Message& head, const std::byte* inline_bytes, const Data& into);
  /// Reads the payload of a kept message from its sender, if it is still there, and lets the sender go.
  void fetch_ahead(Kept& kept);

  /// Whether data is left out of messages, where the run does without (`--data none`): floating-point numbers, of more
  /// than 1 KiB. Other data, and few numbers, such as a residual, decide what programs do next.
  [[nodiscard]] bool leaves_out(const Data& data) const;

  /// Whether the system lets ranks read each other's memory.
  [[nodiscard]] bool receivers_can_pull();

 private:
  [[nodiscard]] channel::Offset allocate(std::size_t bytes);
  void pull(const channel::Message& head, const Data& into);
  void release_arena(const channel::Message& head);

  Rank& rank_;
  std::optional<bool> can_pull_;  ///< found out when first needed
};

}  // namespace orrery::mpi
