// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/communicator/comm.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/object/held.hpp"
#include "mpi/point_to_point/matching.hpp"
#include "mpi/request/request.hpp"

namespace orrery::mpi {

/// A receive with the arguments of a call, checked; its source is a world rank, `any_source` or `proc_null`.
/// @throws Error
[[nodiscard]] Receive checked_receive(void* buffer, std::int64_t count, Datatype& type, int source, int tag,
                                      const Comm& comm);

/// What the status says of a receive that is done; `error_text` is set when the message was too long.
[[nodiscard]] Status status_of(const Receive& receive, const Comm& comm, std::string& error_text);
/// The status of a receive from PROC_NULL.
[[nodiscard]] Status status_of_proc_null();

/// The operation of a receive, without flags and request.
[[nodiscard]] op::Operation operation_of(const Receive& receive);

/// A non-blocking or persistent receive.
class RecvRequest : public Request {
 public:
  RecvRequest(const Receive& receive, Comm& comm, Datatype& type, bool persistent);
  ~RecvRequest() override;
  [[nodiscard]] bool arrived() override;
  void start() override;
  [[nodiscard]] bool undecided() const override { return undecided_; }
  void decide() override;
  void retire() override;
  void cancel() override;

 protected:
  /// Becomes active, without anything that was left of the time before.
  void begin();
  /// Posts it under `id`. @param flags of its operation
  void post(std::uint8_t flags);

  Receive receive_;

 private:
  Held<Comm> comm_;
  Held<Datatype> type_;
  bool undecided_ = false;
};

}  // namespace orrery::mpi
