// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/collective.hpp"
#include "mpi/collective/fold.hpp"
#include "mpi/collective/meeting.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/point_to_point/checks.hpp"

namespace orrery::mpi {

namespace {

/// Hub: it combines, all get the same. Or the board, for a few bytes.
class Allreduce final : public Repeatable<Allreduce, HubExchange> {
 public:
  Allreduce(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm, bool blocking = false)
      : Repeatable(comm),
        type_(type),
        op_(op),
        on_board_(blocking && !comm.is_inter() && fits_on_board(op, count, type)) {
    check_buffer(recv, count, type);
    if (send != in_place) check_buffer(send, count, type);
    check_op(op, type);
    check_not_in_place(recv);
    check_in_place(send, comm);
    send_ = Data::of(send == in_place ? recv : send, count, type);
    recv_ = Data::of(recv, count, type);
    if (send != in_place) check_not_aliased(send_, recv_);
    if (is_hub() && !on_board_) fold_.emplace(op, count, type);
    time_as(op::CollectiveKind::Allreduce, 0, send_.bytes(), type);
    time_reduction(op);
  }

  /// What is left to do of a blocking call that needs no messages.
  void meet() {
    if (on_board_ && send_.bytes() > 0) reduce_on_board(send_.buffer, recv_.buffer, send_.count, *type_, op_, comm());
  }

 private:
  [[nodiscard]] bool moves_data() const override { return send_.bytes() > 0 && !on_board_; }
  [[nodiscard]] bool senders_leave_early() const override { return comm().is_inter(); }
  Data contribution() override { return send_; }
  void combine(int, Piece piece) override {
    store_exactly(piece, fold_->next());
    fold_->add();
  }
  void combine_own() override {
    store_own(send_, fold_->next());
    fold_->add();
  }
  void distribute() override {
    post_to_others(fold_->total());
    store_own(fold_->total(), recv_);
  }
  void result(Piece piece) override { store_exactly(piece, recv_); }

  Held<Datatype> type_;
  Op& op_;
  const bool on_board_;
  Data send_;
  Data recv_;
  std::optional<Fold> fold_;  ///< at the hub
};

}  // namespace

void allreduce(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm) {
  Allreduce call(send, recv, count, type, op, comm, true);
  run(call);
  call.meet();
}

void iallreduce(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm,
                Request*& request) {
  request = launch(std::make_shared<Allreduce>(send, recv, count, type, op, comm));
}

void allreduce_init(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm, Info*,
                    Request*& request) {
  request = prepare(std::make_shared<Allreduce>(send, recv, count, type, op, comm));
}

}  // namespace orrery::mpi
