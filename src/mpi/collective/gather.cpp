// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/blocks.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/datatype/datatype.hpp"

namespace orrery::mpi {

namespace {

/// Direct: from all to the root.
class Gather final : public Repeatable<Gather> {
 public:
  /// @param send empty at a root whose block is in place, and in the root's group of an inter-communicator
  /// @param blocks empty but at the root
  Gather(op::CollectiveKind kind, std::optional<HeldData> send, std::optional<Blocks> blocks, int root, Comm& comm)
      : Repeatable(comm), send_(std::move(send)), blocks_(std::move(blocks)), root_(root) {
    if (send_ && blocks_) check_not_aliased(*send_, (*blocks_)[comm.rank]);
    if (send_ || blocks_) {
      const Data own = send_ ? *send_ : (*blocks_)[comm.is_inter() ? 0 : comm.rank];
      time_as(kind, root, own.bytes(), *own.type);
    } else {
      time_as(kind, root, 0, 1);
    }
    if (kind == op::CollectiveKind::Gatherv && blocks_) blocks_->append_bytes(size(), timed_counts());
  }

 private:
  [[nodiscard]] bool moves_data() const override { return send_ || blocks_; }
  void begin() override {
    if (self() == root_) {
      await(0, size(), Order::OfArrival);
    } else {
      if (send_->bytes() > 0) post(root_, *send_);
    }
  }
  [[nodiscard]] bool expects(int from) const override { return (*blocks_)[from].bytes() > 0; }
  void receive(int from, Piece piece) override { store(piece, (*blocks_)[from]); }
  void receive_own() override {
    if (send_) store_own(*send_, (*blocks_)[self()]);
  }

  std::optional<HeldData> send_;
  std::optional<Blocks> blocks_;
  int root_;
};

std::optional<HeldData> to_gather(const void* send, std::int64_t count, Datatype& type, int root, const Comm& comm) {
  check_root(root, comm);
  if (!faces_root(root, comm)) return std::nullopt;
  if (!is_root(root, comm)) check_not_in_place(send);
  if (send == in_place) return std::nullopt;
  return HeldData(send, count, type);
}

std::shared_ptr<Exchange> make_gather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                                      std::int64_t recv_count, Datatype& recv_type, int root, Comm& comm) {
  auto own = to_gather(send, send_count, send_type, root, comm);
  std::optional<Blocks> blocks;
  if (is_root(root, comm)) blocks.emplace(recv, recv_count, recv_type);
  return std::make_shared<Gather>(op::CollectiveKind::Gather, std::move(own), std::move(blocks), root, comm);
}

std::shared_ptr<Exchange> make_gatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                                       IntArray recv_counts, IntArray displacements, Datatype& recv_type, int root,
                                       Comm& comm) {
  auto own = to_gather(send, send_count, send_type, root, comm);
  std::optional<Blocks> blocks;
  if (is_root(root, comm)) blocks.emplace(recv, comm.peers().size(), recv_counts, displacements, recv_type);
  return std::make_shared<Gather>(op::CollectiveKind::Gatherv, std::move(own), std::move(blocks), root, comm);
}

}  // namespace

void gather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
            Datatype& recv_type, int root, Comm& comm) {
  run(*make_gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm));
}

void igather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
             Datatype& recv_type, int root, Comm& comm, Request*& request) {
  request = launch(make_gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm));
}

void gather_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
                 Datatype& recv_type, int root, Comm& comm, Info*, Request*& request) {
  request = prepare(make_gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm));
}

void gatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
             IntArray displacements, Datatype& recv_type, int root, Comm& comm) {
  run(*make_gatherv(send, send_count, send_type, recv, recv_counts, displacements, recv_type, root, comm));
}

void igatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
              IntArray displacements, Datatype& recv_type, int root, Comm& comm, Request*& request) {
  request = launch(make_gatherv(send, send_count, send_type, recv, recv_counts, displacements, recv_type, root, comm));
}

void gatherv_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
                  IntArray displacements, Datatype& recv_type, int root, Comm& comm, Info*, Request*& request) {
  request = prepare(make_gatherv(send, send_count, send_type, recv, recv_counts, displacements, recv_type, root, comm));
}

}  // namespace orrery::mpi
