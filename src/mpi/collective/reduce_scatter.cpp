// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/blocks.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/collective/fold.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/datatype/datatype.hpp"

namespace orrery::mpi {

namespace {

/// Hub: it combines, each gets its block of the result.
class ReduceScatter final : public Repeatable<ReduceScatter, HubExchange> {
 public:
  /// @param starts first element of each rank's block, and the number of all elements
  ReduceScatter(op::CollectiveKind kind, const void* send, void* recv, std::vector<std::int64_t> starts, Datatype& type,
                Op& op, Comm& comm)
      : Repeatable(comm),
        starts_(std::move(starts)),
        send_(send == in_place ? recv : send, starts_.back(), type),
        recv_(Data::of(recv, block_count(comm.rank), type)) {
    check_op(op, type);
    check_not_in_place(recv);
    check_in_place(send, comm);
    if (send != in_place) check_not_aliased(send_, recv_);
    if (is_hub()) fold_.emplace(op, starts_.back(), type);
    const bool equal = kind == op::CollectiveKind::ReduceScatterBlock;
    time_as(kind, 0, equal ? recv_.bytes() : send_.bytes(), type);
    time_reduction(op);
    for (int i = 0; !equal && i < comm.size(); ++i) timed_counts().push_back(block_count(i) * size_of(type));
  }

 private:
  [[nodiscard]] std::int64_t start(int rank) const { return starts_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::int64_t block_count(int rank) const { return start(rank + 1) - start(rank); }
  [[nodiscard]] Data block(int rank) const { return part_of(fold_->total(), start(rank), block_count(rank)); }

  [[nodiscard]] bool moves_data() const override { return send_.bytes() > 0; }
  /// The first that needs something from all others.
  [[nodiscard]] int hub() const override {
    int rank = 0;
    if (comm().is_inter()) return rank;
    while (rank < size() - 1 && !gets_result(rank)) ++rank;
    return rank;
  }
  [[nodiscard]] bool gets_result(int rank) const override { return block_count(rank) > 0; }
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
    post_slices([this](int to) { return block(to); });
    store_own(block(self()), recv_);
  }
  void result(Piece piece) override { store_exactly(piece, recv_); }

  std::vector<std::int64_t> starts_;
  HeldData send_;
  Data recv_;
  std::optional<Fold> fold_;  ///< at the hub
};

std::shared_ptr<Exchange> make_reduce_scatter(const void* send, void* recv, IntArray counts, Datatype& type, Op& op,
                                              Comm& comm) {
  std::vector<std::int64_t> starts{0};
  for (int i = 0; i < comm.size(); ++i) {
    check_count(counts[i]);
    starts.push_back(starts.back() + counts[i]);
  }
  return std::make_shared<ReduceScatter>(op::CollectiveKind::ReduceScatter, send, recv, std::move(starts), type, op,
                                         comm);
}

std::shared_ptr<Exchange> make_reduce_scatter_block(const void* send, void* recv, std::int64_t count, Datatype& type,
                                                    Op& op, Comm& comm) {
  check_count(count);
  std::vector<std::int64_t> starts;
  for (int i = 0; i <= comm.size(); ++i) starts.push_back(i * count);
  return std::make_shared<ReduceScatter>(op::CollectiveKind::ReduceScatterBlock, send, recv, std::move(starts), type,
                                         op, comm);
}

}  // namespace

void reduce_scatter(const void* send, void* recv, IntArray counts, Datatype& type, Op& op, Comm& comm) {
  run(*make_reduce_scatter(send, recv, counts, type, op, comm));
}

void ireduce_scatter(const void* send, void* recv, IntArray counts, Datatype& type, Op& op, Comm& comm,
                     Request*& request) {
  request = launch(make_reduce_scatter(send, recv, counts, type, op, comm));
}

void reduce_scatter_init(const void* send, void* recv, IntArray counts, Datatype& type, Op& op, Comm& comm, Info*,
                         Request*& request) {
  request = prepare(make_reduce_scatter(send, recv, counts, type, op, comm));
}

void reduce_scatter_block(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm) {
  run(*make_reduce_scatter_block(send, recv, count, type, op, comm));
}

void ireduce_scatter_block(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm,
                           Request*& request) {
  request = launch(make_reduce_scatter_block(send, recv, count, type, op, comm));
}

void reduce_scatter_block_init(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm,
                               Info*, Request*& request) {
  request = prepare(make_reduce_scatter_block(send, recv, count, type, op, comm));
}

}  // namespace orrery::mpi
