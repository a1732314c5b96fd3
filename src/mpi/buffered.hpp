// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/types.hpp"
#include "op/op.hpp"

namespace orrery::mpi {

/// A buffer that the program attached for buffered sends: to a communicator, or for all that have none (MPI-4.1,
/// section 3.6). Bytes are copied elsewhere; what counts is how much of it is taken, which depends on simulated time: a
/// message has left once its transfer has ended. The kernel is asked only when the buffer may be full.
class AttachedBuffer {
 public:
  /// @throws Error when there is one already
  void attach(void* buffer, std::int64_t size);
  /// Waits until all messages have left it. Without a buffer: null, of size 0.
  void detach(void* buffer_address, std::int64_t& size);
  void flush();
  void iflush(Request*& request);

  /// Takes room for a message, until the send of this request has left. @throws Error (MPI_ERR_BUFFER) for no room
  [[nodiscard]] op::RequestId take(std::int64_t bytes);
  [[nodiscard]] bool attached() const { return attached_; }

 private:
  void reap();
  [[nodiscard]] bool fits(std::int64_t bytes) const;

  void* address_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t taken_ = 0;
  bool attached_ = false;
  std::vector<op::RequestId> under_way_;  ///< messages that may not have left
  std::vector<std::int64_t> bytes_;       ///< of each
  std::size_t look_at_ = 64;              ///< with so many under way, see whether some have left
};

/// MPI_BUFFER_AUTOMATIC: the library provides the buffer, of any size.
inline void* const buffer_automatic = reinterpret_cast<void*>(2);

/// The buffer that buffered sends on `comm` use: its own, that of its session, or that of the rank.
[[nodiscard]] AttachedBuffer& buffer_of(Comm& comm);

void buffer_attach(void* buffer, std::int64_t size);
void buffer_detach(void* buffer_address, std::int64_t& size);  ///< writes the buffer's address to `*buffer_address`
void buffer_flush();
void buffer_iflush(Request*& request);
void comm_attach_buffer(Comm& comm, void* buffer, std::int64_t size);
void comm_detach_buffer(Comm& comm, void* buffer_address, std::int64_t& size);
void comm_flush_buffer(Comm& comm);
void comm_iflush_buffer(Comm& comm, Request*& request);

}  // namespace orrery::mpi
