// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/request/generalized.hpp"

#include <memory>
#include <utility>

#include "mpi/error/errors.hpp"
#include "mpi/request/request.hpp"

namespace orrery::mpi {
namespace {

/// The kernel does not know it: it takes no simulated time by itself.
class GeneralizedRequest final : public Request {
 public:
  explicit GeneralizedRequest(GeneralizedCalls calls) : calls_(std::move(calls)) {}

  [[nodiscard]] bool arrived() override { return complete_; }
  void query() override { note(calls_.query ? calls_.query(status) : success); }
  void retire() override { note(calls_.free ? calls_.free() : success); }
  void cancel() override {
    if (const int code = calls_.cancel ? calls_.cancel(complete_) : success; code != success) {
      throw Error{code, "the cancel function of a generalized request failed"};
    }
  }
  void abandon(std::unique_ptr<Request> self) override { self_ = std::move(self); }

  void complete() {
    complete_ = true;
    // Nobody else has it any more: it goes when this returns.
    if (const std::unique_ptr<Request> self = std::move(self_)) retire();
  }

 private:
  void note(int code) {
    if (code == success) return;
    status.error = code;
    error_text = "a function of a generalized request failed";
  }

  GeneralizedCalls calls_;
  bool complete_ = false;
  std::unique_ptr<Request> self_;  ///< freed by the program before it was complete
};

}  // namespace

void grequest_start(GeneralizedCalls calls, Request*& request) { request = new GeneralizedRequest(std::move(calls)); }

void grequest_complete(Request* request) {
  auto* generalized = dynamic_cast<GeneralizedRequest*>(request);
  if (generalized == nullptr) throw Error{err_request, "not a generalized request"};
  generalized->complete();
}

}  // namespace orrery::mpi
