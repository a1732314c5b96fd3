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
  /// The kernel has been told of it.
  void sent(op::RequestId id, std::int64_t bytes);
  [[nodiscard]] bool attached() const { return attached_; }

 private:
  /// One that may not have left.
  struct Message {
    op::RequestId id = 0;
    std::int64_t bytes = 0;
  };

  void reap();
  [[nodiscard]] std::vector<Message> hand_over();
  void forget(const std::vector<Message>& messages);
  [[nodiscard]] bool fits(std::int64_t bytes) const;

  void* address_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t taken_ = 0;
  bool attached_ = false;
  std::vector<Message> under_way_;
  bool reaping_ = false;      ///< a thread asks which of them have left, and has taken them out meanwhile
  std::size_t look_at_ = 64;  ///< with so many under way, see whether some have left
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
