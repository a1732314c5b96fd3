// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mpi/channel/channel.hpp"

namespace orrery::mpi {

/// Bytes in shared memory, written by one rank for several readers, of which the last releases them.
///
/// A message that carries some of them has `Form::Arena`, their place, and `ack` = `block`.
struct SharedBytes {
  channel::Offset block = 0;
  std::span<std::byte> bytes;

  /// Room for `bytes` that will be read by `readers` messages, 1 or more; none when shared memory is used up.
  [[nodiscard]] static std::optional<SharedBytes> allocate(channel::Memory& memory, std::int64_t bytes,
                                                           std::uint32_t readers);
};

/// A reader has read its part of the bytes of `block`.
void give_back_share(channel::Memory& memory, channel::Offset block);

}  // namespace orrery::mpi
