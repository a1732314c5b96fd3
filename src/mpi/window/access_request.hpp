// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/request/request.hpp"
#include "mpi/window/effect.hpp"

namespace orrery::mpi {

/// MPI_Rput and its like. Complete at once if there is nothing to do.
class AccessRequest final : public Request {
 public:
  explicit AccessRequest(Window& window) : comm_(*window.comm) {
    comm = nullptr;
    check_requests_allowed(window);
  }

  /// The kernel will know it by `id`.
  void begin() { id = this_rank().new_request_id(); }
  void waits_for(std::shared_ptr<PendingEffect> effect) { effect_ = std::move(effect); }

  bool arrived() override {
    if (effect_ == nullptr) return true;
    if (!effect_->settled()) return false;
    if (effect_->failed()) {
      status.error = err_rma_range;
      error_text = "an accumulate to memory that the target does not have";
    }
    return true;
  }

 private:
  /// Operations with requests are for passive target communication (MPI-4.1, section 12.3.5).
  static void check_requests_allowed(const Window& window) {
    if (window.access != Epoch::Locked && window.access != Epoch::LockedAll) {
      throw Error{err_rma_sync, "an access with a request outside of an epoch of locks"};
    }
  }

  Held<Comm> comm_;
  std::shared_ptr<PendingEffect> effect_;
};

}  // namespace orrery::mpi
