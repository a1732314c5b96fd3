// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/communicator/comm.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/object/held.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/request/request.hpp"

namespace orrery::mpi {

/// What is sent, where, and how.
struct Sending {
  Data data;
  std::int32_t dest = proc_null;  ///< world rank or `proc_null`
  int tag = 0;
  op::CommId comm = 0;
  op::Mode mode = op::Mode::Standard;
};

/// The arguments of a send, checked. @throws Error
[[nodiscard]] Sending checked_send(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag,
                                   const Comm& comm, op::Mode mode);

/// Tells the kernel and posts the bytes. @param id 0: the operation is blocking
[[nodiscard]] Rank::SendToken send_message(Rank& rank, const Sending& sending, op::RequestId id,
                                           std::uint8_t flags = 0);
/// A buffered send, not to PROC_NULL: it is over for the program at once.
/// @throws Error when it does not fit into the attached buffer
void send_buffered(Rank& rank, const Sending& sending, Comm& comm);

/// A non-blocking or persistent send.
class SendRequest final : public Request {
 public:
  SendRequest(const Sending& sending, Comm& comm, Datatype& type, bool persistent);
  [[nodiscard]] bool arrived() override;
  void start() override;
  /// The message is sent all the same, which the standard allows, but nothing waits for its receiver any more (MPI-4.1,
  /// section 3.8.4: a wait for it returns whatever other processes do).
  void cancel() override;

 private:
  Sending sending_;
  Held<Comm> comm_;
  Held<Datatype> type_;
  Rank::SendToken token_;
  bool cancelled_ = false;
};

}  // namespace orrery::mpi
