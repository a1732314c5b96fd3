// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "mpi/point_to_point/receive.hpp"
#include "mpi/point_to_point/send.hpp"

namespace orrery::mpi {

/// A send and a receive in one request (MPI-4.1, section 3.10): a receive that is complete only when a send is too. The
/// kernel knows it as one request of two parts, or of one where the other side is MPI_PROC_NULL.
class SendrecvRequest final : public RecvRequest {
 public:
  /// @param packed what is sent if the receive overwrites it; else empty
  SendrecvRequest(const Receive& receive, Datatype& recv_type, const Sending& sending, Datatype& send_type, Comm& comm,
                  std::vector<std::byte> packed);
  [[nodiscard]] bool arrived() override { return RecvRequest::arrived() && token_.done(); }
  void start() override;
  void cancel() override;

 private:
  Sending sending_;
  std::vector<std::byte> packed_;
  Held<Datatype> send_type_;
  Rank::SendToken token_;
};

// As in MPI; blocking forms are in point_to_point.hpp.
void isendrecv(const void* send_buffer, std::int64_t send_count, Datatype& send_type, int dest, int send_tag,
               void* recv_buffer, std::int64_t recv_count, Datatype& recv_type, int source, int recv_tag, Comm& comm,
               Request*& request);
void isendrecv_replace(void* buffer, std::int64_t count, Datatype& type, int dest, int send_tag, int source,
                       int recv_tag, Comm& comm, Request*& request);

/// The send of a call that receives into the buffer that it sends: what is sent is packed into `packed` first.
[[nodiscard]] Sending packed_send(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
                                  std::vector<std::byte>& packed);

}  // namespace orrery::mpi
