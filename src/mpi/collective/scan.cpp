// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/collective.hpp"
#include "mpi/collective/fold.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/point_to_point/checks.hpp"

namespace orrery::mpi {

namespace {

enum class Upto : std::uint8_t {
  Own,     ///< MPI_Scan: a rank's result includes its own operand
  Before,  ///< MPI_Exscan: only those of the ranks before it; the first rank gets nothing
};

/// Direct, as a chain: each gets from the rank before it what has been combined so far, and sends it on with its own
/// operand. A hub would make ranks wait for ranks behind them.
class Scan final : public Repeatable<Scan> {
 public:
  Scan(Upto upto, const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm)
      : Repeatable(comm), upto_(upto), type_(type) {
    check_intra(comm);
    check_buffer(recv, count, type);
    if (send != in_place) check_buffer(send, count, type);
    check_op(op, type);
    check_not_in_place(recv);
    send_ = Data::of(send == in_place ? recv : send, count, type);
    recv_ = Data::of(recv, count, type);
    if (send != in_place) check_not_aliased(send_, recv_);
    fold_.emplace(op, count, type);
    time_as(upto == Upto::Own ? op::CollectiveKind::Scan : op::CollectiveKind::Exscan, 0, send_.bytes(), type);
    time_reduction(op);
  }

 private:
  [[nodiscard]] bool moves_data() const override { return send_.bytes() > 0; }
  void begin() override {
    if (self() > 0) await(self() - 1, self(), Order::OfArrival);
  }
  void receive(int, Piece piece) override {
    store_exactly(piece, fold_->next());
    fold_->add();
  }
  void finish() override {
    store_own(send_, fold_->next());
    if (upto_ == Upto::Before && self() > 0) store_own(fold_->total(), recv_);
    fold_->add();
    if (upto_ == Upto::Own) store_own(fold_->total(), recv_);
    if (self() + 1 < size()) post(self() + 1, fold_->total());
  }

  Upto upto_;
  Held<Datatype> type_;
  Data send_;
  Data recv_;
  std::optional<Fold> fold_;
};

}  // namespace

void scan(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm) {
  Scan call(Upto::Own, send, recv, count, type, op, comm);
  run(call);
}

void iscan(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm, Request*& request) {
  request = launch(std::make_shared<Scan>(Upto::Own, send, recv, count, type, op, comm));
}

void scan_init(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm, Info*,
               Request*& request) {
  request = prepare(std::make_shared<Scan>(Upto::Own, send, recv, count, type, op, comm));
}

void exscan(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm) {
  Scan call(Upto::Before, send, recv, count, type, op, comm);
  run(call);
}

void iexscan(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm, Request*& request) {
  request = launch(std::make_shared<Scan>(Upto::Before, send, recv, count, type, op, comm));
}

void exscan_init(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm, Info*,
                 Request*& request) {
  request = prepare(std::make_shared<Scan>(Upto::Before, send, recv, count, type, op, comm));
}

}  // namespace orrery::mpi
