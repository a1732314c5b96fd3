// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/blocks.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/datatype/datatype.hpp"

namespace orrery::mpi {

namespace {

/// Hub: it gathers all blocks in its own receive buffer, and sends them on one after the other without gaps.
class Allgather final : public Repeatable<Allgather, HubExchange> {
 public:
  /// @param send empty: one's block is in place
  Allgather(op::CollectiveKind kind, std::optional<HeldData> send, Blocks blocks, Comm& comm)
      : Repeatable(comm), send_(std::move(send)), blocks_(std::move(blocks)) {
    if (send_ && !comm.is_inter()) check_not_aliased(*send_, blocks_[comm.rank]);
    time_as(kind, 0, contribution().bytes(), *blocks_[0].type);
    if (kind == op::CollectiveKind::Allgatherv) {
      blocks_.append_bytes(peers(), timed_counts());
    } else if (comm.is_inter()) {
      timed_counts().push_back(blocks_[0].bytes());
    }
  }

 private:
  /// How many blocks there are.
  [[nodiscard]] int peers() const { return comm().peers().size(); }
  [[nodiscard]] bool moves_data() const override {
    return comm().is_inter() ? send_->bytes() > 0 || gets_result(self()) : hub() < peers();
  }
  /// The first that all others need something from.
  [[nodiscard]] int hub() const override {
    int rank = 0;
    if (comm().is_inter()) return rank;
    while (rank < peers() && !contributes(rank)) ++rank;
    return rank;
  }
  [[nodiscard]] bool contributes(int rank) const override { return blocks_[rank].bytes() > 0; }
  [[nodiscard]] bool gets_result(int) const override { return !comm().is_inter() || blocks_.total_bytes(peers()) > 0; }
  [[nodiscard]] Order order() const override { return Order::OfArrival; }
  Data contribution() override { return send_ ? *send_ : blocks_[comm().rank]; }
  void combine(int from, Piece piece) override { store_exactly(piece, blocks_[from]); }
  void combine_own() override {
    if (send_) store_own(*send_, blocks_[self()]);
  }
  void distribute() override {
    if (!gets_result(self())) return;
    if (const auto whole = blocks_.whole(peers())) return post_to_others(*whole);
    make_room();
    std::byte* place = packed_.data();
    for (int rank = 0; rank < peers(); ++rank) {
      const auto block = blocks_[rank];
      block.pack_into(place);
      place += block.bytes();
    }
    post_to_others(Data::of(packed_));
  }
  void result(Piece piece) override {
    if (const auto whole = blocks_.whole(peers())) return store_exactly(piece, *whole);
    make_room();
    store_exactly(piece, Data::of(packed_));
    const std::byte* place = packed_.data();
    for (int rank = 0; rank < peers(); ++rank) {
      const auto block = blocks_[rank];
      block.unpack_from(place, block.bytes());
      place += block.bytes();
    }
  }
  void make_room() { packed_.resize(static_cast<std::size_t>(blocks_.total_bytes(peers()))); }

  std::optional<HeldData> send_;
  Blocks blocks_;
  std::vector<std::byte> packed_;  ///< all blocks, if there may be gaps between them
};

std::optional<HeldData> to_send(const void* send, std::int64_t count, Datatype& type, const Comm& comm) {
  check_in_place(send, comm);
  if (send == in_place) return std::nullopt;
  return HeldData(send, count, type);
}

std::shared_ptr<Exchange> make_allgather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                                         std::int64_t recv_count, Datatype& recv_type, Comm& comm) {
  check_not_in_place(recv);
  return std::make_shared<Allgather>(op::CollectiveKind::Allgather, to_send(send, send_count, send_type, comm),
                                     Blocks(recv, recv_count, recv_type), comm);
}

std::shared_ptr<Exchange> make_allgatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                                          IntArray recv_counts, IntArray displacements, Datatype& recv_type,
                                          Comm& comm) {
  check_not_in_place(recv);
  return std::make_shared<Allgather>(op::CollectiveKind::Allgatherv, to_send(send, send_count, send_type, comm),
                                     Blocks(recv, comm.peers().size(), recv_counts, displacements, recv_type), comm);
}

}  // namespace

void allgather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
               Datatype& recv_type, Comm& comm) {
  run(*make_allgather(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

void iallgather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
                Datatype& recv_type, Comm& comm, Request*& request) {
  request = launch(make_allgather(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

void allgather_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
                    Datatype& recv_type, Comm& comm, Info*, Request*& request) {
  request = prepare(make_allgather(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

void allgatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
                IntArray displacements, Datatype& recv_type, Comm& comm) {
  run(*make_allgatherv(send, send_count, send_type, recv, recv_counts, displacements, recv_type, comm));
}

void iallgatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
                 IntArray displacements, Datatype& recv_type, Comm& comm, Request*& request) {
  request = launch(make_allgatherv(send, send_count, send_type, recv, recv_counts, displacements, recv_type, comm));
}

void allgatherv_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
                     IntArray displacements, Datatype& recv_type, Comm& comm, Info*, Request*& request) {
  request = prepare(make_allgatherv(send, send_count, send_type, recv, recv_counts, displacements, recv_type, comm));
}

}  // namespace orrery::mpi
