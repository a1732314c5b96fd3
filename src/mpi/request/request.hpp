// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mpi/request/staging.hpp"
#include "mpi/types.hpp"
#include "op/op.hpp"

namespace orrery::mpi {

/// An operation under way: a send, a receive, a non-blocking collective, or a persistent one of these.
///
/// It is complete when both planes agree: the kernel says so (or need not be asked), and its bytes have moved
/// (`arrived`).
struct Request {
  /// What the kernel knows it by, taken from `Rank::new_request_id` by who starts it and given back when it completes;
  /// 0: not active, or nothing that takes simulated time (PROC_NULL).
  op::RequestId id = 0;
  bool active = true;  ///< false: a persistent request that is not started
  bool persistent = false;
  Comm* comm = nullptr;              ///< whose error handler is called; may be null
  Status status;                     ///< valid once arrived
  std::string error_text;            ///< of `status.error`, when that is not 0
  std::unique_ptr<Staging> staging;  ///< the buffers that it works on are copies; null: they are the program's

  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  virtual ~Request() = default;
  /// Whether its bytes have moved; then `status` is set. Called again and again by those who wait: only loads and
  /// comparisons.
  [[nodiscard]] virtual bool arrived() = 0;
  /// Starts it, if persistent again and again: pushes its operation under a new `id`, sets `active`.
  virtual void start() {}
  /// The data have come where the program looks for them. Called when it has arrived, perhaps more than once.
  void deliver() const {
    if (staging != nullptr) staging->deliver();
  }
  /// A receive whose message the kernel chooses and has not told yet.
  [[nodiscard]] virtual bool undecided() const { return false; }
  /// Asks the kernel which message it took, and waits for that. Called once the kernel says that it is complete.
  virtual void decide() {}
  /// The program is about to be told its `status`; called when it has arrived, perhaps more than once.
  virtual void query() {}
  /// The program is being told that it is complete. May set `status.error`.
  virtual void retire() {}
  /// The program has freed it, and it has not arrived: it lives until it has.
  virtual void abandon(std::unique_ptr<Request> self);
  /// Withdraws it, if that can still be. @throws Error for what cannot be cancelled at all
  virtual void cancel();
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

/// Waits for all requests and disposes of them; `statuses` may be null.
/// @return the first error, if one failed; all statuses carry their own
std::optional<Error> complete_all(std::span<Request*> requests, Status* statuses);

}  // namespace orrery::mpi
