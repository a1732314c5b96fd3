// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "mpi/collective/blocks.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/collective/swap.hpp"
#include "mpi/datatype/datatype.hpp"

namespace orrery::mpi {

namespace {

/// Direct: from each to each. Or the board, for equal slices that are not too many bytes.
class Alltoall final : public Repeatable<Alltoall> {
 public:
  /// @param send empty: in place
  Alltoall(op::CollectiveKind kind, std::optional<Blocks> send, Blocks recv, Comm& comm, bool blocking = false)
      : Repeatable(comm),
        send_(std::move(send)),
        recv_(std::move(recv)),
        on_board_(blocking && kind == op::CollectiveKind::Alltoall && swaps_on_board(recv_[0].bytes(), comm)) {
    if (send_ && !comm.is_inter()) check_not_aliased((*send_)[comm.rank], recv_[comm.rank]);
    if (!send_) time_in_place();
    const auto own = sent_blocks()[0];
    if (kind == op::CollectiveKind::Alltoall) {
      time_as(kind, 0, own.bytes(), *own.type);
      if (comm.is_inter()) timed_counts().push_back(recv_[0].bytes());
    } else {
      const auto element = kind == op::CollectiveKind::Alltoallv ? size_of(*own.type) : 1;
      time_as(kind, 0, sent_blocks().total_bytes(size()), std::max<std::int64_t>(1, element));
      sent_blocks().append_bytes(size(), timed_counts());
      recv_.append_bytes(size(), timed_counts());
    }
  }

  /// What is left to do of a blocking call that needs no messages.
  void meet() {
    if (on_board_) swap_on_board(sent_blocks(), recv_, comm());
  }

 private:
  [[nodiscard]] const Blocks& sent_blocks() const { return send_ ? *send_ : recv_; }
  [[nodiscard]] bool moves_data() const override { return !on_board_; }
  void begin() override {
    // In place, what comes from a rank overwrites what goes to it.
    post_slices([this](int to) { return sent_blocks()[to]; }, send_ ? Reuse::Later : Reuse::AtOnce);
    await(0, size(), Order::OfArrival);
  }
  [[nodiscard]] bool expects(int from) const override { return recv_[from].bytes() > 0; }
  void receive(int from, Piece piece) override { store(piece, recv_[from]); }
  void receive_own() override {
    if (send_) store_own((*send_)[self()], recv_[self()]);
  }

  std::optional<Blocks> send_;
  Blocks recv_;
  bool on_board_;
};

std::shared_ptr<Alltoall> make_alltoall(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                                        std::int64_t recv_count, Datatype& recv_type, Comm& comm,
                                        bool blocking = false) {
  check_not_in_place(recv);
  check_in_place(send, comm);
  std::optional<Blocks> sent;
  if (send != in_place) sent.emplace(send, send_count, send_type);
  return std::make_shared<Alltoall>(op::CollectiveKind::Alltoall, std::move(sent), Blocks(recv, recv_count, recv_type),
                                    comm, blocking);
}

/// `Types`: Datatype&, or one for each rank.
template <class Types>
std::shared_ptr<Exchange> make_varying(op::CollectiveKind kind, const void* send, IntArray send_counts,
                                       IntArray send_displacements, Types& send_types, void* recv, IntArray recv_counts,
                                       IntArray recv_displacements, Types& recv_types, Comm& comm) {
  check_not_in_place(recv);
  check_in_place(send, comm);
  std::optional<Blocks> sent;
  if (send != in_place) sent.emplace(send, comm.peers().size(), send_counts, send_displacements, send_types);
  return std::make_shared<Alltoall>(
      kind, std::move(sent), Blocks(recv, comm.peers().size(), recv_counts, recv_displacements, recv_types), comm);
}

}  // namespace

void alltoall(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
              Datatype& recv_type, Comm& comm) {
  const auto call = make_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm, true);
  run(*call);
  call->meet();
}

void ialltoall(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
               Datatype& recv_type, Comm& comm, Request*& request) {
  request = launch(make_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

void alltoall_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
                   Datatype& recv_type, Comm& comm, Info*, Request*& request) {
  request = prepare(make_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

void alltoallv(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type, void* recv,
               IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type, Comm& comm) {
  run(*make_varying(op::CollectiveKind::Alltoallv, send, send_counts, send_displacements, send_type, recv, recv_counts,
                    recv_displacements, recv_type, comm));
}

void ialltoallv(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type, void* recv,
                IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type, Comm& comm, Request*& request) {
  request = launch(make_varying(op::CollectiveKind::Alltoallv, send, send_counts, send_displacements, send_type, recv,
                                recv_counts, recv_displacements, recv_type, comm));
}

void alltoallv_init(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type,
                    void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type, Comm& comm,
                    Info*, Request*& request) {
  request = prepare(make_varying(op::CollectiveKind::Alltoallv, send, send_counts, send_displacements, send_type, recv,
                                 recv_counts, recv_displacements, recv_type, comm));
}

void alltoallw(const void* send, IntArray send_counts, IntArray send_displacements, Datatype* const* send_types,
               void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype* const* recv_types, Comm& comm) {
  run(*make_varying(op::CollectiveKind::Alltoallw, send, send_counts, send_displacements, send_types, recv, recv_counts,
                    recv_displacements, recv_types, comm));
}

void ialltoallw(const void* send, IntArray send_counts, IntArray send_displacements, Datatype* const* send_types,
                void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype* const* recv_types, Comm& comm,
                Request*& request) {
  request = launch(make_varying(op::CollectiveKind::Alltoallw, send, send_counts, send_displacements, send_types, recv,
                                recv_counts, recv_displacements, recv_types, comm));
}

void alltoallw_init(const void* send, IntArray send_counts, IntArray send_displacements, Datatype* const* send_types,
                    void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype* const* recv_types,
                    Comm& comm, Info*, Request*& request) {
  request = prepare(make_varying(op::CollectiveKind::Alltoallw, send, send_counts, send_displacements, send_types, recv,
                                 recv_counts, recv_displacements, recv_types, comm));
}

}  // namespace orrery::mpi
