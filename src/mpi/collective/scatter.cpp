// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/blocks.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/datatype/datatype.hpp"

namespace orrery::mpi {

namespace {

/// Direct: from the root to all.
class Scatter final : public Repeatable<Scatter> {
 public:
  /// @param blocks empty but at the root
  /// @param recv empty at a root whose block stays where it is, and in the root's group of an inter-communicator
  Scatter(op::CollectiveKind kind, std::optional<Blocks> blocks, std::optional<HeldData> recv, int root, Comm& comm)
      : Repeatable(comm), blocks_(std::move(blocks)), recv_(std::move(recv)), root_(root) {
    if (recv_ && blocks_) check_not_aliased((*blocks_)[comm.rank], *recv_);
    if (recv_ || blocks_) {
      const Data own = recv_ ? *recv_ : (*blocks_)[comm.is_inter() ? 0 : comm.rank];
      time_as(kind, root, own.bytes(), *own.type);
    } else {
      time_as(kind, root, 0, 1);
    }
    if (kind == op::CollectiveKind::Scatterv && blocks_) blocks_->append_bytes(size(), timed_counts());
  }

 private:
  [[nodiscard]] bool moves_data() const override { return recv_ || blocks_; }
  void begin() override {
    if (self() == root_) {
      post_slices([this](int to) { return (*blocks_)[to]; });
      if (recv_) store_own((*blocks_)[self()], *recv_);
    } else {
      await(root_, root_ + 1, Order::OfArrival);
    }
  }
  [[nodiscard]] bool expects(int) const override { return recv_->bytes() > 0; }
  void receive(int, Piece piece) override { store(piece, *recv_); }

  std::optional<Blocks> blocks_;
  std::optional<HeldData> recv_;
  int root_;
};

std::optional<HeldData> to_receive(void* recv, std::int64_t count, Datatype& type, int root, const Comm& comm) {
  check_root(root, comm);
  if (!faces_root(root, comm)) return std::nullopt;
  if (!is_root(root, comm)) check_not_in_place(recv);
  if (recv == in_place) return std::nullopt;
  return HeldData(recv, count, type);
}

std::shared_ptr<Exchange> make_scatter(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                                       std::int64_t recv_count, Datatype& recv_type, int root, Comm& comm) {
  auto own = to_receive(recv, recv_count, recv_type, root, comm);
  std::optional<Blocks> blocks;
  if (is_root(root, comm)) blocks.emplace(send, send_count, send_type);
  return std::make_shared<Scatter>(op::CollectiveKind::Scatter, std::move(blocks), std::move(own), root, comm);
}

std::shared_ptr<Exchange> make_scatterv(const void* send, IntArray send_counts, IntArray displacements,
                                        Datatype& send_type, void* recv, std::int64_t recv_count, Datatype& recv_type,
                                        int root, Comm& comm) {
  auto own = to_receive(recv, recv_count, recv_type, root, comm);
  std::optional<Blocks> blocks;
  if (is_root(root, comm)) blocks.emplace(send, comm.peers().size(), send_counts, displacements, send_type);
  return std::make_shared<Scatter>(op::CollectiveKind::Scatterv, std::move(blocks), std::move(own), root, comm);
}

}  // namespace

void scatter(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
             Datatype& recv_type, int root, Comm& comm) {
  run(*make_scatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm));
}

void iscatter(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
              Datatype& recv_type, int root, Comm& comm, Request*& request) {
  request = launch(make_scatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm));
}

void scatter_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
                  Datatype& recv_type, int root, Comm& comm, Info*, Request*& request) {
  request = prepare(make_scatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm));
}

void scatterv(const void* send, IntArray send_counts, IntArray displacements, Datatype& send_type, void* recv,
              std::int64_t recv_count, Datatype& recv_type, int root, Comm& comm) {
  run(*make_scatterv(send, send_counts, displacements, send_type, recv, recv_count, recv_type, root, comm));
}

void iscatterv(const void* send, IntArray send_counts, IntArray displacements, Datatype& send_type, void* recv,
               std::int64_t recv_count, Datatype& recv_type, int root, Comm& comm, Request*& request) {
  request = launch(make_scatterv(send, send_counts, displacements, send_type, recv, recv_count, recv_type, root, comm));
}

void scatterv_init(const void* send, IntArray send_counts, IntArray displacements, Datatype& send_type, void* recv,
                   std::int64_t recv_count, Datatype& recv_type, int root, Comm& comm, Info*, Request*& request) {
  request =
      prepare(make_scatterv(send, send_counts, displacements, send_type, recv, recv_count, recv_type, root, comm));
}

}  // namespace orrery::mpi
