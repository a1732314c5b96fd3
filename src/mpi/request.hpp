// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mpi/errors.hpp"
#include "mpi/types.hpp"
#include "op/op.hpp"

namespace orrery::mpi {

/// An operation under way: a send, a receive, a non-blocking collective, or a persistent one of these.
///
/// It is complete when both planes agree: the kernel says so (or never needs to be asked), and its bytes have moved
/// (`arrived`).
struct Request {
  op::RequestId id = 0;  ///< what the kernel knows it by; 0: not active, or complete from the start (PROC_NULL)
  bool active = true;    ///< false: a persistent request that is not started
  bool persistent = false;
  Comm* comm = nullptr;    ///< whose error handler is called; may be null
  Status status;           ///< valid once arrived
  std::string error_text;  ///< of `status.error`, when it is not 0

  virtual ~Request() = default;
  /// Whether its bytes have moved. Only loads and tests: it is called again and again by those who wait.
  [[nodiscard]] virtual bool arrived() = 0;
  /// Starts it (again), if persistent: pushes its operation under a new `id`, sets `active`.
  virtual void start();
  /// A receive whose message the kernel chooses and has not told yet.
  [[nodiscard]] virtual bool undecided() const { return false; }
  /// Asks the kernel which message it took. Called once the kernel says that the request is complete.
  virtual void decide() {}
  /// MPI_Cancel and what follows from the kernel's answer.
  virtual void cancel() {}
  /// MPI_Request_free while active: the object lives on until its bytes have moved, nobody waits for it.
  virtual void abandon();
};

// Completion (MPI-4.1, section 3.7). A null pointer is MPI_REQUEST_NULL.
void wait(Request*& request, Status* status);
void waitall(std::span<Request*> requests, Status* statuses);
void waitany(std::span<Request*> requests, int& index, Status* status);
void waitsome(std::span<Request*> requests, int& out_count, int* indices, Status* statuses);
void test(Request*& request, bool& flag, Status* status);
void testall(std::span<Request*> requests, bool& flag, Status* statuses);
void testany(std::span<Request*> requests, int& index, bool& flag, Status* status);
void testsome(std::span<Request*> requests, int& out_count, int* indices, Status* statuses);

void request_free(Request*& request);
void request_get_status(Request* request, bool& flag, Status* status);
void cancel(Request*& request);
void start(Request*& request);
void startall(std::span<Request*> requests);

// What a status says.
void test_cancelled(const Status& status, bool& flag);
void status_set_cancelled(Status& status, bool flag);

/// For a blocking call that has made a request of its own: waits for it, then disposes of it.
/// @throws Error as the request says
void complete(Request* request, Status* status);

}  // namespace orrery::mpi
