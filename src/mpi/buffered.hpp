// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace orrery::mpi {

/// The buffer that the program attached for buffered sends (MPI-4.1, section 3.6). Bytes are copied elsewhere; only its
/// size matters. A message that fits into the empty buffer is accepted: how much of it earlier messages still occupy
/// would depend on simulated time, and a correct program leaves enough room anyway.
struct AttachedBuffer {
  void* address = nullptr;
  std::int64_t size = 0;
  bool attached = false;

  /// @throws Error (MPI_ERR_BUFFER) when a message of so many bytes does not fit
  void check_room(std::int64_t bytes) const;
};

/// MPI_BUFFER_AUTOMATIC: the library provides the buffer, of any size.
inline void* const buffer_automatic = reinterpret_cast<void*>(2);

}  // namespace orrery::mpi
