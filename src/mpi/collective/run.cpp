// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/run.hpp"

#include <utility>

#include "base/error.hpp"
#include "mpi/errors.hpp"

namespace orrery::mpi {

namespace {

/// An immediate collective call.
class CollectiveRequest final : public Request {
 public:
  explicit CollectiveRequest(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {
    comm = &exchange_->comm();
  }

  bool arrived() override {
    if (!exchange_->done()) return false;
    if (const auto& error = exchange_->error()) {
      status.error = error->error_class;
      error_text = error->text;
    }
    return true;
  }

 private:
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace

void run(Exchange& exchange) {
  exchange.start(0);
  this_rank().wait_until([&exchange] { return exchange.advance(); }, [&exchange] { return exchange.missing(); });
  if (exchange.error()) throw *exchange.error();
}

Request* launch(std::shared_ptr<Exchange> exchange) {
  auto request = std::make_unique<CollectiveRequest>(exchange);
  request->id = this_rank().new_request_id();
  exchange->start(request->id);
  if (!exchange->advance()) this_rank().add_task(std::move(exchange));
  return request.release();
}

void check_count(std::int64_t count) {
  if (count < 0) throw Error{err_count, concat("the count is ", count)};
}

void check_root(int root, const Comm& comm) {
  if (root < 0 || root >= comm.size()) {
    throw Error{err_root, concat("the root is ", root, " in a communicator of ", comm.size())};
  }
}

void check_not_in_place(const void* buffer) {
  if (buffer == in_place) throw Error{err_buffer, "MPI_IN_PLACE is not allowed for this buffer"};
}

}  // namespace orrery::mpi
