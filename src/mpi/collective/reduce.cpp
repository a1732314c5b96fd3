// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/collective.hpp"
#include "mpi/collective/fold.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/point_to_point/checks.hpp"

namespace orrery::mpi {

namespace {

/// Direct: from all to the root, which combines.
class Reduce final : public Repeatable<Reduce> {
 public:
  Reduce(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, int root, Comm& comm)
      : Repeatable(comm), type_(type), root_(root) {
    check_root(root, comm);
    check_in_place(send, comm);
    const bool gives = faces_root(root, comm);
    if (gives && send != in_place) check_buffer(send, count, type);
    if (is_root(root, comm)) check_buffer(recv, count, type);
    if (gives || is_root(root, comm)) check_op(op, type);  // beside the root, nothing but it is looked at
    if (!is_root(root, comm)) check_not_in_place(send);
    if (gives) send_ = Data::of(send == in_place ? recv : send, count, type);
    if (is_root(root, comm)) recv_ = Data::of(recv, count, type);
    if (gives && send != in_place && is_root(root, comm)) check_not_aliased(send_, recv_);
    if (is_root(root, comm)) fold_.emplace(op, count, type);
    bytes_ = gives || is_root(root, comm) ? count * size_of(type) : 0;
    time_as(op::CollectiveKind::Reduce, root, bytes_, type);
    time_reduction(op);
  }

 private:
  [[nodiscard]] bool moves_data() const override { return bytes_ > 0; }
  void begin() override {
    if (self() == root_) {
      await(0, size(), Order::OfRanks);
    } else {
      post(root_, send_);
    }
  }
  void receive(int, Piece piece) override {
    store_exactly(piece, fold_->next());
    fold_->add();
  }
  void receive_own() override {
    store_own(send_, fold_->next());
    fold_->add();
  }
  void finish() override {
    if (fold_) store_own(fold_->total(), recv_);
  }

  Held<Datatype> type_;
  Data send_;
  Data recv_;
  std::int64_t bytes_ = 0;
  int root_;
  std::optional<Fold> fold_;  ///< at the root
};

}  // namespace

void reduce(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, int root, Comm& comm) {
  Reduce call(send, recv, count, type, op, root, comm);
  run(call);
}

void ireduce(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, int root, Comm& comm,
             Request*& request) {
  request = launch(std::make_shared<Reduce>(send, recv, count, type, op, root, comm));
}

void reduce_init(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, int root, Comm& comm, Info*,
                 Request*& request) {
  request = prepare(std::make_shared<Reduce>(send, recv, count, type, op, root, comm));
}

}  // namespace orrery::mpi
